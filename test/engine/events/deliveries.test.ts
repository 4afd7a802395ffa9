import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, beforeEach, suite, test } from 'node:test';
import { redeliver } from '../../../src/app/events/deliveries.ts';
import { placeAllEvents } from '../../../src/app/events/place-events.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { DAY_MS, toDatetime, toMilliseconds } from '../../../src/domain/datetime.ts';
import { ATTEMPTS_MAX, BREAKER_FAILURES } from '../../../src/domain/events/delivery.ts';
import { keepHouse } from '../../../src/server/housekeeping.ts';
import { actor, audited } from '../../support/audited/audited.ts';
import { numberOf } from '../../support/engine.ts';
import { silent } from '../../support/log.ts';
import { START, startWebhooks } from './webhooks.ts';

const { api, clock, answers, receiver, at, received, seqsAt, webhook, send, later } = await startWebhooks({
  after,
  beforeEach,
});
const { execute, store } = api.service;
const { must } = audited(api);
const SECOND = 1_000;
/** Seconds from now. */
const fromNow = (datetime: string | null | undefined): number =>
  datetime ? (toMilliseconds(datetime) - clock.now) / SECOND : Number.NaN;
const within = (value: number, low: number, high: number): void =>
  assert.ok(value >= low && value <= high, `${value} is not from ${low} to ${high}`);

test('an event is sent once, signed, with its headers, and the answer is kept', async () => {
  const { id, path, secret, delivery, state } = await webhook({ headers: { Authorization: 'Bearer 1' } });
  await api.license();
  await send();
  await later(60);
  const [request, ...more] = receiver.seen.filter(({ url }) => url === path);
  assert.ok(request);
  assert.deepEqual([request.method, more], ['POST', []]);
  const { headers, body } = request;
  assert.equal(headers.authorization, 'Bearer 1');
  assert.match(String(headers['content-type']), /^application\/json/);
  const { type, seq, id: eventId } = JSON.parse(body);
  assert.deepEqual([type, seq, eventId], ['license.created', 1, headers['webhook-id']]);
  const key = Buffer.from(String(secret).replace('whsec_', ''), 'base64');
  const content = `${eventId}.${START / SECOND}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')} v1a,`;
  assert.ok(String(headers['webhook-signature']).startsWith(signature));
  const { state: became, attempts, status, answer } = (await delivery(1)) ?? {};
  assert.deepEqual([became, attempts, status, answer], ['delivered', 1, 200, 'thanks']);
  assert.equal((await state()).lastSuccessAt, '2031-05-01 10:00:00');
  assert.deepEqual(await store.read.deliveries.counts(id, '2031-05-01'), [
    { day: '2031-05-01', delivered: 1, failed: 0 },
  ]);
});

