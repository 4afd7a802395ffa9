import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { toMilliseconds } from '../../../src/domain/datetime.ts';
import { ATTEMPTS_MAX } from '../../../src/domain/events/delivery.ts';
import { EVENT_TYPES } from '../../../src/domain/events/event.ts';
import { signedIn } from '../../support/console/console.ts';
import { delivered } from '../../support/events.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startService } from '../../support/service.ts';

const START = '2031-05-20 10:00:00';
let now = toMilliseconds(START);
const api = await startService(
  { after },
  { clock: () => now, storage: { webhookNetworks: ['127.0.0.0/8'] } },
);
/** The status with which the receiver answers. */
let status = 200;
const receiver = await startReceiver({ after }, (from) => {
  if (status !== 200)
    from.end(`HTTP/1.1 ${status} No\r\nContent-Length: 5\r\nConnection: close\r\n\r\nsorry`);
  return status !== 200;
});
const url = `http://127.0.0.1:${receiver.port}/hook`;
let manager = await signedIn(api, 'manager');
/** Moves the clock and signs in again, because an old password confirmation does not count. */
async function goTo(datetime: string): Promise<void> {
  now = toMilliseconds(datetime);
  manager = await signedIn(api, 'manager');
}

const create = (values: object = {}) => manager.ok('POST', '/event-endpoints', { url, ...values });
const get = (id: number) => manager.ok('GET', `/event-endpoints/${id}`);
const deliveriesOf = async (id: number, query = ''): Promise<Record_[]> =>
  (await manager.ok('GET', `/event-endpoints/${id}/deliveries${query}`)).items;
const seqs = (deliveries: Record_[]): number[] => deliveries.map(({ seq }) => seq);
const send = () => delivered(api);
/** Returns the problems of a refused request, by parameter. */
async function reasonsOf(answer: ReturnType<typeof manager.post>): Promise<Record_> {
  const { status: refused, body } = await answer;
  assert.equal(refused, 422, JSON.stringify(body));
  return Object.fromEntries(
    Object.entries<Record_>(body.data.reasons).map(([name, { code, args }]) => [name, [code, args]]),
  );
}

beforeEach(async () => {
  await goTo(START);
  for (const { id } of (await manager.ok('GET', '/event-endpoints')).items)
    await manager.ok('DELETE', `/event-endpoints/${id}`);
  status = 200;
  receiver.seen.length = 0;
});

test('an endpoint is created, changed and deleted; its secret and headers are never shown again', async () => {
  const { endpoint, secret } = await create({
    ...{ description: 'CRM', types: ['license.created', 'license.deleted'], products: [7] },
    ...{ is_ordered: true, headers: { Authorization: 'Bearer hush' } },
  });
  assert.match(secret, /^whsec_/);
  const { id, public_key, etag } = endpoint;
  assert.deepEqual(endpoint, {
    ...{ id, kind: 'webhook', description: 'CRM', url, types: ['license.created', 'license.deleted'] },
    ...{ products: [7], is_ordered: true, format: 1, header_names: ['Authorization'], public_key },
    ...{ old_secret_until: null, state: 'enabled', disabled_as: null, needs_attention: false, last_seq: 0 },
    ...{ failures: 0, failing_since: null, paused_until: null, last_success_at: null },
    ...{ last_failure_at: null, last_error: null, created_at: '2031-05-20 10:00:00', updated_at: null },
    etag,
  });
  assert.match(public_key, /^whpk_/);
  const list = await manager.ok('GET', '/event-endpoints');
  const { days, ...listed } = list.items[0];
  assert.deepEqual([listed, list.types], [endpoint, EVENT_TYPES]);
  assert.deepEqual(
    [days.length, days[0], days[6].day],
    [7, { day: '2031-05-14', delivered: 0, failed: 0 }, '2031-05-20'],
  );

  const changed = await manager.ok('PATCH', `/event-endpoints/${id}`, {
    ...{ types: null, products: null, headers: { 'X-Team': 'hush' }, is_enabled: false },
  });
  assert.deepEqual(changed, {
    ...{
      ...endpoint,
      types: null,
      products: null,
      header_names: ['X-Team'],
      updated_at: endpoint.created_at,
    },
    ...{ state: 'disabled', disabled_as: 'person', etag: changed.etag },
  });
  assert.notEqual(changed.etag, etag);
  const rotated = await manager.ok('POST', `/event-endpoints/${id}/rotate-secret`);
  assert.match(rotated.secret, /^whsec_/);
  assert.notEqual(rotated.secret, secret);
  assert.equal(rotated.endpoint.old_secret_until, '2031-05-21 10:00:00');
  const details = await get(id);
  assert.deepEqual(details.endpoint, rotated.endpoint);
  for (const hidden of ['hush', secret, rotated.secret])
    assert.ok(!JSON.stringify([list, changed, details]).includes(hidden), hidden);
  const trail = await api.ok('GET', '/audit', { query: { subject: `event_endpoint:${id}` } });
  assert.deepEqual(
    trail.map(({ action, via }: Record_) => [action, via]),
    ['rotate_secret', 'update', 'create'].map((action) => [`event_endpoint.${action}`, 'console']),
  );
  assert.ok(!JSON.stringify(trail).includes('hush'));
  await manager.ok('DELETE', `/event-endpoints/${id}`);
  const path = `/event-endpoints/${id}`;
  for (const answer of [
    await manager.get(path),
    await manager.patch(path, { description: 'x' }),
    await manager.delete(path),
    await manager.post(`${path}/rotate-secret`),
    await manager.post(`${path}/test`),
    await manager.get(`${path}/deliveries`),
    await manager.get(`${path}/deliveries/1`),
    await manager.post(`${path}/redeliver`, { failed: true }),
  ])
    assert.deepEqual(
      [answer.status, answer.body.data.reason],
      [404, { code: 'event_endpoint_not_found', args: { named: String(id) } }],
    );
});

