import type { Answer } from '../clients.ts';
import { each, HASH, type Requests, UNKNOWN_HASH, UNKNOWN_TOKEN } from './wire.ts';

const tokenOf = ({ body }: Answer): string => String(body?.data?.token ?? 'none');

/** Activating, validating and deactivating. */
export const activationRequests: Requests = async ({ group, api }) => {
  group('activations');
  await api('POST /licenses', {
    json: { license_key: 'ACT-0001', valid_for: 365, status: 'active', activations_limit: 3, product_id: 7 },
  });
  await api('POST /licenses', {
    json: { license_key: 'ACT-0002', valid_for: 0, status: 'active', activations_limit: 0 },
  });
  const headers = { 'user-agent': 'wire/1.0 (recorder)' };
  const first = tokenOf(await api('GET /licenses/activate/ACT-0001?label=Laptop', { headers }));
  const second = tokenOf(
    await api(
      'GET /licenses/activate/ACT-0001?label=Desk&meta[os]=linux&meta[n]=1&meta[list][]=a&software=99',
    ),
  );
  await api('POST /licenses/activate/ACT-0001', {
    json: { label: 'x'.repeat(300), meta: { a: 1, b: [true, null], ü: 'ö' }, software: 'none' },
  });
  await each(api, [
    'GET /licenses/activate/ACT-0001?label=too-many',
    'HEAD /licenses/activate/ACT-0001',
    'GET /licenses/ACT-0001',
    'GET /licenses/activate/WIRE-0003',
    'GET /licenses/activate/WIRE-0004',
    'GET /licenses/activate/unknown',
    `GET /licenses/activate/${UNKNOWN_HASH}`,
    `GET /licenses/activate/${HASH}?label=Hash`,
    'GET /licenses/activate/ACT-0002',
    'GET /licenses/activate/ACT-0002?label=&meta=text',
    'GET /licenses/activate/ACT-0002?label=a%00b',
    'GET /licenses/activate/ACT-0002/',
    'PUT /licenses/activate/ACT-0002',
  ]);
  await api('POST /licenses/activate/ACT-0002', { json: { meta: { big: 'x'.repeat(17_000) } } });
  await api('POST /licenses/activate/ACT-0002', { form: 'label=Form&meta[a][b]=c' });
  await api('POST /licenses/activate/ACT-0002', { json: { label: 5, meta: [] } });
  await each(api, [
    `GET /licenses/validate/${first}`,
    `HEAD /licenses/validate/${first}`,
    `GET /licenses/validate/${UNKNOWN_TOKEN}`,
    'GET /licenses/validate/a%00b',
    'GET /licenses/validate/short',
    `GET /licenses/activate/ACT-0001?token=${first}`,
    `GET /licenses/activate/ACT-0002?token=${first}`,
    `GET /licenses/activate/ACT-0001?token=${UNKNOWN_TOKEN}`,
    `HEAD /licenses/deactivate/${first}`,
    `GET /licenses/deactivate/${first}?software=1`,
    `GET /licenses/deactivate/${first}`,
    `POST /licenses/deactivate/${first}`,
    `GET /licenses/deactivate/${UNKNOWN_TOKEN}`,
    `GET /licenses/validate/${first}`,
    'GET /licenses/ACT-0001',
    'GET /licenses?license_key=ACT-0001',
    `GET /licenses/activate/ACT-0001?token=${first}&label=Other`,
    `GET /licenses/deactivate/${second}`,
    'GET /licenses/activate/ACT-0001?label=Third',
    `GET /licenses/activate/ACT-0001?token=${second}`,
  ]);
  await api('PUT /licenses/ACT-0001', { json: { status: 'disabled' } });
  await each(api, [
    `GET /licenses/validate/${first}`,
    `GET /licenses/activate/ACT-0001?token=${second}`,
    `GET /licenses/deactivate/${first}`,
  ]);
  await api('PUT /licenses/ACT-0001', { json: { status: 3, expires_at: '2001-01-01' } });
  await api('GET /licenses/activate/ACT-0001');
  await api('PUT /licenses/ACT-0001', { json: { expires_at: '' } });
};
