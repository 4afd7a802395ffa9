import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { basicHeader } from '../support/http/api.ts';
import { exchange } from '../support/http/wire.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const origin = `http://127.0.0.1:${api.port}`;
const authorization = basicHeader(api.credentials);

/** Sends a request target unchanged: fetch would resolve dots and encode characters. */
const raw = (target: string, method = 'GET') =>
  exchange(
    api.port,
    `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\nConnection: close\r\n\r\n`,
    { head: method === 'HEAD' },
  );

test('the API root is /wp-json/dlm/v1 by default', async () => {
  assert.equal((await raw('/wp-json/dlm/v1/licenses')).status, 200);
  assert.equal((await raw('/dlm/v1/licenses')).status, 404);
});

for (const form of ['/?rest_route=', '/index.php?rest_route=', '?rest_route=', '/?x=1&rest_route=']) {
  test(`the routes answer at ${form}/dlm/v1/…`, async () => {
    const { license_key, id } = await api.license();
    const target = form.startsWith('?') ? `/${form}` : form;
    assert.equal((await raw(`${target}/dlm/v1/licenses/${license_key}`)).json().data.id, id);
    assert.equal(
      (await raw(`${target}${encodeURIComponent(`/dlm/v1/licenses/${license_key}`)}`)).json().data.id,
      id,
    );
  });
}

test('parameters beside rest_route are the parameters of the request', async () => {
  const { license_key, id } = await api.license({ order_id: 4711 });
  const answer = await raw('/?order_id=4711&rest_route=/dlm/v1/licenses&per_page=1');
  assert.deepEqual([answer.json().data.length, answer.json().data[0].id], [1, id]);
  const response = await fetch(`${origin}/?rest_route=/dlm/v1/licenses/${license_key}`, {
    method: 'PUT',
    headers: { authorization },
    body: new URLSearchParams({ order_id: '5' }),
  });
  assert.equal(((await response.json()) as { data: { order_id: number } }).data.order_id, 5);
});

test('authentication considers only the resolved route', async () => {
  for (const target of [
    '/?rest_route=/dlm/v1/licenses',
    '/index.php?rest_route=%2Fdlm%2Fv1%2Flicenses&x=/docs',
  ]) {
    assert.equal((await fetch(origin + target)).status, 401);
  }
  const sneaky = '/wp-json/dlm/v1/licenses?rest_route=/dlm/v1/openapi.json';
  assert.equal((await fetch(origin + sneaky)).status, 401, 'rest_route counts at / and /index.php only');
  assert.equal((await fetch(`${origin}/?rest_route=/dlm/v1/openapi.json`)).status, 200);
});

test('query credentials work beside rest_route', async () => {
  const { consumerKey, consumerSecret } = api.credentials;
  const query = `consumer_key=${consumerKey}&consumer_secret=${consumerSecret}`;
  assert.equal((await fetch(`${origin}/?${query}&rest_route=/dlm/v1/licenses`)).status, 200);
  assert.equal((await fetch(`${origin}/?rest_route=/dlm/v1/licenses&${query}`)).status, 200);
});

test('a trailing slash is ignored', async () => {
  const { license_key } = await api.license();
  for (const path of ['/licenses/', `/licenses/${license_key}/`, '/generators/']) {
    assert.equal((await raw(`/wp-json/dlm/v1${path}`)).status, 200, path);
    assert.equal((await raw(`/wp-json/dlm/v1${path}?page=1`)).status, 200, path);
    assert.equal((await raw(`/?rest_route=/dlm/v1${path}`)).status, 200, path);
  }
});

test('doubled slashes and index.php reach the same routes as on WordPress, and still need credentials', async () => {
  const { license_key, id } = await api.license({ license_key: `a//b/${Math.random()}/` });
  const key = encodeURIComponent(license_key);
  for (const path of [
    `//wp-json/dlm/v1/licenses/${key}`,
    `/wp-json//dlm/v1//licenses///${key}//`,
    `/index.php/wp-json/dlm/v1/licenses/${key}`,
    `//index.php//wp-json//dlm/v1/licenses/${key}/?x=1`,
    `http://example.com//wp-json//dlm/v1/licenses/${key}`,
    `/?rest_route=//dlm/v1//licenses/${encodeURIComponent(key)}`,
    `/?rest_route=${encodeURIComponent(`//dlm/v1/licenses/${key}`)}`,
  ]) {
    const answer = await raw(path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.json().data.id, id, path);
  }
  for (const path of ['//wp-json/dlm/v1/licenses', '/index.php/wp-json/dlm/v1/licenses'])
    assert.equal((await fetch(origin + path)).status, 401, path);
  for (const path of [
    '//example.com/wp-json/dlm/v1/licenses',
    '/index.php/index.php/wp-json/dlm/v1/licenses',
  ])
    assert.equal((await raw(path)).status, 404, path);
});