suite('a failed delivery', () => {
  test('is retried on schedule, and given up after the last attempt', async () => {
    const { path, id, named, delivery, state } = await webhook();
    answers.set(path, '500 Oops');
    await api.license();
    await send();
    const first = await delivery(1);
    assert.deepEqual([first?.state, first?.attempts, first?.status], ['pending', 1, 500]);
    within(fromNow(first?.dueAt), 4, 6);
    await later(3);
    assert.equal(received(path).length, 1);
    await later(3);
    assert.equal(received(path).length, 2);
    within(fromNow((await delivery(1))?.dueAt), 240, 360);
    for (let attempt = 3; attempt <= ATTEMPTS_MAX; attempt++) {
      await later(Math.max(fromNow((await delivery(1))?.dueAt), fromNow((await state()).pausedUntil) || 0));
      assert.equal(received(path).length, attempt);
    }
    within((clock.now - START) / DAY_MS, 2.4, 4);
    assert.equal((await delivery(1))?.state, 'failed');
    await later(30 * 3_600);
    assert.equal(received(path).length, ATTEMPTS_MAX);
    assert.deepEqual((await state()).lastError, 'the receiver answered 500');
    assert.deepEqual(await store.read.deliveries.backlog(id, 10), { pending: 0, failed: 1 });

    answers.delete(path);
    const again = await redeliver(store.read, execute, named, 'failed', actor);
    assert.deepEqual(again, { ok: true, value: 1 });
    await must(execute('update-event-endpoint', { named, changes: { isEnabled: true } }, actor));
    await send();
    assert.equal((await delivery(1))?.state, 'delivered');
    const bodies = new Set(received(path).map((body) => JSON.stringify(body)));
    assert.equal(bodies.size, 1);
  });

  test('waits for as long as the receiver asks', async () => {
    const { path, delivery, state } = await webhook();
    answers.set(path, '503 Busy\r\nRetry-After: 3600');
    clock.now += 900;
    await api.license();
    await send();
    within(fromNow((await delivery(1))?.dueAt), 3_600, 3_601);
    within(fromNow((await state()).pausedUntil), 3_600, 3_601);
  });

  test('makes the endpoint wait although other requests of the same turn end later', async () => {
    const { id, url, state } = await webhook();
    for (let i = 0; i < 3; i++) await api.license();
    await placeAllEvents(execute);
    /** Records a turn: the status and `Retry-After` of each request, in the order in which they ended. */
    const turn = (...answered: [status: number, retryAfter?: number][]) => {
      const attempts = answered.map(([status, retryAfter = null], i) => ({
        ...{ seq: i + 1, attempts: 1, at: toDatetime(clock.now), status, retryAfter },
        ...{ error: null, answer: '', ms: 1 },
      }));
      const lease = { id, url, holder: 'one', until: toDatetime(clock.now) };
      return execute('finish-deliveries', { ...lease, attempts }, SYSTEM);
    };
    await turn([503, 3_600], [503, 60], [200]);
    const { failures, failingSince, pausedUntil } = await state();
    assert.deepEqual([failures, failingSince, fromNow(pausedUntil)], [0, null, 3_600]);
    await turn([500], [200], [500]);
    assert.deepEqual([(await state()).failures, (await state()).pausedUntil], [1, null]);
    clock.now += 5 * DAY_MS;
    await turn([500], [200]);
    assert.deepEqual([(await state()).failures, (await state()).state], [0, 'enabled']);
    await turn([410], [200]);
    assert.equal((await state()).state, 'disabled');
  });

  test('can be a redirect, too', async () => {
    const { path, delivery } = await webhook();
    answers.set(path, `302 Found\r\nLocation: ${at('/elsewhere')}`);
    await api.license();
    await send();
    assert.deepEqual([(await delivery(1))?.status, received('/elsewhere').length], [302, 0]);
  });

  test('pauses a broken receiver after several failures, and then tries with one request', async () => {
    const { path, state, delivery } = await webhook();
    answers.set(path, '500 Oops');
    for (let i = 0; i < 20; i++) await api.license();
    await send();
    while ((await state()).failures < BREAKER_FAILURES) await later(1);
    const { pausedUntil, failures } = await state();
    within(fromNow(pausedUntil), 24, 36);
    const before = received(path).length;
    await later(Math.ceil(fromNow(pausedUntil)));
    assert.equal(received(path).length, before + 1);
    assert.equal((await state()).failures, failures + 1);
    answers.delete(path);
    await later(2 * 3_600);
    assert.equal((await state()).failures, 0);
    for (let seq = 1; seq <= 20; seq++) assert.equal((await delivery(seq))?.state, 'delivered');
  });

  test('stops the endpoint after days, loses no event, and is sent when the endpoint is enabled again', async () => {
    const { path, state, update, delivery } = await webhook();
    answers.set(path, '500 Oops');
    await api.license();
    for (let day = 0; day <= 5; day++) {
      await api.license();
      await later(DAY_MS / SECOND);
    }
    assert.equal((await state()).state, 'failing');
    const before = received(path).length;
    await api.license();
    await later(DAY_MS / SECOND);
    assert.equal(received(path).length, before);
    answers.delete(path);
    await update({ isEnabled: true });
    await send();
    assert.equal((await state()).lastSeq, 8);
    for (let seq = 1; seq <= 8; seq++) assert.equal((await delivery(seq))?.state, 'delivered');
  });
});

test('a receiver that answers 410 gets no more requests', async () => {
  const { id, path, state } = await webhook();
  answers.set(path, '410 Gone');
  await api.license();
  await send();
  await api.license();
  await later(DAY_MS / SECOND);
  const { state: became, disabledAs, lastSeq } = await state();
  assert.deepEqual([became, disabledAs, lastSeq, received(path).length], ['disabled', 'gone', 1, 1]);
  assert.deepEqual(await redeliver(store.read, execute, String(id), { from: 1, to: 1 }, actor), {
    ok: false,
    refusal: { code: 'event_endpoint_disabled', args: {} },
  });
});

