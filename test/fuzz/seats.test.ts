import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { toMilliseconds } from '../../src/domain/datetime.ts';
import { ENGINE, rowsOf } from '../support/engine.ts';
import { type Answer, createApi, newKey } from '../support/http/api.ts';
import { type Running, startService } from '../support/service.ts';
import { count, holds, type Tally } from './budget.ts';
import { faultsOf, type Moment, type Row, type Told } from './seat-history.ts';

/**
 * Programs use the seats of one license concurrently, on several nodes, while the clock jumps between their
 * calls.
 */
const RUNS = 12;
const NODES = ENGINE === 'postgres' ? 4 : 1;
const DAY = 86_400;
const START = Date.parse('2030-06-01T12:00:00Z') / 1_000;

let now = START;
const first = await startService({ after }, { clock: () => now * 1_000 });
const nodes = [first];
while (nodes.length < NODES)
  nodes.push(await startService({ after }, { clock: () => now * 1_000, dataDir: first.dataDir }));
const clients = nodes.map(({ root, credentials }) =>
  createApi(new URL('/client/v1', root).href, credentials),
);

const POLICIES = {
  floating: { seat_ttl: 60, borrow_max_hours: 1 },
  reclaimed: { reclaim_after_days: 1 },
  takenOver: { takeovers_per_month: 2 },
  all: { seat_ttl: 2 * DAY, borrow_max_hours: 96, reclaim_after_days: 1, takeovers_per_month: 2 },
};
const which = fc.nat(5);
const call = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('activate' as const),
      device: fc.option(fc.nat(3)),
      takeover: fc.boolean(),
      borrow: fc.constantFrom(0, 0, 1),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('validate' as const), which }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deactivate' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reactivate' as const), which }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
);
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;
const runs = fc.record({
  policy: fc.constantFrom(...(Object.keys(POLICIES) as (keyof typeof POLICIES)[])),
  limit: fc.integer({ min: 1, max: 3 }),
  match: fc.constantFrom('fingerprint', 'label'),
  each: fc.array(
    fc.array(fc.record({ call, jump: fc.constantFrom(0, 0, 1, 19, 20, 59, 60) }), {
      minLength: 1,
      maxLength: 8,
    }),
    { minLength: 2, maxLength: 6, size: 'max' },
  ),
});
type Run = typeof runs extends fc.Arbitrary<infer T> ? T : never;

/** Runs the calls of all programs on one license. Returns the answers and the final rows. */
async function play({ policy, limit, match, each }: Run) {
  // The clock jumps by parts of a minute in floating runs, and by parts of a day in others.
  const unit = policy === 'floating' ? 1 : DAY / 60;
  const key = newKey();
  const license = { license_key: key, activations_limit: limit, match, ...POLICIES[policy] };
  const { id } = await first.license(license);
  const history: Told[] = [];
  const known: { id: number; token: string; device: string | null }[] = [];
  let order = 0;
  const moment = (): Moment => ({ order: order++, clock: now });

  async function ask(made: Call, i: number): Promise<void> {
    const node = nodes[i % NODES] as Running;
    const client = clients[i % NODES] as typeof first;
    const one = 'which' in made ? known[made.which % known.length] : undefined;
    if ('which' in made && !one) return;
    const { token = '', device = null } = one ?? {};
    const bearer = { credentials: null, headers: { authorization: `Bearer ${token}` }, json: {} };
    const asked = moment();
    const tell = (told: object) => void history.push({ asked, answered: moment(), ...told } as Told);
    const seat = (by: string, found: { id: number; seat_expires_at: string | null }, its = device) => {
      const until = found.seat_expires_at ? seconds(found.seat_expires_at) : Number.POSITIVE_INFINITY;
      tell({ what: 'seat', by, id: found.id, device: its, until });
    };
    const unexpected = ({ status, body }: Answer) =>
      assert.fail(`${made.do}: ${status} ${JSON.stringify(body)}`);
    switch (made.do) {
      case 'activate': {
        const { takeover, borrow } = made;
        const named = made.device === null ? null : `device ${made.device}`;
        const as = match === 'label' ? 'label' : 'fingerprint';
        const json = { license_key: key, ...(named && { [as]: named }), takeover, borrow_hours: borrow * 48 };
        const answer = await client.call('POST', '/activate', { json, credentials: null });
        if (answer.status === 409) return tell({ what: 'full', device: named });
        if (answer.status > 201) return unexpected(answer);
        const { activation } = answer.body;
        known.push({ id: activation.id, token: activation.token, device: named });
        return seat('activate', activation, named);
      }
      case 'validate': {
        const answer = await client.call('POST', '/validate', bearer);
        if (answer.status === 410)
          return tell({ what: 'ended', by: 'validate', id: one?.id, reason: answer.body.reason });
        return answer.status === 200 ? seat('validate', answer.body.activation) : unexpected(answer);
      }
      case 'deactivate': {
        const answer = await client.call('POST', '/deactivate', bearer);
        if (answer.status !== 204) return unexpected(answer);
        return tell({ what: 'ended', by: 'deactivate', id: one?.id, reason: 'deactivated' });
      }
      case 'reactivate': {
        const answer = await node.call('POST', `/licenses/activate/${key}`, { query: { token } });
        if (answer.status === 404) return tell({ what: 'refused' });
        return answer.status === 200 ? seat('reactivate', answer.body.data) : unexpected(answer);
      }
      case 'limit': {
        // The limit only moves below its highest value, so nobody loses a seat.
        await node.ok('PUT', `/licenses/${key}`, {
          json: { activations_limit: Math.min(made.limit, limit) },
        });
        return tell({ what: 'changed' });
      }
      default: {
        const { times_activated: times, activations } = await node.ok('GET', `/licenses/${key}`);
        return tell({ what: 'read', times, listed: activations.length });
      }
    }
  }

  await Promise.all(
    each.map(async (calls, i) => {
      for (const { call: made, jump } of calls) {
        now += jump * unit;
        await ask(made, i);
      }
    }),
  );
  await ask({ do: 'read' }, 0);
  const devices = new Map(known.map((one) => [one.id, one.device]));
  return { key, history, rows: await rowsOfLicense(id, devices) };
}

