import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { CLIENT_PRESET, type Endpoint } from '../../../src/domain/api-key.ts';
import { newName } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const reader = await withApiKey(api, { permission: 'read' });
const writer = await withApiKey(api, { permission: 'write' });
const client = await withApiKey(api, CLIENT_PRESET);

/** Creates software, a release and an activation for one call, so that no call disturbs another. */
async function records() {
  const { id: software } = await api.software();
  const { id: release } = await api.release(software);
  const { token } = await api.activation((await api.license()).license_key, { software });
  const { download_url } = await api.ok('GET', `/software/${software}`, {
    query: { activation_token: token },
  });
  return { software, release, token, downloadToken: /download\/([^?]+)/.exec(download_url)?.[1] ?? '' };
}
type Records = Awaited<ReturnType<typeof records>>;
type Call = [
  endpoint: Endpoint,
  method: string,
  path: (of: Records) => string,
  options?: () => Record<string, unknown>,
];
const software = () => ({ json: { name: 'n', slug: newName().toLowerCase() } });
const upload = () => ({ multipart: { version: '2.0', file: new File(['x'], 'x.zip') } });
const draft = () => ({ json: { version: '2.0', status: 'draft' } });
const READ: Call[] = [
  ['software.list', 'GET', () => '/software'],
  ['software.list', 'HEAD', () => '/software'],
  ['software.read', 'GET', (of) => `/software/${of.software}`],
  ['software.read', 'HEAD', (of) => `/software/${of.software}`],
  ['software.download', 'GET', (of) => `/software/download/${of.downloadToken}`],
  ['software.download', 'HEAD', (of) => `/software/download/${of.downloadToken}`],
  ['software.download', 'GET', (of) => `/software/download/${of.token}`],
  ['releases.list', 'GET', (of) => `/software/${of.software}/releases`],
  ['downloads.list', 'GET', (of) => `/software/${of.software}/downloads`],
];
const WRITE: Call[] = [
  ['software.create', 'POST', () => '/software', software],
  ['software.update', 'PUT', (of) => `/software/${of.software}`, software],
  ['software.update', 'PATCH', (of) => `/software/${of.software}`, software],
  ['software.update', 'POST', (of) => `/software/${of.software}`, software],
  ['software.delete', 'DELETE', (of) => `/software/${of.software}`],
  ['releases.create', 'POST', (of) => `/software/${of.software}/releases`, upload],
  ['releases.create', 'POST', (of) => `/software/${of.software}/releases`, draft],
  ['releases.update', 'PUT', (of) => `/software/${of.software}/releases/${of.release}`, upload],
  ['releases.update', 'PATCH', (of) => `/software/${of.software}/releases/${of.release}`, draft],
  ['releases.update', 'POST', (of) => `/software/${of.software}/releases/${of.release}`, draft],
  ['releases.delete', 'DELETE', (of) => `/software/${of.software}/releases/${of.release}`],
];
const NONE = () => ({});
/** Returns everything that a refused call could have changed. */
const state = async (of: Records) => [
  await api.ok('GET', '/software'),
  await api.ok('GET', `/software/${of.software}/releases`),
  await api.ok('GET', `/software/${of.software}/downloads`),
];

for (const [endpoint, method, path, options = NONE] of READ) {
  const what = `${method} of ${endpoint} by ${path({ software: 1, release: 1, token: 'a', downloadToken: 'd' })}`;
  test(`${what} works with a read key and answers 401 to a write key, saying that read is missing`, async () => {
    const of = await records();
    assert.equal((await reader.call(method, path(of), options())).status, 200);
    const { status, body, headers } = await writer.call(method, path(of), options());
    assert.equal(status, 401);
    assert.match(headers.get('www-authenticate') ?? '', /^Basic /);
    if (method === 'HEAD') return;
    const message = 'The API key provided does not have read permissions.';
    assert.deepEqual(body, { code: 'authentication_error', message, data: { status: 401 } });
  });
}
for (const [endpoint, method, path, options = NONE] of WRITE) {
  test(`${method} of ${endpoint} works with a write key`, async () => {
    assert.equal((await writer.call(method, path(await records()), options())).status, 200);
  });
  test(`${method} of ${endpoint} answers 401 to a read key, says that write is missing and changes nothing`, async () => {
    const of = await records();
    const before = await state(of);
    const { status, body } = await reader.call(method, path(of), options());
    const message = 'The API key provided does not have write permissions.';
    assert.deepEqual([status, body], [401, { code: 'authentication_error', message, data: { status: 401 } }]);
    assert.deepEqual(await state(of), before);
  });
}

for (const [endpoint, method, path, options = NONE] of [...READ, ...WRITE]) {
  test(`${method} of ${endpoint} works with a key limited to it and answers 403 to a key limited to others`, async () => {
    const of = await records();
    const before = await state(of);
    const limited = await withApiKey(api, { endpoints: ['licenses.list', 'licenses.activate'] });
    const { status, body } = await limited.call(method, path(of), options());
    assert.equal(status, 403);
    if (method !== 'HEAD') assert.deepEqual([body.code, body.data], ['permission_denied', { status: 403 }]);
    assert.deepEqual(await state(of), before);
    const allowed = await withApiKey(api, { endpoints: [endpoint] });
    assert.equal((await allowed.call(method, path(of), options())).status, 200);
  });
}

test('a refused endpoint answers 403 whether the record exists or not, and before the body is read', async () => {
  const limited = await withApiKey(api, { endpoints: ['software.read'] });
  const raw = { body: '{', type: 'application/json' };
  await limited.fails(403, 'permission_denied', 'PUT', '/software/999999', { raw });
  await limited.fails(403, 'permission_denied', 'POST', '/software/999999/releases', { raw });
  await limited.fails(403, 'permission_denied', 'GET', '/software/download/forged');
});

suite('the client preset', () => {
  test('activates, reads, downloads, validates and deactivates', async () => {
    const { software: id } = await records();
    const { license_key } = await api.license();
    const { token } = await client.activation(license_key, { software: id, label: 'https://example.com' });
    const query = { type: 'wp', activation_token: token };
    const { license, download_url, details } = await client.ok('GET', `/software/${id}`, { query });
    assert.deepEqual([license, details.stable_tag], [license_key, '1.0.0']);
    assert.equal(new URL(download_url).searchParams.get('consumer_key'), client.credentials.consumerKey);
    assert.equal(await (await fetch(`${download_url}&meta_wp_version=6.8`)).text(), 'bytes');
    assert.equal((await client.call('GET', `/software/download/${token}`)).body, 'bytes');
    await client.ok('GET', `/licenses/validate/${token}`);
    await client.ok('GET', `/licenses/deactivate/${token}`);
    assert.equal((await client.call('GET', `/software/download/${token}`)).status, 403);
  });
  for (const [endpoint, method, path, options = NONE] of [...READ, ...WRITE]) {
    if (['software.read', 'software.download'].includes(endpoint)) continue;
    test(`cannot ${method} ${endpoint}, nothing changed`, async () => {
      const of = await records();
      const before = await state(of);
      const { status } = await client.call(method, path(of), options());
      assert.ok(status === 401 || status === 403, String(status));
      assert.deepEqual(await state(of), before);
    });
  }
});
