import { basic } from '../clients.ts';
import { each, type Requests, UNKNOWN_TOKEN } from './wire.ts';

/** Credentials, and the permissions, endpoints and products of API keys. */
export const authenticationRequests: Requests = async ({ group, v1, keys }) => {
  group('authentication');
  const nobody = v1(null);
  const { consumerKey, consumerSecret } = keys.full;
  const query = (key: string, secret: string) => `consumer_key=${key}&consumer_secret=${secret}`;
  const unknown = `ck_${'0'.repeat(40)}`;
  const wrong = `cs_${'0'.repeat(40)}`;
  await each(nobody, [
    'GET /licenses',
    'HEAD /licenses',
    'POST /licenses',
    'GET /nothing',
    'GET /licenses/unknown',
    `GET /licenses?consumer_key=${consumerKey}`,
    `GET /licenses?${query(unknown, consumerSecret)}`,
    `GET /licenses?${query(consumerKey, wrong)}`,
    `GET /licenses?per_page=1&${query(consumerKey, consumerSecret)}`,
    `GET /licenses?per_page=1&page=2&${query(consumerKey, consumerSecret)}`,
    `GET /licenses?${query('', '')}`,
    `GET /licenses?consumer_key[]=${consumerKey}&consumer_secret=${consumerSecret}`,
  ]);
  await nobody('POST /licenses', { json: { consumer_key: consumerKey, consumer_secret: consumerSecret } });
  for (const authorization of [
    'Bearer abc',
    'Basic',
    'Basic !!!',
    basic({ consumerKey: '', consumerSecret: '' }),
    basic({ consumerKey, consumerSecret: '' }),
    basic({ consumerKey: unknown, consumerSecret }),
    basic({ consumerKey, consumerSecret: wrong }),
    basic({ consumerKey: consumerSecret, consumerSecret: consumerKey }),
    `bASIC   ${basic(keys.full).slice(6)}`,
  ])
    await nobody('GET /licenses?per_page=1', { headers: { authorization } });
  await v1(keys.full)(`GET /licenses?${query(unknown, wrong)}`);
  await v1(keys.revoked)('GET /licenses');

  await each(v1(keys.read), [
    'GET /licenses?per_page=1',
    'HEAD /generators',
    'POST /licenses',
    'PUT /licenses/unknown',
    'DELETE /licenses/WIRE-0001',
    'POST /generators/1/generate',
    'GET /licenses/activate/ACT-0002?label=Read',
    'POST /licenses/activate/ACT-0002',
    'GET /nothing',
  ]);
  await each(v1(keys.write), [
    'GET /licenses',
    'GET /licenses/WIRE-0001',
    `GET /licenses/validate/${UNKNOWN_TOKEN}`,
    'PUT /licenses/WIRE-0001',
    'GET /audit',
    'GET /software/download/x',
  ]);
  await each(v1(keys.client), [
    'GET /licenses',
    'GET /licenses/WIRE-0001',
    'GET /licenses/unknown',
    'GET /generators',
    'GET /software',
    'GET /software/1',
    'GET /software/1/releases',
    'GET /audit',
    'GET /audit/counts',
    'GET /licenses/activate/ACT-0002?label=Client',
    `GET /licenses/validate/${UNKNOWN_TOKEN}`,
  ]);
  const limited = v1(keys.products);
  await each(limited, [
    'GET /licenses',
    'GET /licenses/WIRE-0001',
    'GET /licenses/WIRE-0002',
    'GET /licenses/activate/ACT-0002',
    'PUT /licenses/WIRE-0003',
    'DELETE /licenses/WIRE-0002',
    'GET /generators',
    'GET /generators/1',
    'POST /generators/2/generate?amount=1',
    'GET /software',
    'GET /software/1',
    'GET /software/2',
    'PUT /software/1',
    'DELETE /software/2',
    'GET /software/1/releases',
    'GET /software/1/downloads',
    'GET /audit',
    'GET /audit/counts',
  ]);
  const values = { valid_for: 0, status: 1, activations_limit: 0 };
  for (const product_id of [undefined, 8, 7])
    await limited('POST /licenses', { json: { license_key: 'LIMITED-1', ...values, product_id } });
  await limited('PUT /licenses/LIMITED-1', { json: { product_id: 8 } });
  await limited('POST /generators', { json: { name: 'x', charset: 'AB', chunks: 1, chunk_length: 4 } });
  await limited('POST /software', { json: { name: 'Limited', product_ids: [8] } });
  await limited('POST /software', { json: { name: 'Limited', product_ids: [7] } });
  await limited('DELETE /licenses/LIMITED-1');
};

