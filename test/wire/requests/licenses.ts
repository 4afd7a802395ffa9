import { each, FAR, HASH, LONG_AGO, type Requests, UNKNOWN_HASH } from './wire.ts';

const BASE = { valid_for: 365, status: 'active', activations_limit: 2 };

const REFUSED: readonly object[] = [
  {},
  { license_key: 'X' },
  { ...BASE },
  { ...BASE, license_key: '' },
  { ...BASE, license_key: '   ' },
  { ...BASE, license_key: 'hashed-1' },
  { ...BASE, license_key: 'x'.repeat(256) },
  { ...BASE, license_key: 'a\u0000b' },
  { ...BASE, license_key: 7 },
  { ...BASE, license_key: 'X', status: 'gone' },
  { ...BASE, license_key: 'X', status: 6 },
  { ...BASE, license_key: 'X', status: '' },
  { ...BASE, license_key: 'X', valid_for: 'abc' },
  { ...BASE, license_key: 'X', valid_for: 1.5 },
  { ...BASE, license_key: 'X', valid_for: -1 },
  { ...BASE, license_key: 'X', valid_for: 2 ** 31 },
  { ...BASE, license_key: 'X', valid_for: 2 ** 31 - 1 },
  { ...BASE, license_key: 'X', activations_limit: true },
  { ...BASE, license_key: 'X', activations_limit: [1] },
  { ...BASE, license_key: 'X', order_id: '1e3' },
  { ...BASE, license_key: 'X', product_id: 2 ** 53 },
  { ...BASE, license_key: 'X', user_id: {} },
  { ...BASE, license_key: 'X', expires_at: '2099-02-30' },
  { ...BASE, license_key: 'X', expires_at: 'tomorrow' },
  { ...BASE, license_key: 'X', expires_at: '+10000-01-01T00:00:00Z' },
];

const CREATED: readonly object[] = [
  { license_key: 'WIRE-0001', ...BASE, order_id: 1001, product_id: 7, user_id: 42 },
  { license_key: 'WIRE-0002', ...BASE, status: 'SOLD', valid_for: 0, activations_limit: 0 },
  { license_key: 'WIRE-0003', ...BASE, status: 5, expires_at: FAR, product_id: '8' },
  { license_key: 'WIRE-0004', ...BASE, status: '3', expires_at: LONG_AGO, product_id: 7 },
  { license_key: 'wire-0001', ...BASE, status: 'inactive', order_id: null, product_id: '' },
  { license_key: 'Ключ / 鍵 ?#%', ...BASE, expires_at: '2099-06-01' },
  { license_key: 'WIRE-0007', ...BASE, expires_at: '2099-06-01T10:20:30+02:00', unknown: 1, id: 99 },
  { license_key: 'WIRE-0008', ...BASE, status: 'delivered', valid_for: '30', activations_limit: '5' },
];

/** Licenses of the v1 API. */
export const licenseRequests: Requests = async ({ group, api }) => {
  group('licenses');
  await api('GET /licenses');
  for (const json of CREATED) await api('POST /licenses', { json });
  for (const json of REFUSED) await api('POST /licenses', { json });
  const form = 'license_key=FORM-1&valid_for=10&status=active&activations_limit=1';
  await api('POST /licenses', { form: `${form}&expires_at=2099-01-02%2003%3A04%3A05` });
  await api(`POST /licenses?${form.replace('FORM-1', 'QUERY-1')}`);
  await api('POST /licenses?license_key=QUERY-2&status=5', {
    json: { valid_for: 0, status: 1, activations_limit: 0 },
  });
  await api('POST /licenses', {
    multipart: [
      ['license_key', 'MULTIPART-1'],
      ['valid_for', '0'],
      ['status', 'active'],
      ['activations_limit', '1'],
      ['ignored', ['a.txt', 'text/plain', 'a file']],
    ],
  });
  await each(api, [
    'GET /licenses',
    'HEAD /licenses',
    'GET /licenses?per_page=3',
    'GET /licenses?per_page=3&page=2',
    'GET /licenses?per_page=3&page=4',
    'GET /licenses?per_page=3&page=9',
    'GET /licenses?per_page=3&before=5',
    'GET /licenses?per_page=2&page=2&before=8&status[]=3&status[]=1&consumer_key=ck_1',
    'GET /licenses?page=0',
    'GET /licenses?page=abc&per_page=1001',
    'GET /licenses?per_page=1.5',
    'GET /licenses?before=0',
    'GET /licenses?page=&per_page=',
    'GET /licenses?status=active',
    'GET /licenses?status[0]=sold&status[1]=5',
    'GET /licenses?status=nothing',
    'GET /licenses?status=',
    'GET /licenses?license_key=WIRE-0002',
    `GET /licenses?license_key=${UNKNOWN_HASH}`,
    'GET /licenses?order_id=1001',
    'GET /licenses?product_id=7',
    'GET /licenses?product_id=x',
    'GET /licenses?user_id=42',
    'GET /licenses?source=3',
    'GET /licenses?source=77',
    'GET /licenses/WIRE-0001',
    'HEAD /licenses/WIRE-0001',
    'GET /licenses/WIRE-0001/',
    'GET /licenses/WIRE%2d0001',
    `GET /licenses/${encodeURIComponent('Ключ / 鍵 ?#%')}`,
    'GET /licenses/wire-0001',
    'GET /licenses/Wire-0001',
    'GET /licenses/1',
    'GET /licenses/a%00b',
    'GET /licenses/%ff',
    'GET /licenses/%zz',
    `GET /licenses/${UNKNOWN_HASH}`,
    `GET /licenses/${HASH}`,
    `GET /licenses?license_key=${HASH}`,
    `GET /licenses/${HASH.toUpperCase()}`,
    'GET /licenses/hashed-',
    'GET /licenses/unknown?license_key=WIRE-0001',
  ]);
  const update = (json: object, what = 'PUT /licenses/WIRE-0008') => api(what, { json });
  await update({ status: 'active' });
  await update({ valid_for: 60 });
  await update({ expires_at: FAR }, 'PATCH /licenses/WIRE-0008');
  await update({ expires_at: null, order_id: 5 }, 'POST /licenses/WIRE-0008');
  await update({ order_id: '', product_id: null, user_id: 3 });
  await update({});
  await update({ id: 1, created_at: LONG_AGO, times_activated: 7 });
  await update({ license_key: 'WIRE-0008B' });
  await update({ activations_limit: 1 });
  await update({ license_key: 'WIRE-0008' }, 'PUT /licenses/WIRE-0008B');
  await update({ license_key: 'WIRE-0001' });
  for (const json of [
    { license_key: '' },
    { license_key: null },
    { status: null },
    { valid_for: null, activations_limit: '' },
    { valid_for: 'x', status: 9, expires_at: 'y', order_id: -1 },
  ])
    await update(json);
  await update({ status: 1 }, 'PUT /licenses/unknown');
  await update({ status: 1 }, `PUT /licenses/${UNKNOWN_HASH}`);
  await update({ user_id: 43 }, `PUT /licenses/${HASH}`);
  await api('PUT /licenses/WIRE-0008', { form: 'status=delivered&activations_limit=3' });
  await api('PUT /licenses/WIRE-0008?status=4');
  await api('DELETE /licenses/wire-0001', { json: { license_key: 'WIRE-0001' } });
  await each(api, [
    'GET /licenses/wire-0001',
    'DELETE /licenses/wire-0001',
    `DELETE /licenses/${UNKNOWN_HASH}`,
    'DELETE /licenses',
    'GET /licenses?per_page=1',
  ]);
};
