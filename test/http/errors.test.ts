import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, type TestContext, test } from 'node:test';
import { ENDPOINTS_MAX } from '../../src/domain/events/endpoint.ts';
import { ERROR_EXAMPLES, type ErrorExample } from '../../src/http/dlm-v1/error-examples.ts';
import { holdWrites, runSql } from '../support/engine.ts';
import { type Answer, type Api, basicHeader } from '../support/http/api.ts';
import { withApiKey } from '../support/http/api-keys.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const PAST = { expires_at: '2020-01-01' };
const activate = ({ license_key }: { license_key: string }, query = {}) =>
  api.call('GET', `/licenses/activate/${license_key}`, { query });
const deactivated = async (license: { license_key: string }) => {
  const { token } = await api.activation(license.license_key);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  return token as string;
};
const post = (raw: { body: string; type: string }) => api.call('POST', '/licenses', { raw });

const download = async (headers: Record<string, string>) => {
  const { id } = await api.software();
  await api.release(id);
  const { token } = await api.activation((await api.license()).license_key, { software: id });
  return api.call('GET', `/software/download/${token}`, { headers });
};

const pollEndpoint = ({ ok }: Api, values = {}) =>
  ok('POST', '/events/endpoints', { json: { kind: 'poll', ...values } });

/** Sends only the head of a POST request. */
async function sendHead(
  { root, credentials }: typeof api,
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  const sent = request(root + path, {
    method: 'POST',
    headers: { ...headers, authorization: basicHeader(credentials) },
  });
  sent.flushHeaders();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const body = JSON.parse(Buffer.concat(await answer.toArray()).toString());
  sent.destroy();
  return { status: answer.statusCode ?? 0, headers: new Headers(), body };
}