suite('an ordered endpoint', () => {
  test('sends each event only after the previous one was delivered', async () => {
    const { path } = await webhook({ isOrdered: true });
    for (let i = 0; i < 3; i++) await api.license();
    answers.set(path, '500 Oops');
    await send();
    await later(1);
    assert.deepEqual(seqsAt(path), [1]);
    await api.license();
    await later(6);
    assert.deepEqual(seqsAt(path), [1, 1]);
    answers.delete(path);
    await later(400);
    assert.deepEqual(seqsAt(path), [1, 1, 1, 2, 3, 4]);
  });

  test('gives no event up, and is stopped after days like any other', async () => {
    const { path, state, delivery, update } = await webhook({ isOrdered: true });
    for (let i = 0; i < 2; i++) await api.license();
    answers.set(path, '500 Oops');
    await send();
    for (let i = 0; (await state()).state === 'enabled'; i++) {
      assert.ok(i < 20);
      await later(Math.max(fromNow((await state()).pausedUntil), 1));
    }
    const { state: waits, attempts = 0 } = (await delivery(1)) ?? {};
    assert.deepEqual([waits, (await state()).state], ['pending', 'failing']);
    assert.ok(attempts > ATTEMPTS_MAX);
    assert.deepEqual(seqsAt(path), Array(attempts).fill(1));
    const moved = `${path}/moved`;
    await update({ url: at(moved) });
    await send();
    assert.deepEqual([seqsAt(moved), (await state()).state], [[1, 2], 'enabled']);
  });

  test('sends pending events in order as soon as the option is set', async () => {
    const { path, update } = await webhook();
    answers.set(path, '500 Oops');
    for (let i = 0; i < 6; i++) await api.license();
    await send();
    answers.delete(path);
    const before = seqsAt(path).length;
    await update({ isOrdered: true, isEnabled: true });
    await send();
    assert.deepEqual(seqsAt(path).slice(before), [1, 2, 3, 4, 5, 6]);
  });

  test('that is not ordered any more sends its other events although one has failed', async () => {
    const { path, update, state } = await webhook({ isOrdered: true });
    answers.set(path, '500 Oops');
    for (let i = 0; i < 3; i++) await api.license();
    await send();
    await later(6);
    within(fromNow((await state()).pausedUntil), 240, 360);
    answers.delete(path);
    await update({ isOrdered: false });
    await send();
    assert.deepEqual(seqsAt(path).sort(), [1, 1, 1, 2, 3]);
  });
});

test('redelivery of a range sends only the events in the range', async () => {
  const { path, named } = await webhook();
  for (let i = 0; i < 5; i++) await api.license();
  await send();
  const again = await redeliver(store.read, execute, named, { from: 2, to: 3 }, actor);
  assert.deepEqual(again, { ok: true, value: 2 });
  await send();
  assert.deepEqual(seqsAt(path).sort(), [1, 2, 2, 3, 3, 4, 5]);
  const none = await redeliver(store.read, execute, named, { from: 9, to: 99 }, actor);
  assert.deepEqual(none, { ok: true, value: 0 });
});

test('a test event goes to one endpoint, whatever types it has chosen', async () => {
  const [one, other] = [await webhook({ types: ['release.yanked'] }), await webhook()];
  await must(execute('send-test-event', { named: one.named }, actor));
  await send();
  assert.deepEqual(
    received(one.path).map(({ type }) => type),
    ['endpoint.test'],
  );
  assert.deepEqual(received(other.path), []);
});

test('the previous secret signs, too, for a day after a rotation', async () => {
  const { path, named, secret } = await webhook();
  await must(execute('rotate-event-secret', { named }, actor));
  await api.license();
  await send();
  await api.license();
  await later((2 * DAY_MS) / SECOND);
  const counts = receiver.seen
    .filter(({ url }) => url === path)
    .map(({ headers }) => String(headers['webhook-signature']).match(/v1,/g)?.length);
  assert.deepEqual(counts, [2, 1]);
  const stored = await store.read.endpoints.secrets(Number(named));
  assert.equal(stored?.oldSecret, secret);
});

test('old events are deleted even if undelivered, as are the rows of deleted endpoints', async () => {
  clock.now += 100 * DAY_MS;
  const [dead, gone] = [await webhook(), await webhook()];
  answers.set(dead.path, '500 Oops');
  for (let i = 0; i < 3; i++) await api.license();
  await send();
  clock.now += 20 * DAY_MS;
  await api.license();
  await send();
  await must(execute('delete-event-endpoint', { named: gone.named }, actor));
  clock.now += 11 * DAY_MS;
  await keepHouse(api.service, { downloadDays: 0, eventDays: 30, trashDays: 30 }, silent);
  const count = (table: string) => numberOf(api.dataDir, `select count(*) from ${table}`);
  assert.deepEqual([await count('event_deliveries'), await count('events')], [1, 1]);
  assert.equal((await dead.state()).lastSeq, 4);
});