const seconds = (at: string) => toMilliseconds(at.replace('T', ' ').replace('Z', '')) / 1_000;
const secondsOf = (at: unknown) => (at === null ? null : seconds(String(at)));

async function rowsOfLicense(id: number, devices: Map<number, string | null>): Promise<Row[]> {
  const columns = 'id, deactivated_at, ended_as, seat_expires_at';
  const rows = await rowsOf(first.dataDir, `select ${columns} from activations where license_id = ${id}`);
  return rows.map((row) => ({
    id: Number(row.id),
    device: devices.get(Number(row.id)) ?? null,
    endedAt: secondsOf(row.deactivated_at),
    endedAs: row.ended_as as string | null,
    until: secondsOf(row.seat_expires_at) ?? Number.POSITIVE_INFINITY,
  }));
}

suite('concurrent programs', () => {
  test('never hold more seats than the limit, nor lose a seat before its time', async (t) => {
    const tally: Tally = new Map();
    await holds(t, runs, RUNS, tally, async (run) => {
      const { policy, limit } = run;
      const { key, history, rows } = await play(run);
      const { reclaim_after_days: days = 0, takeovers_per_month: takeovers = 0 } = POLICIES[policy] as Record<
        string,
        number
      >;
      for (const one of history) count(tally, 'by' in one ? `${one.by} ${one.what}` : one.what);
      for (const { endedAs } of rows) if (endedAs !== null) count(tally, endedAs);
      const faults = faultsOf({ limit, reclaimAfter: days * DAY, takeovers }, history, rows);
      assert.deepEqual(faults, [], `${JSON.stringify({ history, rows })}`);

      const held = rows.filter(({ endedAt, until }) => endedAt === null && until > now);
      const license = await first.ok('GET', `/licenses/${key}`);
      assert.deepEqual([license.times_activated, license.activations.length], [held.length, held.length]);
      for (const node of nodes) node.logs.length = 0;
    });
  });

  test('are reported by the checker if they break these rules', () => {
    let order = 0;
    const at = (clock: number) => ({ asked: { order: order++, clock }, answered: { order: order++, clock } });
    const seat = (
      id: number,
      clock: number,
      until: number,
      by: 'activate' | 'validate' = 'activate',
    ): Told => ({
      ...at(clock),
      what: 'seat',
      by,
      id,
      device: `of ${id % 10}`,
      until,
    });
    const ended = (id: number, clock: number, reason: string): Told => ({
      ...at(clock),
      what: 'ended',
      by: reason === 'lapsed' ? 'validate' : 'deactivate',
      id,
      reason,
    });
    const policy = { limit: 1, reclaimAfter: 100, takeovers: 1 };
    const row = (id: number, values: Partial<Row>): Row => ({
      id,
      device: null,
      endedAt: null,
      endedAs: null,
      until: 60,
      ...values,
    });
    const faults = (history: Told[], rows: Row[] = []) => faultsOf(policy, history, rows).join();
    assert.equal(faults([seat(1, 0, 60), ended(2, 1, 'deactivated'), seat(2, 60, 120)]), '');
    assert.equal(faults([seat(1, 0, 60), ended(1, 1, 'deactivated'), seat(2, 2, 62)]), '');
    assert.match(faults([seat(1, 0, 60), seat(2, 59, 119)]), /2 seats of 1/);
    assert.match(faults([seat(1, 0, 60), seat(11, 59, 119)]), /of 1 has 2 seats/);
    assert.match(faults([seat(1, 0, 60), ended(1, 59, 'lapsed')]), /promised until 60/);
    assert.match(
      faults([seat(1, 0, 60), ended(1, 1, 'deactivated'), seat(1, 2, 62, 'validate')]),
      /after its end/,
    );
    const taken = [row(1, { endedAs: 'taken_over', endedAt: 5 })];
    assert.match(
      faults([seat(1, 0, 60), seat(2, 5, 65), seat(1, 70, 130, 'validate')], taken),
      /after its end/,
    );
    assert.match(faults([seat(1, 0, 60), { ...at(1), what: 'full', device: 'of 1' }]), /turned away/);
    assert.match(faults([seat(1, 0, 60)], [row(1, { until: 59 })]), /holds until 59/);
    assert.match(
      faults([seat(1, 0, 999)], [row(1, { endedAs: 'reclaimed', endedAt: 100, until: 999 })]),
      /reclaimed at/,
    );
    const twice = [1, 2].map((id) => row(id, { endedAs: 'taken_over', endedAt: id }));
    assert.match(faults([], twice), /takeovers/);
    assert.match(faults([{ ...at(0), what: 'read', times: 1, listed: 0 }]), /tells 1 seats/);
  });
});
