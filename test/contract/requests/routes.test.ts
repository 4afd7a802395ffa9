import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const { license_key } = await api.license({ activations_limit: 0 });
const activation = await api.activation(license_key);
const generator = await api.generator();

const GETS = [
  '/licenses',
  `/licenses/${license_key}`,
  `/licenses/validate/${activation.token}`,
  '/generators',
  `/generators/${generator.id}`,
  '/openapi.json',
];
for (const path of GETS) {
  test(`HEAD ${path.replace(license_key, '{key}').replace(activation.token, '{token}')} answers like GET, without a body`, async () => {
    const get = await api.call('GET', path);
    const head = await api.call('HEAD', path);
    assert.equal(head.status, 200);
    assert.equal(head.body, '');
    // fetch asks to close the connection after a HEAD.
    const others = ['date', 'x-request-id', 'connection', 'keep-alive'];
    const comparable = ({ headers }: { headers: Headers }) =>
      [...headers].filter(([name]) => !others.includes(name));
    assert.deepEqual(comparable(head), comparable(get));
  });
}

test('HEAD of an unknown record answers 404', async () => {
  assert.equal((await api.call('HEAD', '/licenses/NO-SUCH')).status, 404);
  assert.equal((await api.call('HEAD', '/generators/999')).status, 404);
});

test('HEAD of a deactivated activation answers 404', async () => {
  const { token } = await api.activation(license_key);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  assert.equal((await api.call('HEAD', `/licenses/validate/${token}`)).status, 404);
});

test('HEAD without credentials answers 401', async () => {
  assert.equal((await api.call('HEAD', '/licenses', { credentials: null })).status, 401);
});

test('HEAD of activate is not a route and changes nothing', async () => {
  const before = await api.ok('GET', `/licenses/${license_key}`);
  assert.equal((await api.call('HEAD', `/licenses/activate/${license_key}`)).status, 404);
  assert.deepEqual(await api.ok('GET', `/licenses/${license_key}`), before);
});

test('HEAD of deactivate is not a route and changes nothing', async () => {
  assert.equal((await api.call('HEAD', `/licenses/deactivate/${activation.token}`)).status, 404);
  assert.equal((await api.ok('GET', `/licenses/validate/${activation.token}`)).deactivated_at, null);
});

const NO_ROUTES: [method: string, path: string][] = [
  ['GET', '/nothing-here'],
  ['GET', '/licenses/a/b/c'],
  ['GET', '/licenses/activate/a/b'],
  ['GET', ''],
  ['DELETE', '/licenses'],
  ['PUT', '/licenses'],
  ['PATCH', '/licenses'],
  ['PUT', `/licenses/activate/${license_key}`],
  ['DELETE', `/licenses/activate/${license_key}`],
  ['POST', `/licenses/deactivate/${activation.token}`],
  ['DELETE', `/licenses/validate/${activation.token}`],
  ['PUT', '/generators'],
  ['DELETE', '/generators'],
  ['GET', `/generators/${generator.id}/generate`],
  ['PUT', `/generators/${generator.id}/generate`],
  ['OPTIONS', '/nothing-here'],
  ['PROPFIND', '/licenses'],
  ['QUERY', '/licenses'],
];
const shown = (path: string) =>
  path.replace(license_key, '{key}').replace(activation.token, '{token}').replace(`${generator.id}`, '{id}');
for (const [method, path] of NO_ROUTES) {
  test(`${method} ${shown(path) || 'of the root'} is not a route: 404`, async () => {
    const body = await api.fails(404, 'rest_no_route', method, path);
    assert.deepEqual(body.data, { status: 404 });
  });
  test(`${method} ${shown(path) || 'of the root'} without credentials answers 401`, async () => {
    await api.fails(401, 'authentication_error', method, path, { credentials: null });
  });
}

for (const [what, raw] of [
  ['malformed JSON', { body: '{', type: 'application/json' }],
  ['an unsupported media type', { body: 'x', type: 'image/png' }],
] as const) {
  test(`an unknown route answers 404 even with ${what}`, async () => {
    await api.fails(404, 'rest_no_route', 'POST', '/nothing-here', { raw });
  });
}

test('an unknown path outside the API answers 401 without credentials and 404 with them', async () => {
  const origin = `http://127.0.0.1:${api.port}`;
  for (const path of [
    '/wp-json',
    '/wp-login.php',
    '/wp-json/dlm/v2/licenses',
    '/index.php',
    '/wp-json/dlm/v1licenses',
  ]) {
    assert.equal((await fetch(origin + path)).status, 401, path);
    const { consumerKey: key, consumerSecret: secret } = api.credentials;
    const response = await fetch(`${origin}${path}?consumer_key=${key}&consumer_secret=${secret}`);
    assert.equal(response.status, 404, path);
    assert.equal(((await response.json()) as { code: string }).code, 'rest_no_route');
  }
});

test('openapi.json ignores wrong credentials', async () => {
  const credentials = { consumerKey: 'ck_nobody', consumerSecret: 'cs_wrong' };
  assert.equal((await api.call('GET', '/openapi.json', { credentials })).status, 200);
});