test('the answer names each invalid parameter', async () => {
  const wrong = (values: object) => reasonsOf(manager.post('/event-endpoints', { url, ...values }));
  assert.deepEqual(await wrong({ url: null }), { url: ['required', {}] });
  for (const [address, why] of [
    ['https://10.1.2.3/', 'address_not_allowed'],
    ['https://a:b@example.com/', 'has_credentials'],
  ])
    assert.deepEqual(await wrong({ url: address }), { url: ['address_refused', { why }] });
  assert.deepEqual(await wrong({ headers: { Host: 'x' } }), {
    headers: ['reserved_header', { name: 'Host' }],
  });
  assert.deepEqual(await wrong({ headers: { 'not a name': 'x' } }), { headers: ['not_headers', {}] });
  assert.deepEqual(Object.keys(await wrong({ types: ['license.sold'] })), ['types']);
  assert.deepEqual(await wrong({ types: [], products: [] }), {
    ...{ types: ['empty', {}], products: ['empty', {}] },
  });
  assert.deepEqual(await wrong({ kind: 'poll' }), { url: ['only_of_webhooks', {}] });
  const { endpoint, secret } = await create({ kind: 'poll', url: null });
  assert.equal(secret, null);
  const patched = manager.patch(`/event-endpoints/${endpoint.id}`, { is_ordered: true });
  assert.deepEqual(await reasonsOf(patched), { is_ordered: ['only_of_webhooks', {}] });
  const redeliver = (which: object) =>
    reasonsOf(manager.post(`/event-endpoints/${endpoint.id}/redeliver`, which));
  assert.deepEqual(await redeliver({}), { seq: ['one_redelivery', {}] });
  assert.deepEqual(await redeliver({ failed: true, from: 3 }), { seq: ['one_redelivery', {}] });
  assert.deepEqual(await redeliver({ from: 9, to: 2 }), { to: ['before_from', {}] });
});

test('a delivery shows the request as sent, without the signature and custom header values, and the answer', async () => {
  const { endpoint } = await create({ headers: { Authorization: 'Bearer hush' } });
  const license = await api.license();
  await manager.ok('POST', `/event-endpoints/${endpoint.id}/test`);
  await send();
  const [test, created, ...more] = await deliveriesOf(endpoint.id);
  assert.deepEqual(more, []);
  assert.deepEqual(created, {
    ...{ seq: 1, type: 'license.created', event_id: created.event_id, at: '2031-05-20 10:00:00' },
    ...{ state: 'delivered', attempts: 1, attempted_at: '2031-05-20 10:00:00', status: 200, error: null },
    ...{ ms: created.ms, next_attempt_at: null },
  });
  assert.deepEqual([test.seq, test.type, test.state], [2, 'endpoint.test', 'delivered']);

  const { request, answer, ...shown } = await manager.ok(
    'GET',
    `/event-endpoints/${endpoint.id}/deliveries/1`,
  );
  const seen = receiver.seen.find(({ headers }) => headers['webhook-id'] === created.event_id);
  assert.deepEqual([shown, answer, request.url, request.body], [created, 'thanks', url, seen?.body]);
  assert.equal(JSON.parse(request.body).data.id, license.id);
  const isHidden = (name: string) =>
    ['webhook-timestamp', 'webhook-signature', 'authorization'].includes(name);
  const sent = Object.entries(seen?.headers ?? {}).filter(([name]) => !/^(host|connection)$/.test(name));
  const byName = (one: string[], other: string[]) => (String(one[0]) < String(other[0]) ? -1 : 1);
  assert.deepEqual(
    request.headers.map(({ name, value }: Record_) => [name.toLowerCase(), value]).sort(byName),
    sent.map(([name, value]) => [name, isHidden(name) ? null : value]).sort(byName as never),
  );
  assert.equal((await manager.get(`/event-endpoints/${endpoint.id}/deliveries/3`)).status, 404);

  const { pending, failed, days, event_days, api_root } = await get(endpoint.id);
  assert.deepEqual([pending, failed, days.length, event_days], [0, 0, 30, 30]);
  assert.deepEqual(days.at(-1), { day: '2031-05-20', delivered: 2, failed: 0 });
  assert.match(api_root, /^http:.*\/wp-json\/dlm\/v1$/);
});

