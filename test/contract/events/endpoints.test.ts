import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { CLIENT_PRESET } from '../../../src/domain/api-key.ts';
import { runSql } from '../../support/engine.ts';
import { eventsAt } from '../../support/events.ts';
import type { Api, CallOptions, Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const api = await startService(
  { after },
  { clock: () => Date.parse('2031-05-01T10:00:00Z'), storage: { webhookNetworks: ['127.0.0.1/32'] } },
);
const receiver = await startReceiver({ after });
const address = (path = '/hook') => `http://127.0.0.1:${receiver.port}${path}`;

const create = (json: Record<string, unknown>, by: Api = api): Promise<Record_> =>
  by.ok('POST', '/events/endpoints', { json });
const polled = (values = {}) => create({ kind: 'poll', types: ['license.created'], ...values });
const at = ({ id }: Record_, below = ''): string => `/events/endpoints/${id}${below}`;
const remove = (endpoint: Record_) => api.ok('DELETE', at(endpoint));

type Call = [method: string, path: string, options?: CallOptions];
const READS = ({ id }: Record_): Call[] => [
  ['GET', '/events', { query: { endpoint: id } }],
  ['GET', at({ id }, '/deliveries')],
];
const MANAGES = ({ id }: Record_): Call[] => [
  ['GET', '/events/endpoints'],
  ['GET', at({ id })],
  ['POST', '/events/endpoints', { json: { kind: 'poll' } }],
  ['PUT', at({ id }), { json: { description: 'New' } }],
  ['PATCH', at({ id }), { json: { description: 'New' } }],
  ['POST', at({ id }), { json: { description: 'New' } }],
  ['POST', at({ id }, '/secret')],
  ['POST', at({ id }, '/test')],
  ['POST', at({ id }, '/redeliver'), { json: { failed: true } }],
  ['DELETE', at({ id })],
];

suite('permissions of event endpoints', () => {
  test('requests need credentials and an API key with events.read or events.manage', async () => {
    const endpoint = await create({ url: address() });
    const [reads, manages] = [READS(endpoint), MANAGES(endpoint)];
    const reader = await withApiKey(api, { endpoints: ['events.read'] });
    const manager = await withApiKey(api, { endpoints: ['events.manage'] });
    const readOnly = await withApiKey(api, { permission: 'read' });
    const client = await withApiKey(api, CLIENT_PRESET);
    const refused = (status: number, by: Api, [method, path, options]: Call) =>
      by.fails(status, status === 401 ? 'authentication_error' : 'permission_denied', method, path, options);
    for (const [method, path, options] of [...reads, ...manages])
      await api.fails(401, 'authentication_error', method, path, { ...options, credentials: null });
    for (const call of [...reads, ...manages]) {
      const isRead = reads.includes(call);
      await refused(call[0] === 'GET' ? 403 : 401, client, call);
      if (call[0] !== 'GET') await refused(401, readOnly, call);
      await refused(403, isRead ? manager : reader, call);
      const { status } = await (isRead ? reader : manager).call(...call);
      assert.equal(status, 200, call.join(' '));
    }
    await api.fails(404, 'data_error', 'GET', at(endpoint));
  });

  test('an API key limited to products sees and creates endpoints of these products only', async () => {
    const limited = await withApiKey(api, { products: [7, 8] });
    const own = await create({ kind: 'poll' }, limited);
    assert.deepEqual(own.products, [7, 8]);
    const others = [await polled(), await polled({ products: [7, 9] })];
    assert.deepEqual(
      (await limited.ok('GET', '/events/endpoints')).map(({ id }: Record_) => id),
      [own.id],
    );
    for (const other of others)
      for (const [method, path, options] of [...READS(other), ...MANAGES(other)])
        if (path.includes(String(other.id)) || path === '/events')
          await limited.fails(404, 'data_error', method, path, options);
    for (const [method, path] of [
      ['POST', '/events/endpoints'],
      ['PUT', at(own)],
    ] as const) {
      const json = { kind: 'poll', products: [7, 9] };
      const { data } = await limited.fails(422, 'data_error', method, path, { json });
      assert.deepEqual(Object.keys(data.params), ['products']);
    }
    await api.license({ product_id: 9 });
    const { license_key } = await api.license({ product_id: 8 });
    assert.equal((await eventsAt(api, own.id)).length, 1);
    const { events } = await limited.ok('GET', '/events', { query: { endpoint: own.id } });
    assert.deepEqual([events[0].data.product_id, events[0].data.license_key], [8, undefined]);
    assert.ok(!JSON.stringify(events).includes(license_key));
    for (const one of [own, ...others]) await remove(one);
  });

  for (const named of ['999', 'x', '0', '-1'])
    test(`an endpoint ${named} does not exist: 404`, async () => {
      for (const [method, path, options] of [...MANAGES({ id: named }), ...READS({ id: named }).slice(1)])
        if (path !== '/events/endpoints') await api.fails(404, 'data_error', method, path, options);
    });
});

suite('an endpoint', () => {
  const SECRET = 'Bearer not-shown-again';

  test('is created, read, changed and deleted; its secret and header values are never shown again', async () => {
    const json = { url: address(), description: 'Shop', headers: { Authorization: SECRET, 'X-Shop': '7' } };
    const { secret, ...made } = await create({ ...json, types: 'license.created,license.deleted' });
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.match(made.public_key, /^whpk_[A-Za-z0-9+/]{43}=$/);
    assert.deepEqual(
      [made.kind, made.url, made.types, made.products, made.header_names],
      ['webhook', json.url, ['license.created', 'license.deleted'], null, ['Authorization', 'X-Shop']],
    );
    assert.deepEqual(
      [made.is_ordered, made.format, made.state, made.last_seq, made.created_by, made.updated_at],
      [false, 1, 'enabled', 0, 1, null],
    );
    const answers = [await api.ok('GET', at(made)), ...(await api.ok('GET', '/events/endpoints'))];
    assert.deepEqual(answers[0], made);
    for (const [method, sent] of [
      ['PUT', { types: null, products: [7], is_ordered: true }],
      ['PATCH', { headers: { 'X-Other': SECRET } }],
      ['POST', { description: '', is_enabled: false }],
      ['PUT', {}],
    ] as const)
      answers.push(await api.ok(method, at(made), { json: sent }));
    const { types, products, is_ordered, header_names, description, state, disabled_as } = answers.at(-1);
    assert.deepEqual([types, products, is_ordered, header_names], [null, [7], true, ['X-Other']]);
    assert.deepEqual([description, state, disabled_as], ['', 'disabled', 'person']);
    answers.push(await api.ok('GET', at(made)), ...(await api.ok('GET', '/audit')));
    const shown = JSON.stringify(answers) + api.logs.join('');
    for (const hidden of [secret, 'whsec_', 'whsk_', SECRET]) assert.ok(!shown.includes(hidden), hidden);
    assert.deepEqual(await remove(made), []);
    await api.fails(404, 'data_error', 'GET', at(made));
    await api.fails(404, 'data_error', 'DELETE', at(made));
  });

  test('rejects invalid values and names them', async () => {
    const webhook = await create({ url: address(), headers: { Authorization: SECRET } });
    const poll = await polled();
    const names = async (method: string, path: string, json: object) =>
      Object.keys((await api.fails(422, 'data_error', method, path, { json })).data.params).join();
    const url = address();
    for (const [json, params] of [
      [{}, 'url'],
      [{ url: 'nowhere' }, 'url'],
      [{ url: 'https://10.0.0.1/hook' }, 'url'],
      [{ url: 'https://user:password@example.com' }, 'url'],
      [{ kind: 'post', url }, 'kind'],
      [{ kind: 'poll', url }, 'url'],
      [{ kind: 'poll', is_ordered: true }, 'is_ordered'],
      [{ kind: 'poll', headers: { A: 'b' } }, 'headers'],
      [{ url, types: ['license.lost'], products: ['x'] }, 'types,products'],
      [{ url, types: [] }, 'types'],
      [{ url, headers: { Host: 'x' } }, 'headers'],
      [{ url, headers: { 'webhook-id': 'x' } }, 'headers'],
      [{ url, headers: { A: 'a\r\nB: b' } }, 'headers'],
      [{ url, headers: 'A: b' }, 'headers'],
      [{ url, description: 'x'.repeat(256), is_enabled: 'maybe' }, 'description,is_enabled'],
    ] as const)
      assert.equal(await names('POST', '/events/endpoints', json), params, JSON.stringify(json));
    for (const [endpoint, json, params] of [
      [webhook, { url: null }, 'url'],
      [webhook, { url: 'https://[::1]/' }, 'url'],
      // The stored headers hold credentials for the previous receiver.
      [webhook, { url: 'https://elsewhere.example/hook' }, 'headers'],
      [webhook, { is_enabled: null }, 'is_enabled'],
      [poll, { url }, 'url'],
    ] as const)
      assert.equal(await names('PUT', at(endpoint), json), params, JSON.stringify(json));
    await api.fails(400, 'rest_invalid_json', 'POST', '/events/endpoints', {
      raw: { body: '{', type: 'application/json' },
    });
    assert.deepEqual(await api.ok('GET', at(poll)), (({ secret: _, ...rest }) => rest)(poll));
    // Clients send whole records back.
    await api.ok('PUT', at(poll), { json: poll });
    for (const one of [webhook, poll]) await remove(one);
  });

  test('gets a new secret, shown once; the old secret signs for one more day', async () => {
    const { secret, ...made } = await create({ url: address() });
    const { secret: next, ...rotated } = await api.ok('POST', at(made, '/secret'));
    assert.match(next, /^whsec_/);
    assert.notEqual(next, secret);
    assert.equal(rotated.old_secret_until, '2031-05-02 10:00:00');
    assert.equal(rotated.public_key, made.public_key);
    assert.deepEqual(await api.ok('GET', at(made)), rotated);
    const poll = await polled();
    await api.fails(409, 'data_error', 'POST', at(poll, '/secret'));
    for (const one of [made, poll]) await remove(one);
  });

  test('gets a test event whatever types it has chosen, unless it is disabled', async () => {
    const poll = await polled();
    assert.deepEqual(await api.ok('POST', at(poll, '/test')), []);
    const [event] = await eventsAt(api, poll.id);
    assert.deepEqual([event.type, event.data.object, event.data.id], ['endpoint.test', 'endpoint', poll.id]);
    await api.ok('PUT', at(poll), { json: { is_enabled: 'no' } });
    await api.fails(409, 'data_error', 'POST', at(poll, '/test'));
    await remove(poll);
  });
});

test('deliveries are listed with their answers and can be sent again by seq, by range or if they failed', async () => {
  const endpoint = await create({ url: address('/again'), types: ['license.created'] });
  const listed = (query = {}): Promise<Record_[]> => api.ok('GET', at(endpoint, '/deliveries'), { query });
  const received = () => receiver.seen.filter(({ url }) => url === '/again');
  const sent = async (count: number) => {
    await until(async () => {
      await api.deliveries.work();
      return received().length >= count && (await listed({ state: 'pending' })).length === 0;
    });
    assert.equal(received().length, count);
  };
  for (let i = 0; i < 3; i++) await api.license();
  await eventsAt(api, endpoint.id);
  await sent(3);
  const all = await listed();
  assert.deepEqual(
    all.map(({ seq, state, attempts, status, answer, error, due_at }) => [
      seq,
      state,
      attempts,
      status,
      answer,
      error,
      due_at,
    ]),
    [3, 2, 1].map((seq) => [seq, 'delivered', 1, 200, 'thanks', null, null]),
  );
  const { events } = await api.ok('GET', '/events', { query: { endpoint: endpoint.id } });
  assert.deepEqual(
    all.map(({ event_id, type, object, object_id }) => [event_id, type, object, object_id]),
    events.toReversed().map(({ id, type, data }: Record_) => [id, type, data.object, data.id]),
  );
  const ids = received()
    .map(({ headers }) => headers['webhook-id'])
    .toSorted();
  assert.deepEqual(ids, events.map(({ id }: Record_) => id).toSorted());

  const { body, headers } = await api.call('GET', at(endpoint, '/deliveries?per_page=2'));
  assert.deepEqual(body.data, all.slice(0, 2));
  const next = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
  const last = await api.call('GET', next.slice(api.root.length));
  assert.deepEqual([last.body.data, last.headers.get('link')], [all.slice(2), null]);
  assert.deepEqual(await listed({ type: 'license.deleted' }), []);
  await api.fails(422, 'data_error', 'GET', at(endpoint, '/deliveries?state=lost'));
  await api.fails(400, 'rest_invalid_param', 'GET', at(endpoint, '/deliveries?per_page=0'));

  const redeliver = (json: object) => api.ok('POST', at(endpoint, '/redeliver'), { json });
  assert.deepEqual(await redeliver({ seq: 2 }), { redelivered: 1 });
  assert.deepEqual(
    (await listed({ state: 'pending' })).map(({ seq, attempts }) => [seq, attempts]),
    [[2, 0]],
  );
  assert.deepEqual(await redeliver({ seq: 2 }), { redelivered: 0 });
  await sent(4);
  assert.equal(received()[3]?.headers['webhook-id'], events[1].id);
  assert.deepEqual(await redeliver({ from: 2, to: 99 }), { redelivered: 2 });
  await sent(6);
  assert.deepEqual(await redeliver({ failed: true }), { redelivered: 0 });
  await runSql(
    api.dataDir,
    `update event_deliveries set state = 'failed' where endpoint_id = ${endpoint.id}`,
  );
  assert.deepEqual(await redeliver({ failed: true }), { redelivered: 3 });
  await sent(9);
  for (const [json, name] of [
    [{}, 'seq'],
    [{ seq: 1, failed: true }, 'seq'],
    [{ seq: 1, from: 1, to: 2 }, 'seq'],
    [{ seq: 0 }, 'seq'],
    [{ to: 2 }, 'from'],
    [{ from: 2 }, 'to'],
    [{ from: 2, to: 1 }, 'to'],
  ] as const) {
    const { data } = await api.fails(422, 'data_error', 'POST', at(endpoint, '/redeliver'), { json });
    assert.deepEqual(Object.keys(data.params), [name], JSON.stringify(json));
  }
  await api.ok('PUT', at(endpoint), { json: { is_enabled: false } });
  const poll = await polled();
  for (const one of [endpoint, poll])
    await api.fails(409, 'data_error', 'POST', at(one, '/redeliver'), { json: { failed: true } });
  for (const one of [endpoint, poll]) await remove(one);
});
