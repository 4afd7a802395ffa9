import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CLIENT_PRESET, ENDPOINTS, type Endpoint } from '../../../src/domain/api-key.ts';
import { ACTIVATIONS_AT_ONCE } from '../../../src/store/store.ts';
import { newKey } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const reader = await withApiKey(api, { permission: 'read' });
const writer = await withApiKey(api, { permission: 'write' });
const generator = await api.generator();

/** Creates a license and an activation for one call, so that no call disturbs another. */
async function records() {
  const license = await api.license({ activations_limit: 0 });
  const { token } = await api.activation(license.license_key);
  return { key: license.license_key, token };
}
type Call = [
  endpoint: Endpoint,
  method: string,
  path: (of: { key: string; token: string }) => string,
  json?: object,
];
const newLicense = () => ({ license_key: newKey(), valid_for: 0, status: 3, activations_limit: 1 });
const template = { name: 'n', charset: 'AB', chunks: 1, chunk_length: 1 };

const READ: Call[] = [
  ['licenses.list', 'GET', () => '/licenses'],
  ['licenses.list', 'HEAD', () => '/licenses'],
  ['licenses.get', 'GET', ({ key }) => `/licenses/${key}`],
  ['licenses.get', 'HEAD', ({ key }) => `/licenses/${key}`],
  ['generators.list', 'GET', () => '/generators'],
  ['generators.get', 'GET', () => `/generators/${generator.id}`],
  ['licenses.validate', 'GET', ({ token }) => `/licenses/validate/${token}`],
  ['licenses.validate', 'HEAD', ({ token }) => `/licenses/validate/${token}`],
  ['licenses.deactivate', 'GET', ({ token }) => `/licenses/deactivate/${token}`],
  ['licenses.activate', 'GET', ({ key }) => `/licenses/activate/${key}`],
  ['licenses.activate', 'POST', ({ key }) => `/licenses/activate/${key}`, { label: 'posted' }],
];
const WRITE: Call[] = [
  ['licenses.create', 'POST', () => '/licenses', newLicense()],
  ['generators.create', 'POST', () => '/licenses', template],
  ['licenses.update', 'PUT', ({ key }) => `/licenses/${key}`, { order_id: 1 }],
  ['licenses.update', 'PATCH', ({ key }) => `/licenses/${key}`, { order_id: 1 }],
  ['licenses.update', 'POST', ({ key }) => `/licenses/${key}`, { order_id: 1 }],
  ['generators.create', 'POST', () => '/generators', template],
  ['generators.update', 'PUT', () => `/generators/${generator.id}`, { name: 'x' }],
  ['generators.update', 'PATCH', () => `/generators/${generator.id}`, { name: 'x' }],
  ['generators.update', 'POST', () => `/generators/${generator.id}`, { name: 'x' }],
  ['generators.generate', 'POST', () => `/generators/${generator.id}/generate`, { amount: 1 }],
  ['licenses.delete', 'DELETE', ({ key }) => `/licenses/${key}`],
  ['generators.delete', 'DELETE', () => '/generators/999999999'],
];
const lists = () => Promise.all([api.ok('GET', '/licenses'), api.ok('GET', '/generators')]);
const sent = (json?: object) => (json ? { json } : {});

for (const [endpoint, method, path, json] of READ) {
  test(`${method} of ${endpoint} works with a read key`, async () => {
    assert.equal((await reader.call(method, path(await records()), sent(json))).status, 200);
  });
  test(`${method} of ${endpoint} answers 401 to a write key and says that read is missing`, async () => {
    const { status, body, headers } = await writer.call(method, path(await records()), sent(json));
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /^Basic /);
    if (method === 'HEAD') return;
    const message = 'The API key provided does not have read permissions.';
    assert.deepEqual(body, { code: 'authentication_error', message, data: { status: 401 } });
  });
}
for (const [endpoint, method, path, json] of WRITE) {
  test(`${method} of ${endpoint} works with a write key`, async () => {
    const { status } = await writer.call(method, path(await records()), sent(json));
    assert.equal(status, path(await records()).endsWith('/999999999') ? 404 : 200);
  });
  test(`${method} of ${endpoint} answers 401 to a read key, says that write is missing and changes nothing`, async () => {
    const { key, token } = await records();
    const before = await lists();
    const { status, body } = await reader.call(method, path({ key, token }), sent(json));
    assert.equal(status, 401);
    const message = 'The API key provided does not have write permissions.';
    assert.deepEqual(body, { code: 'authentication_error', message, data: { status: 401 } });
    assert.deepEqual(await lists(), before);
  });
}

test('the permission is checked before the record is looked up', async () => {
  await reader.fails(401, 'authentication_error', 'PUT', '/licenses/NO-SUCH', { json: {} });
});

test('the permission is checked before the body is read', async () => {
  const raw = { body: '{', type: 'application/json' };
  await reader.fails(401, 'authentication_error', 'POST', '/licenses', { raw });
});