/** Provokes each documented error. A new entry of ERROR_EXAMPLES without an entry here does not compile. */
const PROVOKED: Record<ErrorExample, (t: TestContext) => Promise<Answer>> = {
  credentials_missing: () => api.call('GET', '/licenses', { credentials: null }),
  key_invalid: () =>
    api.call('GET', '/licenses', { credentials: { ...api.credentials, consumerKey: 'ck_nobody' } }),
  secret_invalid: () =>
    api.call('GET', '/licenses', { credentials: { ...api.credentials, consumerSecret: 'cs_wrong' } }),
  no_permission: async () =>
    (await withApiKey(api, { permission: 'read' })).call('POST', '/licenses', { json: {} }),
  endpoint_not_allowed: async () =>
    (await withApiKey(api, { endpoints: ['licenses.list'] })).call('POST', '/licenses', { json: {} }),
  generators_not_allowed: async () =>
    (await withApiKey(api, { products: [1] })).call('POST', '/generators', {
      json: { name: 'n', charset: 'AB', chunks: 1, chunk_length: 1 },
    }),
  audit_not_allowed: async () => (await withApiKey(api, { products: [1] })).call('GET', '/audit'),
  license_not_found: () => api.call('GET', '/licenses/NO-SUCH-KEY'),
  license_key_exists: async () => {
    const { license_key, valid_for, status, activations_limit } = await api.license();
    const json = { license_key, valid_for, status, activations_limit };
    return api.call('POST', '/licenses', { json });
  },
  license_expired: async () => activate(await api.license(PAST)),
  license_disabled: async () => activate(await api.license({ status: 5 })),
  activation_limit_reached: async () => {
    const license = await api.license({ activations_limit: 1 });
    await api.activation(license.license_key);
    return activate(license);
  },
  activation_not_found: () => api.call('GET', `/licenses/validate/${'0'.repeat(40)}`),
  activation_deactivated: async () =>
    api.call('GET', `/licenses/validate/${await deactivated(await api.license())}`),
  activation_already_active: async () => {
    const license = await api.license();
    const { token } = await api.activation(license.license_key);
    return activate(license, { token });
  },
  activation_already_deactivated: async () =>
    api.call('GET', `/licenses/deactivate/${await deactivated(await api.license())}`),
  activation_of_another_license: async () =>
    activate(await api.license(), { token: await deactivated(await api.license()) }),
  software_not_found: () => api.call('GET', '/software/999'),
  software_slug_exists: async () => {
    const { name, slug } = await api.software();
    return api.call('POST', '/software', { json: { name, slug } });
  },
  software_not_covered: async () => {
    const { id } = await api.software({ product_ids: [1] });
    return activate(await api.license({ product_id: 2 }), { software: id });
  },
  software_of_other_products: async () => {
    const { id } = await api.software({ product_ids: [1, 2] });
    return (await withApiKey(api, { products: [1] })).call('DELETE', `/software/${id}`);
  },
  release_not_found: async () => {
    const { id } = await api.software();
    return api.call('DELETE', `/software/${id}/releases/999`);
  },
  release_version_exists: async () => {
    const { id } = await api.software();
    const multipart = { version: '1.0.0', file: new File(['x'], 'x.zip') };
    await api.ok('POST', `/software/${id}/releases`, { multipart });
    return api.call('POST', `/software/${id}/releases`, { multipart });
  },
  download_not_found: () => api.call('GET', '/software/download/forged'),
  download_denied: async () => {
    const { id } = await api.software();
    await api.release(id);
    const license = await api.license(PAST);
    await api.ok('PUT', `/licenses/${license.license_key}`, { json: { expires_at: '' } });
    const { token } = await api.activation(license.license_key, { software: id });
    await api.ok('PUT', `/licenses/${license.license_key}`, { json: PAST });
    return api.call('GET', `/software/download/${token}`);
  },
  precondition_failed: () => download({ 'if-match': '"another"' }),
  range_not_satisfiable: () => download({ range: 'bytes=900000-' }),
  file_too_large: async () => {
    const { id } = await api.software();
    return sendHead(api, `/software/${id}/releases`, {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(3 * 1024 ** 3),
    });
  },
  event_endpoint_not_found: () => api.call('GET', '/events/endpoints/999'),
  event_endpoint_disabled: async () => {
    const { id } = await pollEndpoint(api, { is_enabled: false });
    return api.call('POST', `/events/endpoints/${id}/test`);
  },
  event_endpoint_polled: async () => {
    const { id } = await pollEndpoint(api);
    return api.call('POST', `/events/endpoints/${id}/secret`);
  },
  too_many_event_endpoints: async (t) => {
    const full = await startService(t);
    for (let i = 0; i < ENDPOINTS_MAX; i++) await pollEndpoint(full);
    return full.call('POST', '/events/endpoints', { json: { kind: 'poll' } });
  },
  generator_not_found: () => api.call('GET', '/generators/999'),
  generator_name_missing: () => api.call('POST', '/generators', { json: {} }),
  keys_exhausted: async () => {
    const { id } = await api.generator({ charset: 'AB', chunks: 1, chunk_length: 3, separator: '' });
    return api.call('POST', `/generators/${id}/generate`, { json: { amount: 100 } });
  },
  invalid_values: async () => {
    const { license_key } = await api.license();
    return api.call('PUT', `/licenses/${license_key}`, { json: { activations_limit: -1 } });
  },
  invalid_paging: () => api.call('GET', '/licenses?page=0'),
  invalid_json: () => post({ body: '{', type: 'application/json' }),
  invalid_body: () => post({ body: '--x\r\n', type: 'multipart/form-data; boundary=x' }),
  content_too_large: () => post({ body: 'x'.repeat(1024 * 1024 + 1), type: 'application/json' }),
  unsupported_media_type: () => post({ body: '<a/>', type: 'application/xml' }),
  too_many_requests: async (t) => {
    const limited = await startService(t, { server: { rateLimit: 3 } });
    for (const _ of [1, 2, 3]) await limited.ok('GET', '/licenses');
    return limited.call('GET', '/licenses');
  },
  server_error: async (t) => {
    const broken = await startService(t);
    await runSql(broken.dataDir, 'drop table generators');
    return broken.call('GET', '/generators');
  },
  unavailable: async (t) => {
    const locked = await startService(t, { patience: 200 });
    const { license_key } = await locked.license();
    t.after(await holdWrites(locked.dataDir));
    return locked.call('PUT', `/licenses/${license_key}`, { json: { order_id: 1 } });
  },
};

/** Returns a message without its variable parts. */
const pattern = (message: string) => message.replace(/"[^"]*"/g, '"…"').replace(/\d+/g, 'n');

for (const [name, provoke] of Object.entries(PROVOKED) as [
  ErrorExample,
  (t: TestContext) => Promise<Answer>,
][]) {
  const example = ERROR_EXAMPLES[name];
  test(`${name}: ${example.data.status} ${example.code}, as documented`, async (t) => {
    const { status, body } = await provoke(t);
    assert.equal(status, example.data.status, JSON.stringify(body));
    assert.deepEqual(Object.keys(body), Object.keys(example));
    assert.equal(body.code, example.code);
    assert.equal(pattern(body.message), pattern(example.message));
    assert.deepEqual(Object.keys(body.data), Object.keys(example.data));
    assert.deepEqual([body.data.status, body.data.code], [example.data.status, example.data.code]);
    assert.deepEqual(Object.keys(body.data.params ?? {}), Object.keys(example.data.params ?? {}));
  });
}