/** Addresses of routes, methods, preflights and bodies. */
export const addressRequests: Requests = async ({ group, api, call, keys }) => {
  group('addresses');
  const headers = { authorization: basic(keys.full) };
  for (const path of [
    '/?rest_route=/dlm/v1/licenses&per_page=1',
    '/?per_page=1&rest_route=%2Fdlm%2Fv1%2Flicenses%2FWIRE-0001',
    '/index.php?rest_route=/dlm/v1/generators/1/',
    '/?rest_route=dlm/v1/software/1',
    '/?rest_route=/dlm/v1/licenses&per_page=1&page=2',
    '/?rest_route=/dlm/v1/nothing',
    '/?rest_route=%zz',
    '/?rest_route=/wp/v2/posts',
    '/wp-json',
    '/wp-json/',
    '/wp-json/dlm/v1',
    '/wp-json/dlm/v2/licenses',
    '/dlm/v1/licenses',
    '//wp-json/dlm/v1/licenses?per_page=1',
    'http://other.example.test/wp-json/dlm/v1/generators/1',
  ])
    await call(`GET ${path}`, { headers });
  await call('GET /?rest_route=/dlm/v1/licenses');
  await call('GET /nothing');
  await call('GET /');
  await call('GET /', { headers: { accept: 'text/html' } });
  await each(api, [
    'GET /nothing',
    'GET /licenses//?per_page=1',
    'PUT /licenses',
    'PATCH /generators',
    'DELETE /software',
    'POST /licenses/validate/x',
    'POST /audit',
    'OPTIONS /licenses',
    'TRACE /licenses',
    'GET /licenses/a/b',
  ]);
  await api('GET /openapi.json/', { omitted: { hash: true } });
  const preflight = (method: string, path: string) =>
    call(`OPTIONS ${path}`, {
      headers: {
        origin: 'https://shop.example.test',
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization, content-type',
      },
    });
  await preflight('PUT', '/wp-json/dlm/v1/licenses/x');
  await preflight('GET', '/nothing');
  await preflight('POST', '/console/api/session');
  await call('OPTIONS /wp-json/dlm/v1/licenses', { headers: { origin: 'https://shop.example.test' } });
  await api('GET /licenses?per_page=1', { headers: { origin: 'https://shop.example.test' } });
  await api('GET /licenses/unknown', { headers: { origin: 'null' } });
};

/** Bodies and parameters that cannot be read. */
export const bodyRequests: Requests = async ({ group, api }) => {
  group('bodies');
  const url = 'PUT /licenses/WIRE-0002';
  const json = 'application/json';
  for (const body of [
    '{',
    '[]',
    '1',
    'null',
    '"x"',
    '{"order_id": 1',
    '\ufeff{"order_id": 1}',
    ' {"order_id": 2} ',
  ])
    await api(url, { body, type: json });
  await api(url, { body: Buffer.from([0x7b, 0xff, 0x7d]), type: json });
  await api(url, { body: '', type: json });
  await api(url, { body: '{"order_id": 3}', type: `${json}; charset=iso-8859-1` });
  await api(url, { body: '{"order_id": 4}' });
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
    await api(url, { body: '{"order_id": 5}', type });
  for (const type of ['text/plain', 'application/xml', 'application/json5', 'multipart/form-data', 'x'])
    await api(url, { body: 'order_id=6', type });
  for (const body of ['{"order_id": 1.0}', '{"order_id": 1e3}', '{"order_id": "0007"}', '{"order_id": " 7"}'])
    await api(url, { body, type: json });
  await api(url, { body: '{"order_id": 7}', type: json, headers: { 'content-encoding': 'gzip' } });
  await api(url, { body: '{"order_id": 7}', type: json, headers: { 'content-encoding': 'identity' } });
  await api(url, { body: '{', type: json, announced: 1024 * 1024 + 1 });
  await api(url, { body: `{"x": "${'x'.repeat(300_000)}", "order_id": 8}`, type: json });
  await api(url, { form: 'order_id=9&order_id=10' });
  await api(url, { form: 'order_id[]=11' });
  await api(url, { form: 'order_id=%zz&user_id=%ff' });
  await api(url, { form: `x${'[a]'.repeat(100)}=1` });
  await api(url, { form: Array.from({ length: 10_001 }, (_, i) => `a${i}=1`).join('&'), isSilent: true });
  await api(url, { body: '--wire\r\nnonsense', type: 'multipart/form-data; boundary=wire' });
  await api('GET /licenses', { headers: { 'x-long': 'x'.repeat(70_000) }, isAlone: true });
  await api(`GET /licenses/WIRE-0001?x=${'y'.repeat(20_000)}`);
  await api('GET /licenses?status[0]=1&status[2]=5&per_page=1');
  await api('GET /licenses?status[a]=1');
  await api('GET /licenses?status[]=');
  await api(`GET /licenses?${'a[]=1&'.repeat(1_001)}`, { isSilent: true });
  await api('GET /licenses?per_page=1', { body: '{"page": 9}', type: json });
  await api('DELETE /licenses/unknown', { body: '{', type: json });
  await api('PUT /licenses/WIRE-0002', { headers: { expect: '100-continue' }, json: { order_id: 12 } });
};

/** The audit trail of the v1 API. */
export const auditRequests: Requests = async ({ group, api }) => {
  group('audit');
  await each(api, [
    'GET /audit?per_page=40',
    'GET /audit?per_page=3&before=20',
    'HEAD /audit?per_page=1',
    'GET /audit?action=license.create&per_page=2',
    'GET /audit?action[]=license.update&action[]=generator.update&per_page=3',
    'GET /audit?action=nothing',
    'GET /audit?subject=license:1',
    'GET /audit?subject=license',
    'GET /audit?api_key_id=1&per_page=1',
    'GET /audit?user_id=1&per_page=1',
    'GET /audit?from=2001-01-01&to=2001-12-31',
    'GET /audit?from=x&to=y',
    'GET /audit?per_page=0',
    'GET /audit?before=x',
    'GET /audit/counts?from=2001-01-01&to=2001-12-31',
    'GET /audit/counts?from=x',
    'GET /audit/counts?page=x',
    'GET /audit/1',
  ]);
};