for (const [endpoint, method, path, json] of [...READ, ...WRITE]) {
  test(`a key limited to other endpoints gets 403 for ${method} of ${endpoint}`, async () => {
    const other = endpoint === 'licenses.list' ? 'licenses.get' : 'licenses.list';
    const limited = await withApiKey(api, { endpoints: [other] });
    const { status, body } = await limited.call(method, path(await records()), sent(json));
    assert.equal(status, 403);
    if (method === 'HEAD') return;
    assert.equal(body.code, 'permission_denied');
    assert.equal(body.data.status, 403);
  });
  test(`a key limited to ${endpoint} can ${method} it`, async () => {
    const limited = await withApiKey(api, { endpoints: [endpoint] });
    const options = endpoint === 'licenses.create' ? { json: newLicense() } : sent(json);
    const { status } = await limited.call(method, path(await records()), options);
    assert.equal(status, endpoint === 'generators.delete' ? 404 : 200);
  });
}

test('a key without licenses.inspect cannot address a license by its hash', async () => {
  const { key, token } = await records();
  const hashed = `hashed-${api.service.store.read.licenses.hashOf(key)}`;
  const client = await withApiKey(api, CLIENT_PRESET);
  const some = await withApiKey(api, { endpoints: ENDPOINTS.filter((one) => one !== 'licenses.inspect') });
  const inspector = await withApiKey(api, { endpoints: ['licenses.get', 'licenses.inspect'] });
  for (const named of [hashed, hashed.replace('h', '%68'), 'hashed-0']) {
    await client.fails(403, 'permission_denied', 'GET', `/licenses/activate/${named}`);
    await client.fails(403, 'permission_denied', 'GET', `/licenses/${named}`);
    await some.fails(403, 'permission_denied', 'GET', `/licenses/${named}`);
    await some.fails(403, 'permission_denied', 'PUT', `/licenses/${named}`, { json: { order_id: 1 } });
    await some.fails(403, 'permission_denied', 'DELETE', `/licenses/${named}`);
  }
  await some.fails(403, 'permission_denied', 'GET', '/licenses', { query: { license_key: hashed } });
  assert.equal((await inspector.ok('GET', `/licenses/${hashed}`)).license_key, key);
  assert.equal((await client.ok('GET', `/licenses/validate/${token}`)).license.license_key, key);
});

test('a key without licenses.inspect sees activations of other devices without identifying fields', async () => {
  const license = await api.license({ activations_limit: 0 });
  const meta = { host: 'secret-host' };
  for (let device = 0; device <= ACTIVATIONS_AT_ONCE; device++)
    await api.ok('POST', `/licenses/activate/${license.license_key}`, {
      json: { label: `d${device}`, meta },
    });
  const some = await withApiKey(api, CLIENT_PRESET);
  const { activations: whole } = await api.ok('GET', `/licenses/${license.license_key}`);
  const { activations, ...read } = await some.ok('GET', `/licenses/${license.license_key}`);
  assert.deepEqual([read.license_key, read.expires_at], [license.license_key, null]);
  await some.fails(403, 'permission_denied', 'GET', '/licenses');
  assert.equal(activations.length, ACTIVATIONS_AT_ONCE + 1);
  const hidden = { token: '', ip_address: '', user_agent: '', meta_data: [] };
  assert.deepEqual(
    activations,
    whole.map((one: object) => ({ ...one, ...hidden })),
  );
  const own = await some.ok('POST', `/licenses/activate/${license.license_key}`, { json: { meta } });
  assert.match(own.token, /^[0-9a-f]{40}$/);
  assert.deepEqual(own.meta_data, meta);
});

test('a key without licenses.inspect sees only the first letters of a label that identifies its device', async () => {
  const { license_key: key } = await api.license({ activations_limit: 0, match: 'label' });
  const path = `/licenses/activate/${key}`;
  const byLabel = await api.ok('POST', path, { json: { label: 'https://shop.example' } });
  await api.ok('POST', path, { json: { label: 'Laptop', fingerprint: 'f' } });
  const labelsFor = async ({ ok }: typeof api) =>
    (await ok('GET', `/licenses/${key}`)).activations.map(({ label }: { label: string }) => label).sort();
  assert.deepEqual(await labelsFor(api), ['Laptop', 'https://shop.example']);
  const shipped = await withApiKey(api, CLIENT_PRESET);
  assert.deepEqual(await labelsFor({ ...api, ...shipped }), ['Laptop', 'htt…']);
  const again = await shipped.ok('POST', path, { json: { label: 'htt…' } });
  assert.notEqual(again.token, byLabel.token);
});

test('a refused endpoint answers 403 whether the record exists or not', async () => {
  const limited = await withApiKey(api, { endpoints: ['licenses.list'] });
  await limited.fails(403, 'permission_denied', 'GET', '/licenses/NO-SUCH');
});

test('a refused endpoint answers 403 before the body is read', async () => {
  const limited = await withApiKey(api, { endpoints: ['licenses.list'] });
  const raw = { body: '{', type: 'application/json' };
  await limited.fails(403, 'permission_denied', 'PUT', '/licenses/NO-SUCH', { raw });
});

test('an unknown route answers 404 to a key with any limits', async () => {
  const limited = await withApiKey(api, { permission: 'read', endpoints: ['licenses.list'] });
  await limited.fails(404, 'rest_no_route', 'GET', '/nothing-here');
  await limited.fails(404, 'rest_no_route', 'POST', '/nothing-here', { json: {} });
});
