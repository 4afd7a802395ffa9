import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { keepHouse } from '../../../src/server/housekeeping.ts';
import { signedIn } from '../../support/console/console.ts';
import { numberOf, runSql, storedBytes } from '../../support/engine.ts';
import { silent } from '../../support/log.ts';
import { type Running, startService } from '../../support/service.ts';

const START = Date.parse('2030-06-01T12:00:00Z');
const DAY_MS = 86_400_000;
const LIMIT = 6;
let now = START;
// The settings of other suites would hide the behavior under test: CORS for any origin, and the limit of failures.
const api = await startService(
  { after },
  {
    clock: () => now,
    server: { corsOrigins: ['https://app.example'], failureLimit: LIMIT, trustProxy: true },
  },
);
test.beforeEach(() => {
  now = START;
});

type Headers_ = Record<string, string>;
const JSON_TYPE = { 'content-type': 'application/json' };
const from = (ip: string): Headers_ => ({ 'x-forwarded-for': ip });
const bearer = (token: string): Headers_ => ({ authorization: `Bearer ${token}` });
const keyed = (key: string): Headers_ => ({ 'idempotency-key': key });

/** The documentation pages to which the `type` of problems refers. */
const pages: Record<string, Promise<string>> = {};

async function send(path: string, init: RequestInit, { port }: Running = api) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  assert.equal(isProblem, response.status >= 400, `${path}: ${response.status} ${text}`);
  const body = text === '' ? null : JSON.parse(text);
  if (isProblem) {
    assert.equal(body.status, response.status);
    const { origin, pathname, hash } = new URL(body.type);
    pages[origin + pathname] ??= fetch(origin + pathname).then((page) => page.text());
    assert.ok((await pages[origin + pathname])?.includes(` id="${hash.slice(1)}"`), body.type);
  }
  return { status: response.status, headers: response.headers, body };
}
const post = (operation: string, body: unknown, headers: Headers_ = {}) =>
  send(`/client/v1/${operation}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
  });
async function refused(code: string, status: number, answer: ReturnType<typeof post>) {
  const { body, ...sent } = await answer;
  assert.deepEqual([body.code, sent.status], [code, status], JSON.stringify(body));
  return { body, ...sent };
}
const activated = async (values: object = {}, body: object = {}) => {
  const license = await api.license({ activations_limit: 5, ...values });
  const made = await post('activate', { license_key: license.license_key, ...body });
  assert.equal(made.status, 201);
  return { license, activation: made.body.activation };
};

suite('Idempotency-Key', () => {
  test('repeats the answer of activate for a day, even if the license has changed', async () => {
    const { license_key } = await api.license({ activations_limit: 5 });
    const sent = { license_key, label: 'Laptop', meta: { a: 1, b: { c: 2, d: 3 } } };
    const first = await post('activate', sent, keyed('k'));
    // The same fields in another order, and an unknown field.
    const same = { label: 'Laptop', meta: { b: { d: 3, c: 2 }, a: 1 }, license_key, more: 1 };
    now += DAY_MS - 1_000;
    await api.ok('PUT', `/licenses/${license_key}`, { json: { status: 'disabled' } });
    const again = await post('activate', same, keyed('k'));
    assert.deepEqual([again.status, again.body.activation], [201, first.body.activation]);
    await refused('idempotency_key_reused', 422, post('activate', { ...sent, label: 'PC' }, keyed('k')));
    await refused('license_disabled', 403, post('activate', sent, keyed('other')));
    now += 1_000;
    await api.ok('PUT', `/licenses/${license_key}`, { json: { status: 'active' } });
    const later = await post('activate', { ...sent, label: 'PC' }, keyed('k'));
    assert.deepEqual([later.status, later.body.license.seats.used], [201, 2]);
  });

  test('repeats a 200, too, and belongs to one license', async () => {
    const { license } = await activated({}, { fingerprint: 'f' });
    const sent = { license_key: license.license_key, fingerprint: 'f', label: 'A' };
    for (const _ of [1, 2]) assert.equal((await post('activate', sent, keyed('k'))).status, 200);
    const other = await api.license();
    const elsewhere = { ...sent, license_key: other.license_key };
    assert.equal((await post('activate', elsewhere, keyed('k'))).status, 201);
  });

  test('with many concurrent requests takes one seat', async () => {
    const { license_key } = await api.license({ activations_limit: 50 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post('activate', { license_key }, keyed('k'))),
    );
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    assert.equal(new Set(answers.map(({ body }) => body.activation.token)).size, 1);
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).times_activated, 1);
  });

  test('of a repeated deactivation does not end a later reactivation', async () => {
    const { license, activation } = await activated();
    const mine = { ...bearer(activation.token), ...keyed('k') };
    assert.equal((await post('deactivate', {}, mine)).status, 204);
    await api.ok('POST', `/licenses/activate/${license.license_key}`, { json: { token: activation.token } });
    assert.equal((await post('deactivate', {}, mine)).status, 204);
    assert.equal((await post('validate', {}, bearer(activation.token))).status, 200);
    const other = await post('activate', { license_key: license.license_key });
    const others = { ...bearer(other.body.activation.token), ...keyed('k') };
    await refused('idempotency_key_reused', 422, post('deactivate', {}, others));
    await refused(
      'idempotency_key_reused',
      422,
      post('activate', { license_key: license.license_key }, keyed('k')),
    );
  });

  test('stays free after a refusal: the user may have corrected the cause', async () => {
    const { license, activation } = await activated({ activations_limit: 1 });
    const second = () => post('activate', { license_key: license.license_key }, keyed('k'));
    await refused('seat_limit_reached', 409, second());
    await post('deactivate', {}, bearer(activation.token));
    assert.equal((await second()).status, 201);
  });

  test('of a deleted activation performs the request again', async () => {
    const { license_key } = await api.license();
    const first = await post('activate', { license_key }, keyed('k'));
    const { id } = first.body.activation;
    await api.service.execute('delete-activation', { id }, SYSTEM);
    for (const _ of [1, 2]) {
      const again = await post('activate', { license_key }, keyed('k'));
      assert.deepEqual([again.status, again.body.license.seats.used], [201, 1]);
    }
  });

  test('has 1 to 255 characters', async () => {
    const { license_key } = await api.license();
    for (const key of ['', 'x'.repeat(256)]) {
      const { body } = await refused('invalid_request', 422, post('activate', { license_key }, keyed(key)));
      assert.deepEqual(Object.keys(body.params), ['idempotency-key']);
    }
    assert.equal((await post('activate', { license_key }, keyed('x'.repeat(255)))).status, 201);
  });

  test('is stored without secrets, and housekeeping deletes it after a day', async () => {
    const key = 'MARK-of-an-idempotency-key';
    const { license_key } = await api.license({ activations_limit: 9 });
    const { body } = await post('activate', { license_key }, keyed(key));
    const stored = Buffer.concat(await storedBytes(api.dataDir)).toString('latin1');
    for (const secret of [key, license_key, body.activation.token])
      assert.ok(!stored.includes(secret), secret);
    const count = () => numberOf(api.dataDir, 'select count(*) from idempotency_keys');
    await runSql(api.dataDir, 'delete from idempotency_keys');
    await post('activate', { license_key }, keyed('early'));
    now += DAY_MS - 1_000;
    await post('activate', { license_key }, keyed('late'));
    await keepHouse(api.service, { downloadDays: 0, eventDays: 30, trashDays: 30 }, silent);
    assert.equal(await count(), 2);
    now += 1_000;
    await keepHouse(api.service, { downloadDays: 0, eventDays: 30, trashDays: 30 }, silent);
    assert.equal(await count(), 1);
  });
});

suite('a request', () => {
  test('with a body that is not a JSON object is refused', async () => {
    const bodies: [unknown, Headers_?][] = [
      ['[]'],
      ['null'],
      ['"x"'],
      ['{'],
      [Buffer.from('{"license_key":"\xff"}', 'latin1')],
      ['license_key=x', { 'content-type': 'application/x-www-form-urlencoded' }],
      ['{"license_key":"x"}', { 'content-type': 'text/plain' }],
      [gzipSync('{"license_key":"x"}'), { 'content-encoding': 'gzip' }],
    ];
    for (const [body, headers] of bodies)
      await refused('invalid_request', 422, post('activate', body, headers));
    await refused('payload_too_large', 413, post('activate', { license_key: 'x', more: 'x'.repeat(65_536) }));
  });

  test('with invalid fields is answered with the name of each, and unknown fields are ignored', async () => {
    const wrong: Record<string, unknown> = {
      label: 'x'.repeat(256),
      meta: 'text',
      product: -1,
      nonce: 'x'.repeat(129),
      borrow_hours: 'long',
      takeover: 'perhaps',
      fingerprint: 5,
    };
    const { body } = await refused('invalid_request', 422, post('activate', wrong));
    assert.deepEqual(Object.keys(body.params).sort(), [...Object.keys(wrong), 'license_key'].sort());
    const { license_key } = await api.license({ activations_limit: 4 });
    for (const meta of [{ a: 'x'.repeat(4_096) }, { a: '\0' }, { '\ud800': 1 }, [1], 'null'])
      await refused('invalid_request', 422, post('activate', { license_key, meta }));
    await refused('invalid_request', 422, post('activate', { license_key, fingerprint: '' }));
    for (const meta of [{ a: 'x'.repeat(4_000) }, {}, [], null])
      assert.equal((await post('activate', { license_key, meta, unknown: [1] })).status, 201);
  });

  test('to an unknown operation is 404, without credentials', async () => {
    for (const [method, path] of [
      ['GET', '/client/v1/activate'],
      ['DELETE', '/client/v1/deactivate'],
      ['POST', '/client/v1/nothing'],
      ['POST', '/client/v1'],
      ['POST', '/client/v1/?x=1'],
      ['POST', '/client/v1/%zz'],
      ['PROPFIND', '/client/v1/activate'],
      ['OPTIONS', '/client/v1/activate'],
    ])
      await refused('not_found', 404, send(`${path}`, { method: `${method}` }));
  });

  test('may have a trailing slash in its address', async () => {
    const { license_key } = await api.license();
    const { status, body } = await post('activate/', { license_key });
    assert.equal(status, 201);
    assert.equal((await post('validate/?x=1', {}, bearer(body.activation.token))).status, 200);
  });

  test('without a token, or with an unknown token, is told how to authenticate', async () => {
    for (const headers of [{}, bearer('0'.repeat(40)), { authorization: 'Basic eDp5' }] as Headers_[]) {
      const { headers: sent } = await refused('unauthenticated', 401, post('validate', {}, headers));
      assert.match(sent.get('www-authenticate') ?? '', /^Bearer /);
    }
  });
});

test('any origin may use the client API without credentials, whatever origins the v1 API allows', async () => {
  const origin = 'https://elsewhere.example';
  const asked = 'authorization,content-type,idempotency-key,if-none-match';
  const preflight = await fetch(`http://127.0.0.1:${api.port}/client/v1/activate`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': asked,
    },
  });
  assert.equal(preflight.status, 204);
  const allowed = preflight.headers.get('access-control-allow-headers') ?? '';
  assert.deepEqual(allowed.toLowerCase().split(/, */).sort(), asked.split(','));
  assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/);
  const { license_key } = (await activated()).license;
  const answers = [
    preflight,
    await post('activate', { license_key }, { origin }),
    await post('activate', { license_key: 'TEST-NONE' }, { origin, ...from('198.51.100.1') }),
    await post('nothing', {}, { origin }),
  ];
  for (const { headers } of answers) {
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('access-control-allow-credentials'), null);
  }
  assert.match(answers[2]?.headers.get('access-control-expose-headers') ?? '', /Retry-After/);
});

