import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { basicHeader, newKey } from '../../support/http/api.ts';
import { exchange } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const license = await api.license();
const activation = await api.activation(license.license_key);
const json = { license_key: newKey(), valid_for: 0, status: 3, activations_limit: 1 };
const at = `/licenses/${license.license_key}`;

const ANSWERS: [what: string, status: number, method: string, path: string, options?: object][] = [
  ['a list', 200, 'GET', '/licenses'],
  ['a record', 200, 'GET', at],
  ['HEAD of a record', 200, 'HEAD', at],
  ['a create', 200, 'POST', '/licenses', { json }],
  ['an update', 200, 'PUT', at, { json: {} }],
  ['an activation', 200, 'GET', `/licenses/activate/${license.license_key}`],
  ['openapi.json', 200, 'GET', '/openapi.json', { credentials: null }],
  [
    'a preflight',
    204,
    'OPTIONS',
    at,
    { headers: { origin: 'https://a.example', 'access-control-request-method': 'PUT' }, credentials: null },
  ],
  ['malformed JSON', 400, 'POST', '/licenses', { raw: { body: '{', type: 'application/json' } }],
  ['bad paging', 400, 'GET', '/licenses?page=0'],
  ['no credentials', 401, 'GET', '/licenses', { credentials: null }],
  ['an unknown record', 404, 'GET', '/licenses/NO-SUCH'],
  ['an unknown route', 404, 'GET', '/nothing-here'],
  ['a malformed path', 404, 'GET', '/licenses/%zz'],
  ['a duplicate', 409, 'POST', '/licenses', { json: { ...json, license_key: license.license_key } }],
  [
    'a body over the limit',
    413,
    'POST',
    '/licenses',
    { raw: { body: 'x'.repeat(1024 * 1024 + 1), type: 'text/plain' } },
  ],
  ['an unsupported media type', 415, 'POST', '/licenses', { raw: { body: 'x', type: 'image/png' } }],
  ['invalid values', 422, 'POST', '/licenses', { json: {} }],
];
for (const [what, status, method, path, options] of ANSWERS) {
  test(`${status} for ${what} carries nosniff, no-store and a request id`, async () => {
    const answer = await api.call(method, path, options);
    assert.equal(answer.status, status);
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.match(answer.headers.get('x-request-id') ?? '', /^[\w-]{8,}$/);
    assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; frame-ancestors 'none'");
    assert.equal(answer.headers.get('x-frame-options'), 'DENY');
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  });
  if (status >= 400) {
    test(`${status} for ${what} has the error envelope`, async () => {
      const { body, headers } = await api.call(method, path, options);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      assert.deepEqual(Object.keys(body), ['code', 'message', 'data']);
      assert.equal(body.data.status, status);
    });
  }
}

test('the answer to malformed HTTP has nosniff and no-store too', async () => {
  const { headers } = await exchange(api.port, 'NOT HTTP AT ALL\r\n\r\n');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
});

test('each request has a unique id, whatever the client sends', async () => {
  const headers = { 'x-request-id': 'chosen-by-the-client' };
  const ids = await Promise.all(
    Array.from({ length: 5 }, async () =>
      (await api.call('GET', at, { headers })).headers.get('x-request-id'),
    ),
  );
  assert.equal(new Set(ids).size, 5);
  assert.ok(!ids.includes('chosen-by-the-client'));
});

test('success is 200 with success true, data, and nothing else', async () => {
  const { status, body, headers } = await api.call('GET', at);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['success', 'data']);
  assert.equal(body.success, true);
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
});

test('data.code repeats the status for an unknown license key', async () => {
  const body = await api.fails(404, 'data_error', 'GET', '/licenses/NO-SUCH');
  assert.deepEqual(body.data, { status: 404, code: 404 });
});

test('data.code repeats the status for an unknown generator', async () => {
  const body = await api.fails(404, 'data_error', 'GET', '/generators/999');
  assert.deepEqual(body.data, { status: 404, code: 404 });
});

test('data.code repeats the status for a duplicate on create and update', async () => {
  const created = await api.fails(409, 'data_error', 'POST', '/licenses', {
    json: { ...json, license_key: license.license_key },
  });
  assert.deepEqual(created.data, { status: 409, code: 409 });
  const { license_key } = await api.license();
  const renamed = await api.fails(409, 'data_error', 'PUT', at, { json: { license_key } });
  assert.deepEqual(renamed.data, { status: 409, code: 409 });
});

test('other errors have no data.code', async () => {
  assert.deepEqual((await api.fails(404, 'data_error', 'GET', '/licenses/validate/x')).data, { status: 404 });
  assert.deepEqual((await api.fails(404, 'rest_data_error', 'POST', '/generators', { json: {} })).data, {
    status: 404,
  });
});

test('the message names an unknown license key', async () => {
  const { message } = await api.fails(
    404,
    'data_error',
    'GET',
    `/licenses/${encodeURIComponent('нет/такого')}`,
  );
  assert.equal(message, 'The license key "нет/такого" could not be found.');
});

test('connections are kept alive', async () => {
  const { headers } = await exchange(
    api.port,
    `GET /wp-json/dlm/v1${at} HTTP/1.1\r\nHost: a\r\nAuthorization: ${basicHeader(api.credentials)}\r\n\r\n`,
  );
  assert.notEqual(headers.get('connection'), 'close');
});

test('activation records always have every field', async () => {
  const fields = [
    'id',
    'token',
    'license_id',
    'label',
    'source',
    'ip_address',
    'user_agent',
    'meta_data',
    'created_at',
    'updated_at',
    'deactivated_at',
  ];
  const read = await api.ok('GET', at);
  const validated = await api.ok('GET', `/licenses/validate/${activation.token}`);
  for (const record of [activation, validated, ...read.activations]) {
    for (const field of fields) assert.ok(field in record, field);
  }
});
