import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, beforeEach, suite, test } from 'node:test';
import { createDeliveries } from '../../../src/app/events/deliver.ts';
import { PLACED_AT_ONCE, placeAllEvents } from '../../../src/app/events/place-events.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { DAY_MS, toDatetime, toMilliseconds } from '../../../src/domain/datetime.ts';
import { readFigures } from '../../../src/installation/figures.ts';
import type { Api, Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { storeConfig } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { START, startWebhooks } from './webhooks.ts';

// Deliveries while something else happens: other processes, changes of the endpoint, a clock that jumps.

const { api, clock, answers, holds, respond, receiver, at, received, seqsAt, webhook, send } =
  await startWebhooks({ after, beforeEach });
const { execute } = api.service;
const SECOND = 1_000;

test('several processes together send each event once', async () => {
  const { path } = await webhook();
  for (let i = 0; i < 40; i++) await api.license();
  const others = [1, 2, 3].map(() => createDeliveries(api.service, assert.ifError));
  await Promise.all([api.deliveries, ...others].map((one) => one.work()));
  await send();
  assert.deepEqual(
    seqsAt(path).sort((one, other) => one - other),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
});

/** Holds the answers for a path. Resolves after the first request, to a function that sends the answers. */
async function holding(path: string) {
  const held: Socket[] = [];
  holds.set(path, held);
  await api.deliveries.work();
  await until(() => held.length > 0);
  return (answer: string) => {
    holds.delete(path);
    for (const one of held) respond(one, answer);
  };
}

suite('while a receiver has not answered yet', () => {
  test('a jump of the clock makes the same process send nothing twice', { timeout: 25_000 }, async () => {
    const { path } = await webhook({ isOrdered: true });
    for (let i = 0; i < 3; i++) await api.license();
    const release = await holding(path);
    clock.now += 3_600 * SECOND;
    await api.deliveries.work();
    release('200 OK');
    await send();
    assert.deepEqual(seqsAt(path), [1, 2, 3]);
  });
});

test('the log warns once of an endpoint that is stopped', async () => {
  const warnings = () =>
    api.logs.map((line) => JSON.parse(line)).filter(({ event }) => event === 'event_endpoint_stopped');
  const [gone, failing] = [await webhook(), await webhook()];
  answers.set(gone.path, '410 Gone');
  answers.set(failing.path, '500 Oops');
  for (let day = 0; day <= 7; day++) {
    await api.license();
    await send();
    clock.now += DAY_MS;
  }
  assert.deepEqual(
    warnings().map(({ endpoint, state }) => [endpoint, state]),
    [
      [gone.id, 'disabled'],
      [failing.id, 'failing'],
    ],
  );
  const stopped = async () => (await readFigures(storeConfig(api.dataDir), api.service)).stoppedEndpoints;
  assert.equal(await stopped(), 2);
  await gone.update({ isEnabled: false });
  await failing.update({ isEnabled: true });
  assert.equal(await stopped(), 0);
});

test('a 410 from the previous address does not stop an endpoint', { timeout: 25_000 }, async () => {
  const { path, update, state, delivery } = await webhook();
  await api.license();
  const release = await holding(path);
  await update({ url: at('/moved') });
  release('410 Gone');
  await send();
  const { state: became, failures } = await state();
  assert.deepEqual([became, failures, (await delivery(1))?.state], ['enabled', 0, 'delivered']);
  assert.deepEqual(seqsAt('/moved'), [1]);
});

test('what waits goes to a new address at once', async () => {
  const { path, update, state } = await webhook();
  answers.set(path, '500 Oops\r\nRetry-After: 3600');
  await api.license();
  await send();
  await update({ url: at(path) });
  await send();
  assert.deepEqual([seqsAt(path), (await state()).failures], [[1], 1]);
  await update({ url: at('/corrected') });
  await send();
  assert.deepEqual([seqsAt('/corrected'), (await state()).failures], [[1], 0]);
});

test('the headers of a new address do not go to the previous one', async () => {
  const { path, update } = await webhook({ headers: { Authorization: 'Bearer 1' } });
  await api.license();
  const { store } = api.service;
  const endpoints: typeof store.read.endpoints = {
    ...store.read.endpoints,
    async secrets(id) {
      await update({ url: at('/next'), headers: { Authorization: 'Bearer 2' } });
      return store.read.endpoints.secrets(id);
    },
  };
  const changing = { ...store, read: { ...store.read, endpoints } };
  await createDeliveries({ ...api.service, store: changing }, assert.ifError).work();
  await send();
  const sent = receiver.seen.filter(({ url }) => url === path || url === '/next');
  assert.deepEqual(
    sent.map(({ url, headers }) => [url, headers.authorization]),
    [['/next', 'Bearer 2']],
  );
});

test('sending begins before all events have their numbers', async () => {
  await webhook();
  for (let i = 0; i <= PLACED_AT_ONCE; i++) await api.license();
  const ran: string[] = [];
  const counted: typeof execute = (name, ...rest) => {
    ran.push(name);
    return execute(name, ...rest);
  };
  await createDeliveries({ ...api.service, execute: counted }, assert.ifError).work();
  assert.deepEqual(ran.slice(0, 2), ['place-events', 'lease-event-endpoints']);
  await send();
});

test('a process that died while its clock was ahead blocks an endpoint no longer than any other', {
  timeout: 25_000,
}, async () => {
  const { path } = await webhook();
  await api.license();
  await placeAllEvents(execute);
  clock.now += DAY_MS;
  await execute(
    'lease-event-endpoints',
    { holder: 'dead', until: toDatetime(clock.now + 30_000), busy: [] },
    SYSTEM,
  );
  clock.now -= DAY_MS;
  await api.deliveries.work();
  await until(() => received(path).length === 1);
  await send();
});

test('a pause that a clock ahead has set holds no event back once the clock is right', async () => {
  const [asked, ordered] = [await webhook(), await webhook({ isOrdered: true })];
  answers.set(asked.path, '503 Busy\r\nRetry-After: 60');
  answers.set(ordered.path, '500 Oops');
  clock.now += 3 * DAY_MS;
  await api.license();
  await send();
  clock.now = START;
  answers.clear();
  await api.license();
  await send();
  assert.deepEqual(
    [seqsAt(asked.path), seqsAt(ordered.path)],
    [
      [1, 2],
      [1, 1, 2],
    ],
  );
});

test('an event is retried although another one was given up long before', async () => {
  const { path, state, delivery } = await webhook();
  answers.set(path, '400 No');
  await api.license();
  await send();
  for (let waits = 0; (await delivery(1))?.state === 'pending'; waits++) {
    assert.ok(waits < 20);
    const next = [(await delivery(1))?.dueAt, (await state()).pausedUntil].map((at) =>
      at ? toMilliseconds(at) : 0,
    );
    clock.now = Math.max(clock.now, ...next);
    await send();
  }
  clock.now += 27 * DAY_MS;
  await api.license();
  await send();
  const { state: became, failures } = await state();
  assert.deepEqual([became, failures], ['enabled', 1]);
  answers.delete(path);
  clock.now += 6 * SECOND;
  await send();
  assert.equal((await delivery(2))?.state, 'delivered');
});

test('an API key limited to products sees and sends no event of others that an endpoint had before', async () => {
  const { id, path, update, delivery } = await webhook({ types: null });
  const [own, two] = [{ product_id: 7 }, { product_id: 71 }];
  const partner = await withApiKey(api, { products: [7, 8] });
  const endpoint = `/events/endpoints/${id}`;
  for (const values of [{}, two, own, two]) await api.license(values);
  const { license_key: leaving } = await api.license(own);
  await api.ok('PUT', `/licenses/${leaving}`, { json: two });
  await send();
  answers.set(path, '500 Oops');
  for (const values of [two, own]) await api.license(values);
  await send();
  await update({ products: [7] });
  await api.ok('POST', `${endpoint}/test`);
  await api.deliveries.work();

  const seqs = (rows: Record_[]) => rows.map(({ seq }) => seq);
  const read = async (query: object, by: Pick<Api, 'ok'> = partner) => {
    const page = await by.ok('GET', '/events', { query: { endpoint: id, ...query } });
    return [seqs(page.events), page.last_seq, page.more];
  };
  assert.deepEqual(await read({}, api), [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 10, false]);
  assert.deepEqual(await read({}), [[4, 6, 7, 9, 10], 10, false]);
  assert.deepEqual(await read({ limit: 2 }), [[4, 6], 10, true]);
  const deliveries = () => partner.ok('GET', `${endpoint}/deliveries`);
  assert.deepEqual(seqs(await deliveries()), [10, 9, 7, 6, 4]);

  const again = (json: object) => partner.ok('POST', `${endpoint}/redeliver`, { json });
  assert.deepEqual(await again({ from: 1, to: 7 }), { redelivered: 3 });
  assert.deepEqual(await again({ seq: 3 }), { redelivered: 0 });
  await partner.ok('PUT', endpoint, { json: { url: at('/partner') } });
  await send();
  assert.deepEqual(
    seqsAt('/partner').sort((one, other) => one - other),
    [4, 6, 7, 9, 10],
  );
  assert.deepEqual((await delivery(8))?.state, 'failed');
});