test('this file provokes every documented error', () => {
  assert.deepEqual(Object.keys(PROVOKED).sort(), Object.keys(ERROR_EXAMPLES).sort());
});

test('429 says in whole seconds when to retry, and limits each client address separately', async (t) => {
  const limited = await startService(t, { server: { rateLimit: 3, trustProxy: true } });
  const from = (ip: string) => limited.call('GET', '/licenses', { headers: { 'x-forwarded-for': ip } });
  for (const _ of [1, 2, 3]) assert.equal((await from('192.0.2.1')).status, 200);
  const { status, headers, body } = await from('192.0.2.1');
  assert.equal(status, 429);
  assert.match(headers.get('retry-after') ?? '', /^[1-9]\d?$/);
  assert.equal(body.data.status, 429);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal((await from('192.0.2.2')).status, 200, 'another address is not limited');
});

test('the rate limit counts refused requests too: wrong secrets and unknown routes', async (t) => {
  const limited = await startService(t, { server: { rateLimit: 3 } });
  const credentials = { ...limited.credentials, consumerSecret: 'cs_wrong' };
  for (const _ of [1, 2, 3])
    assert.equal((await limited.call('GET', '/licenses', { credentials })).status, 401);
  assert.equal((await limited.call('GET', '/licenses', { credentials })).status, 429);
  assert.equal((await limited.call('GET', '/nothing-here')).status, 429);
});

test('the rate limit counts openapi.json, but not health checks', async (t) => {
  const limited = await startService(t, { server: { rateLimit: 1 } });
  for (const status of [200, 429, 429]) {
    assert.equal((await fetch(`http://127.0.0.1:${limited.port}/healthz`)).status, 200);
    assert.equal((await limited.call('GET', '/openapi.json', { credentials: null })).status, status);
  }
});

test('503 says when to retry; meanwhile reads are answered and nothing changes', async (t) => {
  const locked = await startService(t, { patience: 200 });
  const { license_key } = await locked.license();
  const letGo = await holdWrites(locked.dataDir);
  const refused = locked.call('PUT', `/licenses/${license_key}`, { json: { order_id: 1 } });
  const activation = locked.call('GET', `/licenses/activate/${license_key}`);
  assert.equal((await locked.ok('GET', `/licenses/${license_key}`)).order_id, null);
  for (const { status, headers, body } of [await refused, await activation]) {
    assert.equal(status, 503);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.deepEqual([body.code, body.data], ['server_error', { status: 503 }]);
    assert.doesNotMatch(body.message, /sqlite|lock|process|latchkey\.db/i);
  }
  await letGo();
  const license = await locked.ok('GET', `/licenses/${license_key}`);
  assert.deepEqual([license.order_id, license.times_activated], [null, 0]);
  await locked.ok('PUT', `/licenses/${license_key}`, { json: { order_id: 1 } });
});

test('500 reveals nothing internal, for reads and changes, and is logged', async (t) => {
  const broken = await startService(t);
  const { license_key } = await broken.license();
  await runSql(broken.dataDir, 'drop table generators; drop table activations');
  for (const [method, path] of [
    ['GET', '/generators'],
    ['GET', '/generators/1'],
    ['POST', '/generators'],
    ['GET', `/licenses/${license_key}`],
    ['GET', `/licenses/activate/${license_key}`],
    ['GET', '/licenses/validate/abc'],
  ] as const) {
    const options =
      method === 'POST' ? { json: { name: 'n', charset: 'AB', chunks: 1, chunk_length: 1 } } : {};
    const { status, body, headers } = await broken.call(method, path, options);
    assert.deepEqual([status, body.code, body.data], [500, 'server_error', { status: 500 }]);
    assert.doesNotMatch(JSON.stringify(body), /sql|table|generators|activations|\.ts|\/|error:/i);
    const id = headers.get('x-request-id') ?? 'none';
    assert.ok(broken.logs.some((line) => line.includes(id) && /no such table|does not exist/.test(line)));
  }
  await broken.ok('GET', '/licenses');
});