test('deliveries can be filtered, paged, and sent again: one, a range, or all that failed', async () => {
  const { endpoint } = await create({ types: ['license.created'] });
  for (const _ of [1, 2, 3, 4, 5]) await api.license();
  await send();
  assert.deepEqual(seqs(await deliveriesOf(endpoint.id)), [5, 4, 3, 2, 1]);
  const page = await manager.ok('GET', `/event-endpoints/${endpoint.id}/deliveries?limit=2&before=5`);
  assert.deepEqual([seqs(page.items), page.next], [[4, 3], 3]);
  const last = await manager.ok('GET', `/event-endpoints/${endpoint.id}/deliveries?limit=2&before=3`);
  assert.deepEqual([seqs(last.items), last.next], [[2, 1], null]);

  const again = (which: object) =>
    manager.ok('POST', `/event-endpoints/${endpoint.id}/redeliver`, which).then(({ count }) => count);
  assert.equal(await again({ seq: 2 }), 1);
  assert.equal(await again({ from: 4, to: 9 }), 2);
  assert.deepEqual(seqs(await deliveriesOf(endpoint.id, '?state=pending')), [5, 4, 2]);
  await send();
  assert.equal(receiver.seen.length, 8);

  status = 500;
  await manager.ok('POST', `/event-endpoints/${endpoint.id}/test`);
  await send();
  const newest = async () => (await deliveriesOf(endpoint.id, '?type=endpoint.test'))[0];
  const waiting = await newest();
  assert.deepEqual([waiting.state, waiting.status, waiting.attempts], ['pending', 500, 1]);
  for (let next = waiting; next.state === 'pending'; next = await newest()) {
    await goTo(next.next_attempt_at);
    await send();
  }
  const [failed] = await deliveriesOf(endpoint.id, '?state=failed');
  assert.deepEqual([failed.seq, failed.attempts, failed.next_attempt_at], [6, ATTEMPTS_MAX, null]);
  assert.equal((await get(endpoint.id)).failed, 1);
  status = 200;
  await manager.ok('PATCH', `/event-endpoints/${endpoint.id}`, { is_enabled: true });
  assert.equal(await again({ failed: true }), 1);
  await send();
  assert.equal((await get(endpoint.id)).failed, 0);
  const unknown = await manager.get(`/event-endpoints/${endpoint.id}/deliveries?state=lost&type=x`);
  assert.deepEqual([unknown.status, Object.keys(unknown.body.data.reasons)], [422, ['state', 'type']]);
});

test('an endpoint that fails, or that its receiver ended, needs attention', async () => {
  const { endpoint } = await create();
  const { id } = endpoint;
  const attention = async () =>
    (await manager.ok('GET', '/event-endpoints/attention')).items.map((one: Record_) => [one.id, one.state]);
  status = 503;
  for (let failures = 0; failures < 5; failures++) {
    assert.deepEqual(await attention(), []);
    await api.license();
    await send();
  }
  assert.deepEqual(await attention(), [[id, 'enabled']]);
  assert.equal((await get(id)).endpoint.last_error, 'the receiver answered 503');
  status = 410;
  await goTo('2031-05-21 10:00:00');
  await send();
  const gone = (await get(id)).endpoint;
  assert.deepEqual([gone.state, gone.disabled_as, gone.needs_attention], ['disabled', 'gone', true]);
  const refused = async (path: string, body?: object) =>
    (await manager.post(`/event-endpoints/${id}/${path}`, body)).body.data.reason.code;
  assert.equal(await refused('test'), 'event_endpoint_disabled');
  assert.equal(await refused('redeliver', { seq: 1 }), 'event_endpoint_disabled');
  // A user who disables the endpoint has seen the problem.
  await manager.ok('PATCH', `/event-endpoints/${id}`, { is_enabled: false });
  assert.deepEqual(await attention(), []);

  const polled = await create({ kind: 'poll', url: null });
  for (const [path, body] of [['redeliver', { seq: 1 }], ['rotate-secret']] as const)
    assert.equal(
      (await manager.post(`/event-endpoints/${polled.endpoint.id}/${path}`, body)).body.data.reason.code,
      'event_endpoint_polled',
    );
});

for (const role of ['support', 'viewer'] as const)
  test(`${role} can access neither endpoints nor their deliveries`, async () => {
    const client = await signedIn(api, role);
    const { endpoint } = await create();
    await api.license();
    await send();
    const path = `/event-endpoints/${endpoint.id}`;
    for (const answer of [
      await client.get('/event-endpoints'),
      await client.get('/event-endpoints/attention'),
      await client.get(path),
      await client.post('/event-endpoints', { url }),
      await client.patch(path, { description: 'x' }),
      await client.delete(path),
      await client.post(`${path}/rotate-secret`),
      await client.post(`${path}/test`),
      await client.get(`${path}/deliveries`),
      await client.get(`${path}/deliveries/1`),
      await client.post(`${path}/redeliver`, { seq: 1 }),
    ])
      assert.equal(answer.status, 403);
  });