test('failures are limited per address, and a valid key or token is never refused', async () => {
  const { license, activation } = await activated();
  const { license_key } = license;
  const here = from('192.0.2.1');
  const unknown = [
    () => post('activate', { license_key: 'TEST-NONE' }, here),
    () => post('validate', {}, { ...here, ...bearer('0'.repeat(40)) }),
    () => post('deactivate', {}, { ...here, ...bearer('nothing') }),
  ];
  for (let i = 0; i < LIMIT; i++) assert.ok([401, 404].includes((await unknown[i % 3]?.())?.status ?? 0));
  for (const guess of unknown) {
    const { headers } = await refused('rate_limited', 429, guess());
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.equal(headers.get('www-authenticate'), null);
  }
  // With an API key, this many failures would block look-ups of the v1 API.
  await Promise.all(
    Array.from({ length: 10 * LIMIT }, () => post('activate', { license_key: 'TEST-NONE' }, here)),
  );
  assert.equal((await post('activate', { license_key }, here)).status, 201);
  assert.equal((await post('validate', {}, { ...here, ...bearer(activation.token) })).status, 200);
  assert.equal((await post('deactivate', {}, { ...here, ...bearer(activation.token) })).status, 204);
  await api.ok('GET', `/licenses/activate/${license_key}`, { headers: here });
  const elsewhere = post('activate', { license_key: 'TEST-NONE' }, from('192.0.2.2'));
  await refused('license_not_found', 404, elsewhere);
});

test('LATCHKEY_CLIENT_API=off removes the client API', async (t) => {
  const off = await startService(t, { server: { clientApi: 'off' } });
  const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(await off.license()) };
  for (const operation of ['activate', 'validate', 'deactivate', 'update-check'])
    await refused('not_found', 404, send(`/client/v1/${operation}`, init, off));
  assert.equal((await (await signedIn(off, 'owner')).ok('GET', '/dashboard')).client_root, null);
});