const KEYS = [
  'a/b',
  '/',
  'a b',
  ' leading',
  'Ключ',
  '键',
  '🔑',
  'a%2Fb',
  '%',
  '100%',
  '%25',
  '%zz',
  'a+b',
  'a?b',
  'a#b',
  'a&b=c',
  'a;b',
  'a\\b',
  '.',
  '..',
  '../../etc',
  'a"b',
  "a'b",
  '<b>',
  ':license_key',
  '*',
  '[x]',
  '{x}',
  'activate',
  'activate/x',
  'validate/x',
  'tab\there',
  'line\nbreak',
  '\u202e',
  'e\u0301',
  'ß',
  '0',
  '1',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  '~',
  '|',
  'a,b',
  '@',
  '$',
  '!',
];
for (const key of KEYS) {
  test(`a key can hold any character: ${JSON.stringify(key)} is found by its path and by rest_route`, async () => {
    const license = await api.license({ license_key: key });
    assert.equal(license.license_key, key);
    const encoded = encodeURIComponent(key);
    assert.equal((await raw(`/wp-json/dlm/v1/licenses/${encoded}`)).json().data?.id, license.id);
    assert.equal(
      (await raw(`/wp-json/dlm/v1/licenses/activate/${encoded}`)).json().data?.license_id,
      license.id,
    );
    const route = encodeURIComponent(`/dlm/v1/licenses/${encoded}`);
    assert.equal((await raw(`/?rest_route=${route}`)).json().data?.id, license.id);
    assert.equal((await raw(`/wp-json/dlm/v1/licenses/${encoded}`, 'DELETE')).status, 200);
  });
}

test('keys are compared exactly: case, width and composition count', async () => {
  await api.license({ license_key: 'Exact-é' });
  for (const other of ['exact-é', 'EXACT-É', 'Exact-e\u0301', 'Exact-é ', ' Exact-é', 'Exact-e']) {
    await api.fails(404, 'data_error', 'GET', `/licenses/${encodeURIComponent(other)}`);
  }
});

test('nothing in the query string or body ever replaces a path parameter', async () => {
  const [one, other] = [await api.license(), await api.license()];
  const query = { license_key: other.license_key, id: other.id };
  assert.equal((await api.ok('GET', `/licenses/${one.license_key}`, { query })).id, one.id);
  assert.equal((await api.activation(one.license_key, query)).license_id, one.id);
  await api.ok('DELETE', `/licenses/${one.license_key}`, { query });
  await api.ok('GET', `/licenses/${other.license_key}`);
  const [g, h] = [await api.generator(), await api.generator()];
  const json = { generator_id: h.id, id: h.id, name: 'Changed' };
  assert.equal(
    (await api.ok('PUT', `/generators/${g.id}`, { json, query: { generator_id: h.id } })).id,
    g.id,
  );
  assert.equal((await api.ok('GET', `/generators/${h.id}`)).name, 'Test');
  const [a, b] = [await api.activation(other.license_key), await api.activation(other.license_key)];
  const named = { activation_token: b.token, token: b.token };
  assert.equal((await api.ok('GET', `/licenses/deactivate/${a.token}`, { query: named })).id, a.id);
});

test('a path segment is a record id only under /generators', async () => {
  const license = await api.license();
  const activation = await api.activation(license.license_key);
  await api.fails(404, 'data_error', 'GET', `/licenses/${license.id}`);
  await api.fails(404, 'data_error', 'PUT', `/licenses/${license.id}`, { json: { order_id: 1 } });
  await api.fails(404, 'data_error', 'GET', `/licenses/activate/${license.id}`);
  await api.fails(404, 'data_error', 'GET', `/licenses/validate/${activation.id}`);
  await api.fails(404, 'data_error', 'GET', `/licenses/deactivate/${activation.id}`);
});

test('a key that equals the id of another license names its own license', async () => {
  const one = await api.license();
  const named = await api.license({ license_key: String(one.id) });
  assert.equal((await api.ok('GET', `/licenses/${one.id}`)).id, named.id);
});
