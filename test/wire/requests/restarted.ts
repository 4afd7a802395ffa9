import { basic, type Call } from '../clients.ts';
import { OWNER } from './console-people.ts';
import { each, type Requests, type Wire } from './wire.ts';

/** Above the number of other requests in a minute. */
const KEY_LIMIT = 80;
/** The settings of the second start, on the same database. */
export const RESTARTED = {
  LATCHKEY_BASE_URL: 'https://shop.example.test/shop',
  LATCHKEY_REST_PREFIX: 'api',
  LATCHKEY_TRUST_PROXY: 'yes',
  LATCHKEY_CORS_ORIGINS: 'https://a.example.test,https://b.example.test',
  LATCHKEY_RATE_LIMIT: '3',
  LATCHKEY_API_KEY_RATE_LIMIT: String(KEY_LIMIT),
  LATCHKEY_FAILURE_LIMIT: '2',
  LATCHKEY_SIGN_IN_LIMIT: '2',
};
const ROOT = '/shop/api/dlm/v1';

let addresses = 0;
/** Gives every request its own address, so that only the requests that test a limit are limited. */
const fromAnywhere = (call: Call): Call => {
  return (what, options = {}) => {
    addresses++;
    const address = `10.1.${addresses >> 8}.${addresses & 255}`;
    return call(what, { ...options, headers: { 'x-forwarded-for': address, ...options.headers } });
  };
};

/** A base URL with a path, another prefix, CORS for some origins, limits, and values written in the background. */
export const restartedRequests: Requests = async (wire) => {
  const { group, v1, keys, call } = wire;
  addresses = 0;
  group('deployment');
  const api = fromAnywhere(v1(keys.full, ROOT));
  const plain = fromAnywhere(call);
  await each(api, [
    'GET /licenses?per_page=1',
    'GET /licenses/WIRE-0001',
    'GET /licenses/WIRE-0001/',
    'GET /software/2',
    'GET /licenses/activate/ACT-0002?label=Proxy',
    'GET /nothing',
    'GET /audit/counts',
    'GET /audit/counts?per_page=1&page=2',
    'HEAD /audit/counts',
  ]);
  const headers = { authorization: basic(keys.full) };
  // The page with the API reference changes with the product.
  for (const path of [
    '/api/dlm/v1/generators?per_page=1',
    '/wp-json/dlm/v1/generators',
    '/shop/?rest_route=/dlm/v1/generators&per_page=1',
    '/shop?rest_route=/dlm/v1/generators/1',
    '/shop/index.php?rest_route=/dlm/v1/generators/1',
    '/shopping/api/dlm/v1/generators',
    '/shop/healthz',
    '/shop/docs',
    '/shop/console',
    '/shop/',
  ])
    await plain(`GET ${path}`, { headers, omitted: { body: path === '/shop/docs' } });
  for (const origin of ['https://a.example.test', 'https://c.example.test']) {
    await api('GET /generators/1', { headers: { origin } });
    const method = { 'access-control-request-method': 'DELETE' };
    await plain(`OPTIONS ${ROOT}/licenses`, { headers: { origin, ...method } });
  }
  await dashboard(wire);
  await limits(wire);
};

async function dashboard({ group, browser }: Wire): Promise<void> {
  group('console-dashboard');
  const owner = browser('/shop/console/api');
  owner.csrf = 'none';
  const call: Call = fromAnywhere((what, options) => owner.call(what, options));
  await call('POST /session', { json: { email: OWNER.email, password: OWNER.password } });
  await each(call, [
    'GET /session',
    'GET /dashboard',
    'GET /dashboard?days=2',
    'GET /dashboard?days=0',
    'GET /dashboard?days=x',
    'GET /api-keys',
    'GET /software/2/downloads',
    'GET /nothing',
  ]);
}

/** Tests each limit from its own address. The first request above the limit is the last. */
async function limits({ group, v1, keys, browser }: Wire): Promise<void> {
  group('limits');
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const api = v1(keys.full, ROOT);
  for (const what of [
    'GET /generators/1',
    'GET /generators/77',
    'HEAD /generators/1',
    'GET /generators/1',
    'GET /nothing',
  ])
    await api(what, from('10.2.0.1'));
  await api('GET /generators/1', from('10.2.0.2, 10.2.0.1'));
  await api('GET /generators/1', from('2001:db8::1'));
  await api('GET /generators/1', from('2001:db8::2'));
  const wrong = v1({ consumerKey: keys.full.consumerKey, consumerSecret: 'wrong' }, ROOT);
  for (const _ of [1, 2, 3]) await wrong('GET /generators/1', from('10.2.0.3'));
  const client = v1(keys.client, ROOT);
  for (const key of ['a', 'b', 'c']) await client(`GET /licenses/activate/unknown-${key}`, from('10.2.0.4'));
  const read = fromAnywhere(v1(keys.read, ROOT));
  for (let sent = 0; sent < KEY_LIMIT; sent++) await read('GET /generators/1', { isSilent: true });
  await read('GET /generators/1');
  group('console-limits');
  const nobody = browser('/shop/console/api');
  nobody.csrf = 'none';
  for (const _ of [1, 2, 3])
    await nobody.call('POST /session', {
      json: { email: 'x@example.test', password: 'x' },
      ...from('10.2.0.5'),
    });
}
