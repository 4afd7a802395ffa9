import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hashCredentials } from '../../../src/app/api-keys/credentials.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { ENDPOINTS } from '../../../src/domain/api-key.ts';
import { signedIn } from '../../support/console/console.ts';
import type { Answer, Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const owner = await signedIn(api, 'owner');

const credentialsOf = ({ consumer_key, consumer_secret }: Record_) => ({
  consumerKey: consumer_key,
  consumerSecret: consumer_secret,
});
const statusWith = async (made: Record_, path = '/licenses') =>
  (await api.call('GET', path, { credentials: credentialsOf(made) })).status;
const listed = async (id: number) =>
  (await owner.ok('GET', '/api-keys')).items.find((one: Record_) => one.id === id);

test('an API key is created with limits that apply, and only the creation returns its secret', async () => {
  const made = await owner.ok('POST', '/api-keys', {
    description: 'Shop',
    permission: 'read',
    endpoints: ['licenses.list'],
    products: [7, 8],
    compatibility: 'plugin',
    lmfwc_version: 2,
    expires_at: '2999-01-01 00:00:00',
  });
  const { created_at: _, etag: __, ...record } = made.api_key;
  assert.deepEqual(record, {
    id: record.id,
    description: 'Shop',
    user_id: owner.user.id,
    user_name: owner.user.name,
    key_ending: made.consumer_key.slice(-7),
    permission: 'read',
    endpoints: ['licenses.list'],
    products: [7, 8],
    compatibility: 'plugin',
    lmfwc_version: 2,
    last_access_at: null,
    expires_at: '2999-01-01 00:00:00',
    revoked_at: null,
    is_replaced: false,
    is_of_settings: false,
  });
  assert.equal(await statusWith(made), 200);
  assert.equal(await statusWith(made, '/generators'), 403);
  const answer = await owner.ok('GET', '/api-keys');
  assert.deepEqual(await listed(record.id), made.api_key);
  assert.deepEqual(answer.endpoints, ENDPOINTS);
  assert.ok(!JSON.stringify(answer).includes(made.consumer_secret));
  const [entry] = await api.ok('GET', '/audit', { query: { subject: `api_key:${record.id}` } });
  assert.deepEqual([entry.action, entry.via, entry.user_id], ['api_key.create', 'console', owner.user.id]);
});

test('an API key without limits may do everything', async () => {
  const made = await owner.ok('POST', '/api-keys', {});
  const { permission, endpoints, products, compatibility, lmfwc_version, expires_at } = made.api_key;
  assert.deepEqual(
    { permission, endpoints, products, compatibility, lmfwc_version, expires_at },
    {
      permission: 'read_write',
      endpoints: null,
      products: null,
      expires_at: null,
      compatibility: 'documented',
      lmfwc_version: 3,
    },
  );
});

test('the answer names each invalid parameter, and no key is created', async () => {
  const before = (await owner.ok('GET', '/api-keys')).items.length;
  for (const [name, value] of Object.entries({
    description: 'x'.repeat(256),
    permission: 'all',
    endpoints: ['licenses.list', 'nothing'],
    products: ['a'],
    compatibility: 'wordpress',
    lmfwc_version: 4,
    expires_at: '2001-01-01',
  })) {
    const { status, body } = await owner.post('/api-keys', { [name]: value });
    assert.equal(status, 422, name);
    assert.deepEqual(Object.keys(body.data.params), [name]);
  }
  for (const name of ['endpoints', 'products'])
    assert.deepEqual((await owner.post('/api-keys', { [name]: [] })).body.data.params, {
      [name]: 'must not be empty.',
    });
  assert.equal((await owner.ok('GET', '/api-keys')).items.length, before);
});

test("a change of a key's permissions applies from the next request on and is recorded", async () => {
  const made = await owner.ok('POST', '/api-keys', { description: 'Shop', expires_at: '2999-01-01' });
  const { id } = made.api_key;
  const { license_key } = await api.license({ product_id: 8 });
  const reached = async () => [
    await statusWith(made),
    await statusWith(made, '/generators'),
    await statusWith(made, `/licenses/${license_key}`),
  ];
  assert.deepEqual(await reached(), [200, 200, 200]);
  const narrow = {
    products: [7],
    endpoints: ['licenses.list', 'licenses.get'],
    permission: 'read',
    compatibility: 'plugin',
  };
  const narrowed = await owner.ok('PATCH', `/api-keys/${id}`, narrow);
  const { last_access_at, etag } = narrowed;
  assert.deepEqual(narrowed, { ...made.api_key, ...narrow, last_access_at, etag });
  assert.notEqual(etag, made.api_key.etag);
  assert.deepEqual(await reached(), [200, 403, 404]);
  const { last_access_at: _, etag: ___, ...kept } = await listed(id);
  // Parameters that are not sent keep their values. `null` restores the default of a new key.
  const others = { description: 'Other', products: null, permission: null, expires_at: null };
  const { last_access_at: __, etag: ____, ...changed } = await owner.ok('PATCH', `/api-keys/${id}`, others);
  assert.deepEqual(changed, { ...kept, ...others, permission: 'read_write' });
  assert.deepEqual(await reached(), [200, 403, 200]);
  await owner.ok('PATCH', `/api-keys/${id}`, {});

  const trail = await api.ok('GET', '/audit', { query: { subject: `api_key:${id}` } });
  assert.deepEqual(
    trail.map(({ action, before, after, user_id, via }: Record_) => [action, before, after, user_id, via]),
    [
      [
        'api_key.update',
        { description: 'Shop', permission: 'read', products: [7], expires_at: '2999-01-01 00:00:00' },
        { description: 'Other', permission: 'read_write', products: null, expires_at: null },
      ],
      [
        'api_key.update',
        { permission: 'read_write', endpoints: null, products: null, compatibility: 'documented' },
        narrow,
      ],
      ['api_key.create', null, trail.at(-1).after],
    ].map((one) => [...one, owner.user.id, 'console']),
  );
});

test('an invalid change is named and changes nothing; a revoked key cannot be changed', async () => {
  const { api_key: before } = await owner.ok('POST', '/api-keys', { products: [7] });
  for (const [name, value] of Object.entries({
    description: 'x'.repeat(256),
    permission: 'all',
    endpoints: [],
    products: ['a'],
    expires_at: '2001-01-01',
  })) {
    const { status, body } = await owner.patch(`/api-keys/${before.id}`, {
      permission: 'read',
      [name]: value,
    });
    assert.deepEqual([status, Object.keys(body.data.params)], [422, [name]]);
  }
  assert.deepEqual(await listed(before.id), before);
  const revoked = await owner.ok('DELETE', `/api-keys/${before.id}`);
  assert.equal((await owner.patch(`/api-keys/${before.id}`, { products: null })).status, 409);
  assert.deepEqual(await listed(before.id), revoked);
  for (const none of ['999999', 'x']) assert.equal((await owner.patch(`/api-keys/${none}`, {})).status, 404);
});

test('a key is replaced with a grace period or at once', async () => {
  const old = await owner.ok('POST', '/api-keys', {
    description: 'Program',
    products: [7],
    compatibility: 'plugin',
  });
  const rotated = await owner.ok('POST', `/api-keys/${old.api_key.id}/rotate`, { grace: '12h' });
  assert.equal(rotated.api_key.description, 'Program');
  assert.deepEqual(rotated.api_key.products, [7]);
  assert.equal(rotated.api_key.compatibility, 'plugin');
  assert.notEqual(rotated.replaced.expires_at, null);
  assert.deepEqual([rotated.replaced.is_replaced, rotated.api_key.is_replaced], [true, false]);
  assert.deepEqual([await statusWith(old), await statusWith(rotated)], [200, 200]);
  const again = await owner.post(`/api-keys/${old.api_key.id}/rotate`, {});
  assert.deepEqual([again.status, again.body.message.includes(`${rotated.api_key.id}`)], [409, true]);
  const last = await owner.ok('POST', `/api-keys/${rotated.api_key.id}/rotate`, { grace: '0' });
  assert.notEqual(last.replaced.revoked_at, null);
  assert.deepEqual([await statusWith(rotated), await statusWith(last)], [401, 200]);
  for (const grace of ['a while', { toString: 1 }]) {
    const bad = await owner.post(`/api-keys/${last.api_key.id}/rotate`, { grace });
    assert.deepEqual([bad.status, Object.keys(bad.body.data?.params ?? {})], [422, ['grace']]);
  }
});

test('a revoked key is refused from then on', async () => {
  const made = await owner.ok('POST', '/api-keys', {});
  const { id } = made.api_key;
  assert.equal(await statusWith(made), 200);
  assert.notEqual((await owner.ok('DELETE', `/api-keys/${id}`)).revoked_at, null);
  assert.equal(await statusWith(made), 401);
  const statusOf = async (answer: Promise<Answer>) => (await answer).status;
  assert.equal(await statusOf(owner.delete(`/api-keys/${id}`)), 409);
  assert.equal(await statusOf(owner.post(`/api-keys/${id}/rotate`, {})), 409);
  assert.equal(await statusOf(owner.delete('/api-keys/999999')), 404);
  assert.equal(await statusOf(owner.delete('/api-keys/x')), 404);
  assert.equal(await statusOf(owner.post('/api-keys/999999/rotate', {})), 404);
});

test('the key from the settings is marked, and cannot be changed', async (t) => {
  const { consumerKey, consumerSecret } = api.credentials;
  const other = await startService(t, { settings: { consumerKey, consumerSecret } });
  await other.service.execute(
    'set-up',
    { first: null, configured: hashCredentials(api.credentials) },
    SYSTEM,
  );
  const client = await signedIn(other, 'manager');
  const { items } = await client.ok('GET', '/api-keys');
  assert.deepEqual(
    items.map((one: Record_) => one.is_of_settings),
    [true, false],
  );
  const { status, body } = await client.patch(`/api-keys/${items[0].id}`, { permission: 'read' });
  assert.deepEqual([status, /LATCHKEY_CONSUMER_KEY/.test(body.message)], [409, true]);
  await client.ok('PATCH', `/api-keys/${items[1].id}`, { permission: 'read' });
  assert.deepEqual(
    (await client.ok('GET', '/api-keys')).items.map((one: Record_) => one.permission),
    ['read_write', 'read'],
  );
});

test('a start gives the key from the settings every right, unless it was replaced or revoked', async () => {
  const limits = { permission: 'read', endpoints: ['licenses.list'], products: [7] };
  const make = () =>
    owner.ok('POST', '/api-keys', { ...limits, compatibility: 'plugin', expires_at: '2999-01-01 00:00:00' });
  const start = (made: Record_) =>
    api.service.execute('set-up', { first: null, configured: hashCredentials(credentialsOf(made)) }, SYSTEM);
  const made = await make();
  const { id } = made.api_key;
  await start(made);
  await start(made);
  const { permission, endpoints, products, expires_at, compatibility } = await listed(id);
  assert.deepEqual([permission, endpoints, products, expires_at], ['read_write', null, null, null]);
  assert.equal(compatibility, 'plugin');
  const entries: Record_[] = await api.ok('GET', '/audit', { query: { subject: `api_key:${id}` } });
  assert.deepEqual(
    entries.map(({ action, via }) => [action, via]),
    [
      ['api_key.update', 'system'],
      ['api_key.create', 'console'],
    ],
  );
  const [replaced, revoked] = [await make(), await make()];
  await owner.ok('POST', `/api-keys/${replaced.api_key.id}/rotate`, {});
  await owner.ok('DELETE', `/api-keys/${revoked.api_key.id}`);
  for (const other of [replaced, revoked]) {
    await start(other);
    assert.equal((await listed(other.api_key.id)).permission, 'read');
  }
});

for (const role of ['support', 'viewer'] as const) {
  test(`${role} has no access to API keys`, async () => {
    const client = await signedIn(api, role);
    const { items } = await owner.ok('GET', '/api-keys');
    const id = items.at(-1).id;
    for (const answer of [
      await client.get('/api-keys'),
      await client.post('/api-keys', {}),
      await client.post(`/api-keys/${id}/rotate`, {}),
      await client.patch(`/api-keys/${id}`, { permission: 'read' }),
      await client.delete(`/api-keys/${id}`),
    ])
      assert.equal(answer.status, 403);
    assert.deepEqual((await owner.ok('GET', '/api-keys')).items.length, items.length);
    assert.equal((await api.call('GET', '/licenses')).status, 200);
  });
}
