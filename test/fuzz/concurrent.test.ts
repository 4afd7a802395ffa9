import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { newKey, type Record_ } from '../support/http/api.ts';
import { startService } from '../support/service.ts';
import { count, holds, type Tally } from './budget.ts';
import { type Answered, type Call, hasOrder } from './linearize.ts';

/** Clients that use one license concurrently get the answers of some sequential order of their calls. */
const RUNS = 25;
/** Number of activations made beforehand. The last one is deactivated. */
const TOKENS = 3;

const api = await startService({ after });

const token = fc.nat(TOKENS - 1);
const calls: fc.Arbitrary<Call> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Call>({ do: 'activate' }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('reactivate' as const), token }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('deactivate' as const), token }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('validate' as const), token }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('limit' as const), limit: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('status' as const), status: fc.constantFrom(3, 5) }) },
  { weight: 1, arbitrary: fc.constant<Call>({ do: 'read' }) },
);
const clients = fc.record({
  limit: fc.nat(5),
  each: fc.array(fc.array(calls, { minLength: 1, maxLength: 5 }), {
    minLength: 2,
    maxLength: 5,
    size: 'max',
  }),
});

function ask(key: string, tokens: readonly string[], call: Call) {
  switch (call.do) {
    case 'activate':
      return api.call('POST', `/licenses/activate/${key}`);
    case 'reactivate':
      return api.call('GET', `/licenses/activate/${key}`, { query: { token: tokens[call.token] } });
    case 'deactivate':
    case 'validate':
      return api.call('GET', `/licenses/${call.do}/${tokens[call.token]}`);
    case 'limit':
      return api.call('PUT', `/licenses/${key}`, { json: { activations_limit: call.limit } });
    case 'status':
      return api.call('PUT', `/licenses/${key}`, { json: { status: call.status } });
    case 'read':
      return api.call('GET', `/licenses/${key}`);
  }
}

async function answered(key: string, tokens: readonly string[], call: Call): Promise<Answered> {
  const began = performance.now();
  const { status, body } = await ask(key, tokens, call);
  const ended = performance.now();
  const times = (body.data.license ?? body.data).times_activated;
  return { call, began, ended, outcome: status === 200 ? `200 ${times}` : `${status} ${body.code}` };
}

const read = (license: Record_) => `200 ${license.activations.length}`;

suite('concurrent clients', () => {
  test('get the answers of some sequential order, and leave the state of the same order', async (t) => {
    const tally: Tally = new Map();
    await holds(t, clients, RUNS, tally, async ({ limit, each }) => {
      const key = newKey();
      await api.license({ license_key: key, activations_limit: 0 });
      const tokens: string[] = [];
      for (let i = 0; i < TOKENS; i++) tokens.push((await api.activation(key)).token);
      await api.ok('GET', `/licenses/deactivate/${tokens.at(-1)}`);
      const valid = tokens.map((_, i) => i < TOKENS - 1);
      await api.ok('PUT', `/licenses/${key}`, { json: { activations_limit: limit } });
      const history = await Promise.all(
        each.map(async (sequence) => {
          const own: Answered[] = [];
          for (const call of sequence) own.push(await answered(key, tokens, call));
          return own;
        }),
      );
      const license = await api.ok('GET', `/licenses/${key}`);
      assert.equal(license.times_activated, license.activations.length);
      const all = history.flat();
      for (const { call, outcome } of all) count(tally, `${call.do} ${outcome.replace(/^200 .*/, '200')}`);
      const end = performance.now();
      const states = await Promise.all(
        tokens.map((_, i) => answered(key, tokens, { do: 'validate', token: i })),
      );
      const last: Answered = { call: { do: 'read' }, began: end, ended: end, outcome: read(license) };
      const whole = [...all, last, ...states];
      assert.ok(hasOrder({ valid, limit }, whole), JSON.stringify(whole));
      api.logs.length = 0;
    });
  });

  test('are reported by the search if no order explains their answers', () => {
    const one = (call: Call, began: number, ended: number, outcome: string): Answered => ({
      call,
      began,
      ended,
      outcome,
    });
    const first = { valid: [true, true, false], limit: 3 };
    const reads = (began: number, outcome: string) => one({ do: 'read' }, began, began, outcome);
    assert.ok(hasOrder(first, [one({ do: 'activate' }, 0, 2, '200 3'), reads(1, '200 2')]));
    assert.ok(hasOrder(first, [one({ do: 'activate' }, 0, 2, '200 3'), reads(1, '200 3')]));
    assert.ok(!hasOrder(first, [one({ do: 'activate' }, 0, 1, '200 3'), reads(2, '200 2')]));
    const both = [one({ do: 'activate' }, 0, 2, '200 3'), one({ do: 'activate' }, 0, 2, '200 4')];
    assert.ok(!hasOrder(first, both), 'above the limit');
    const twice = [0, 1].map(() => one({ do: 'deactivate', token: 0 }, 0, 2, '200 1'));
    assert.ok(!hasOrder(first, twice), 'deactivated twice');
  });
});
