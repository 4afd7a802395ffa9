import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { readEvents } from '../../../src/app/events/reading.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { toDatetime } from '../../../src/domain/datetime.ts';
import { actor } from '../../support/audited/audited.ts';
import { runSql } from '../../support/engine.ts';
import { eventsAt } from '../../support/events.ts';
import { basicHeader, type Record_ } from '../../support/http/api.ts';
import { type Running, startService } from '../../support/service.ts';

let now = Date.parse('2031-05-01T10:00:00Z');
const api = await startService({ after }, { clock: () => now });

const polled = (): Promise<Record_> =>
  api.ok('POST', '/events/endpoints', { json: { kind: 'poll', types: ['license.created'] } });
const read = (endpoint: Record_, query: Record<string, unknown> = {}): Promise<Record_> =>
  api.ok('GET', '/events', { query: { endpoint: endpoint.id, ...query } });
const seqs = ({ events }: Record_): number[] => events.map(({ seq }: Record_) => seq);
const remove = ({ id }: Record_) => api.ok('DELETE', `/events/endpoints/${id}`);

test('reading returns events in order from any number, whether there are more, and the oldest one retained', async () => {
  const endpoint = await polled();
  assert.deepEqual(await read(endpoint), { events: [], last_seq: 0, oldest_seq: null, more: false });
  for (let i = 0; i < 5; i++) await api.license({ order_id: i });
  const bodies = await eventsAt(api, endpoint.id);
  assert.deepEqual(await read(endpoint), { events: bodies, last_seq: 5, oldest_seq: 1, more: false });
  const some = await read(endpoint, { after: 1, limit: 2 });
  assert.deepEqual([seqs(some), some.more, some.last_seq], [[2, 3], true, 5]);
  assert.deepEqual(await read(endpoint, { after: 3, limit: 2 }), {
    events: bodies.slice(3),
    last_seq: 5,
    oldest_seq: 1,
    more: false,
  });
  assert.deepEqual(seqs(await read(endpoint, { after: 99 })), []);

  now += 86_400_000;
  await api.license();
  await eventsAt(api, endpoint.id);
  await api.service.execute('discard-old', { what: 'events', before: '2031-05-02 00:00:00' }, SYSTEM);
  const left = await read(endpoint);
  assert.deepEqual([seqs(left), left.oldest_seq, left.last_seq], [[6], 6, 6]);
  await api.service.execute('discard-old', { what: 'events', before: '2031-05-03 00:00:00' }, SYSTEM);
  assert.deepEqual(await read(endpoint), { events: [], last_seq: 6, oldest_seq: null, more: false });
  await remove(endpoint);
});

test('events from when the clock was ahead do not keep the others from being deleted', async () => {
  const endpoint = await polled();
  await runSql(
    api.dataDir,
    `insert into events (type, at, object, placed)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 5000)
      select 'license.created', '2032-01-01 00:00:00', 'license', 1 from n;
    insert into event_deliveries (endpoint_id, seq, event_id, state, due_at, attempts)
      select ${endpoint.id}, row_number() over (order by id) - 5000, id, 'kept', at, 0 from events
        where at > '2031-12-31 00:00:00'`,
  );
  await api.license();
  await eventsAt(api, endpoint.id);
  now += 86_400_000;
  await api.service.execute('discard-old', { what: 'events', before: toDatetime(now - 1_000) }, SYSTEM);
  const left = await read(endpoint);
  assert.deepEqual([seqs(left), left.oldest_seq, left.last_seq], [[], -4_999, 1]);
  await runSql(api.dataDir, "delete from events where at > '2031-12-31 00:00:00'");
  await remove(endpoint);
});

test('reading answers 422 to values out of range', async () => {
  const { id } = await polled();
  for (const [query, name] of [
    [{}, 'endpoint'],
    [{ endpoint: 'x' }, 'endpoint'],
    [{ endpoint: id, after: -1 }, 'after'],
    [{ endpoint: id, limit: 0 }, 'limit'],
    [{ endpoint: id, limit: 251 }, 'limit'],
    [{ endpoint: id, wait: 31 }, 'wait'],
    [{ endpoint: id, wait: '1s' }, 'wait'],
  ] as const) {
    const { data } = await api.fails(422, 'data_error', 'GET', '/events', { query });
    assert.deepEqual(Object.keys(data.params), [name]);
  }
  await api.fails(404, 'data_error', 'GET', '/events', { query: { endpoint: 999 } });
  await remove({ id });
});

/** Returns promises that resolve when a reader looks up its endpoint, and when it has its answer. */
function watch({ service }: Pick<Running, 'service'>) {
  const { endpoints, deliveries } = service.store.read;
  const seen = <Name extends string>(of: Record<Name, unknown>, name: Name) =>
    new Promise<void>((resolve) => {
      const own = of[name] as (...args: unknown[]) => unknown;
      of[name] = (...args: unknown[]) => {
        of[name] = own;
        resolve();
        return own.apply(of, args);
      };
    });
  return { looked: seen(endpoints, 'find'), answered: seen(deliveries, 'oldestSeq') };
}

test('a read with wait returns as soon as an event is there', { timeout: 25_000 }, async () => {
  const endpoint = await polled();
  const { looked } = watch(api);
  const waiting = read(endpoint, { wait: 30 });
  await looked;
  await api.license();
  await api.deliveries.work();
  assert.deepEqual(seqs(await waiting), [1]);
  assert.deepEqual(seqs(await read(endpoint, { wait: 30 })), [1]);
  await remove(endpoint);
});

test('a wait ends when the client disconnects or the endpoint is deleted', { timeout: 25_000 }, async () => {
  const endpoint = await polled();
  const { looked, answered } = watch(api);
  const client = new AbortController();
  const authorization = basicHeader(api.credentials);
  const url = `${api.root}/events?endpoint=${endpoint.id}&wait=30`;
  const gone = assert.rejects(fetch(url, { headers: { authorization }, signal: client.signal }));
  await looked;
  client.abort();
  await Promise.all([gone, answered]);
  const { looked: again } = watch(api);
  const refused = api.fails(404, 'data_error', 'GET', '/events', {
    query: { endpoint: endpoint.id, wait: 30 },
  });
  await again;
  await remove(endpoint);
  await refused;
  const none = { after: 0, limit: 1, wait: 30_000, signal: AbortSignal.abort() };
  const kept = await polled();
  const found = await readEvents(api.service.store.read, String(kept.id), none, actor);
  assert.ok(found.ok && found.value.events.length === 0);
  await remove(kept);
});

test('waiting reads are answered when the server stops', { timeout: 25_000 }, async () => {
  let stop = async (): Promise<void> => {};
  const stopping = await startService({ after: (ends) => (stop = ends) });
  const { id } = await stopping.ok('POST', '/events/endpoints', { json: { kind: 'poll' } });
  const { looked } = watch(stopping);
  const waiting = stopping.ok('GET', '/events', { query: { endpoint: id, wait: 30 } });
  await looked;
  await stop();
  assert.deepEqual(await waiting, { events: [], last_seq: 0, oldest_seq: null, more: false });
});
