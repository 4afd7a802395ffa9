import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { makeCredentials } from '../../../src/app/api-keys/credentials.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { CLIENT_PRESET } from '../../../src/domain/api-key.ts';
import { type CallOptions, newKey } from '../../support/http/api.ts';
import { type LimitedApi, withApiKey } from '../../support/http/api-keys.ts';
import { type Options, type Running, startService } from '../../support/service.ts';

const LIMIT = 6;
const NO_TOKEN = '0'.repeat(40);
const START = Date.parse('2030-06-01T12:00:00Z');

/** Starts a service with its own clock, and creates an API key as a program ships it. */
async function started(t: Parameters<typeof startService>[0], server: Options['server'] = {}) {
  const time = { now: START };
  const api = await startService(t, {
    clock: () => time.now,
    server: { failureLimit: LIMIT, trustProxy: true, ...server },
  });
  const { permission, endpoints } = CLIENT_PRESET;
  // Without this endpoint, the key could not name a license by its hash.
  const shipped = await withApiKey(api, {
    permission,
    endpoints: [...(endpoints ?? []), 'licenses.inspect'],
  });
  return { api, shipped, time };
}
const shared = await started({ after });
/** Lets the failures of earlier tests expire. */
const nextMinute = () => {
  shared.time.now += 60_000;
};
beforeEach(nextMinute);

const from = (ip: string): CallOptions => ({ headers: { 'x-forwarded-for': ip } });

/** Sends a wrong request. */
type Ask = (api: Running, shipped: LimitedApi, ip: string) => Promise<{ status: number }>;
const asShipped =
  (path: () => string): Ask =>
  (_, shipped, ip) =>
    shipped.call('GET', path(), from(ip));
const WRONG: Record<string, Ask> = {
  'a wrong key': (api, _, ip) =>
    api.call('GET', '/licenses', { ...from(ip), credentials: makeCredentials() }),
  'a wrong secret': (api, _, ip) =>
    api.call('GET', '/licenses', {
      ...from(ip),
      credentials: { ...api.credentials, consumerSecret: makeCredentials().consumerSecret },
    }),
  'activating an unknown license': asShipped(() => `/licenses/activate/${newKey()}`),
  'activating an unknown hash': asShipped(() => `/licenses/activate/hashed-${'0'.repeat(64)}`),
  'validating an unknown token': asShipped(() => `/licenses/validate/${NO_TOKEN}`),
  'deactivating an unknown token': asShipped(() => `/licenses/deactivate/${NO_TOKEN}`),
  'downloading with an unknown token': asShipped(() => `/software/download/${NO_TOKEN}`),
  'downloading with a forged token': asShipped(() => '/software/download/forged'),
};

for (const [what, ask] of Object.entries(WRONG)) {
  test(`${what} is refused past the limit until the minute is over, and valid requests pass`, async () => {
    const { api, shipped, time } = shared;
    const { license_key: key } = await api.license();
    for (let i = 0; i < LIMIT; i++) {
      const { status } = await ask(api, shipped, '192.0.2.1');
      assert.ok(status === 401 || status === 404, String(status));
      time.now += 1_000;
    }
    const refused = (await ask(api, shipped, '192.0.2.1')) as Awaited<ReturnType<Running['call']>>;
    assert.deepEqual([refused.status, refused.body.code], [429, 'rest_too_many_requests']);
    assert.equal(refused.headers.get('retry-after'), '54');
    assert.equal(refused.headers.get('ratelimit-policy'), `"failures";q=${LIMIT};w=60`);
    assert.equal(refused.headers.get('ratelimit'), '"failures";r=0;t=54');
    assert.equal(refused.headers.get('www-authenticate'), null);
    for (const wrong of Object.values(WRONG))
      assert.equal((await wrong(api, shipped, '192.0.2.1')).status, 429);
    await api.ok('GET', `/licenses/${key}`, from('192.0.2.1'));
    const nobody = await api.call('GET', '/licenses', { ...from('192.0.2.1'), credentials: null });
    assert.equal(nobody.status, 401);
    assert.notEqual((await ask(api, shipped, '192.0.2.2')).status, 429);
    time.now += 54_000;
    assert.notEqual((await ask(api, shipped, '192.0.2.1')).status, 429);
  });
}

test('after 300 unknown tokens in a minute, valid tokens, keys and credentials still pass, and wrong ones do not', async (t) => {
  const { api, shipped } = await started(t, { failureLimit: 300 });
  const { id: software } = await api.software({ access: 'public' });
  const { license_key: key } = await api.license({ activations_limit: 2 });
  const { token } = await api.activation(key);
  const ask = (path: string, options: CallOptions = {}) =>
    shipped.call('GET', path, { ...from('192.0.2.1'), ...options });
  const unknown = () => ask(`/licenses/validate/${newKey()}`);
  for (let i = 0; i < 15; i++) {
    const answers = await Promise.all(Array.from({ length: 20 }, unknown));
    assert.ok(answers.every(({ status }) => status === 404));
  }
  const statuses = async (paths: string[]) =>
    Promise.all(paths.map(async (path) => (await ask(path)).status));
  const wrong = [
    `/licenses/validate/${NO_TOKEN}`,
    `/licenses/activate/${newKey()}`,
    `/software/${software}?activation_token=${NO_TOKEN}`,
  ];
  const good = [
    `/licenses/validate/${token}`,
    `/licenses/activate/${key}`,
    `/software/${software}?activation_token=${token}`,
  ];
  assert.deepEqual(await statuses(wrong), [429, 429, 429]);
  assert.deepEqual(await statuses(good), [200, 200, 200]);
  assert.equal((await ask(`/licenses/deactivate/${token}`)).status, 200);
  assert.equal((await ask(`/licenses/validate/${token}`, { credentials: makeCredentials() })).status, 429);
});

test('after ten times the limit of unknown license keys, license keys are no longer looked up, but tokens are', async () => {
  const { api, shipped, time } = shared;
  const { license_key: key } = await api.license({ activations_limit: 0 });
  const { token } = await api.activation(key);
  const get = (path: string) => shipped.call('GET', path, from('192.0.2.1'));
  const guess = (path: string) => Promise.all(Array.from({ length: 10 * LIMIT - 1 }, () => get(path)));
  await guess(`/licenses/validate/${NO_TOKEN}`);
  await guess(`/licenses/activate/${newKey()}`);
  assert.equal((await get(`/licenses/activate/${key}`)).status, 200, 'one less does not reach the limit');
  assert.equal((await get(`/licenses/activate/${newKey()}`)).status, 429);
  const refused = await get(`/licenses/activate/${key}`);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('ratelimit-policy'), `"license-keys";q=${10 * LIMIT};w=60`);
  assert.equal((await get(`/licenses/validate/${token}`)).status, 200);
  await api.ok('GET', `/licenses/${key}`, from('192.0.2.1'));
  await shipped.ok('GET', `/licenses/activate/${key}`, from('192.0.2.2'));
  time.now += 60_000;
  assert.equal((await get(`/licenses/activate/${key}`)).status, 200);
});

test('an unknown token in a request for software counts, although the request succeeds', async () => {
  const { api, shipped } = shared;
  const { id } = await api.software();
  const ask = () =>
    shipped.call('GET', `/software/${id}`, { ...from('192.0.2.1'), query: { activation_token: NO_TOKEN } });
  for (let i = 0; i < LIMIT; i++) assert.equal((await ask()).status, 200);
  assert.equal((await ask()).status, 429);
});

test('activating with an unknown token counts, and with a token of the license does not', async () => {
  const { api, shipped } = shared;
  const { license_key: key } = await api.license();
  const { token } = await api.activation(key);
  const ask = (query: object) =>
    shipped.call('GET', `/licenses/activate/${key}`, { ...from('192.0.2.1'), query: { ...query } });
  for (let i = 0; i < 3 * LIMIT; i++) assert.equal((await ask({ token })).status, 404);
  for (let i = 0; i < LIMIT; i++) assert.equal((await ask({ token: NO_TOKEN })).status, 404);
  assert.equal((await ask({ token: NO_TOKEN })).status, 429);
});

test('missing credentials, unknown routes, invalid values, license states and permitted look-ups do not count', async () => {
  const { api, shipped } = shared;
  const { license_key: key } = await api.license({ activations_limit: 1 });
  const { token } = await api.activation(key);
  const { license_key: disabled } = await api.license({ status: 5 });
  const gone = (await api.activation((await api.license()).license_key)).token;
  await api.ok('GET', `/licenses/deactivate/${gone}`);
  for (let i = 0; i < 3 * LIMIT; i++) {
    for (const [status, path] of [
      [404, `/licenses/${newKey()}`],
      [404, '/nothing-here'],
      [404, '/generators/999'],
      [404, '/software/999'],
      [404, `/licenses/activate/${key}`],
      [405, `/licenses/activate/${disabled}`],
      [404, `/licenses/validate/${gone}`],
      [400, '/licenses?page=0'],
    ] as const) {
      const answer = await api.call('GET', path, from('192.0.2.1'));
      assert.equal(answer.status, status, `${path}: ${JSON.stringify(answer.body)}`);
    }
    assert.equal(
      (await api.call('GET', '/licenses', { ...from('192.0.2.1'), credentials: null })).status,
      401,
    );
    assert.equal((await shipped.call('GET', '/licenses', from('192.0.2.1'))).status, 403);
  }
  await shipped.ok('GET', `/licenses/validate/${token}`, from('192.0.2.1'));
});

test('looking up unknown keys counts if the API key may not list licenses, as with the client preset', async () => {
  const { api } = shared;
  const finder = await withApiKey(api, CLIENT_PRESET);
  const ask = async () => (await finder.call('GET', `/licenses/${newKey()}`, from('192.0.2.1'))).status;
  for (let i = 0; i < LIMIT; i++) assert.equal(await ask(), 404);
  assert.equal(await ask(), 429);
});

test('of many concurrent guesses, no more than the limit are answered', async () => {
  const { shipped } = shared;
  const answers = await Promise.all(
    Array.from({ length: 10 * LIMIT }, () => shipped.call('GET', `/licenses/activate/${newKey()}`)),
  );
  assert.equal(answers.filter(({ status }) => status === 404).length, LIMIT);
  assert.equal(answers.filter(({ status }) => status === 429).length, 9 * LIMIT);
});

test('IPv6 counts by /64, IPv4 in any notation, and an invalid address counts for the proxy', async () => {
  const { api, shipped } = shared;
  const wrong = WRONG['a wrong key'] as Ask;
  for (const [first, same, other] of [
    ['2001:db8:1:2::1', '2001:DB8:1:2:ffff:eeee:dddd:cccc', '2001:db8:1:3::1'],
    ['192.0.2.7', '::ffff:192.0.2.7', '192.0.2.8'],
    ['::ffff:c000:0207', '192.0.2.7', '::ffff:c000:0208'],
    ['forged', 'x'.repeat(5_000), '192.0.2.9'],
    ['192.0.2.7:4711', '192.0.2.7', '192.0.2.8:4711'],
    ['[2001:db8:1:2::1]:443', '[2001:db8:1:2::2]', '[2001:db8:1:3::1]:443'],
  ] as const) {
    nextMinute();
    for (let i = 0; i < LIMIT; i++) assert.equal((await wrong(api, shipped, first)).status, 401);
    assert.equal((await wrong(api, shipped, same)).status, 429, same.slice(0, 50));
    assert.equal((await wrong(api, shipped, other)).status, 401, other);
  }
});

test('an untrusted X-Forwarded-For has no effect on the limit or on records', async (t) => {
  for (const trustProxy of [false, '203.0.113.0/24']) {
    const { api, shipped } = await started(t, { trustProxy });
    const { license_key: key } = await api.license();
    const made = await shipped.ok('GET', `/licenses/activate/${key}`, from('192.0.2.1'));
    assert.equal(made.ip_address, '127.0.0.1');
    for (let i = 0; i < LIMIT; i++)
      assert.equal((await (WRONG['a wrong key'] as Ask)(api, shipped, `192.0.2.${i}`)).status, 401);
    assert.equal((await (WRONG['a wrong key'] as Ask)(api, shipped, '192.0.2.99')).status, 429);
  }
});

test('with several trusted proxies, the client is the last address that is not trusted', async (t) => {
  const { api, shipped } = await started(t, { trustProxy: '127.0.0.0/8,203.0.113.0/24' });
  const wrong = WRONG['a wrong key'] as Ask;
  for (let i = 0; i < LIMIT; i++)
    assert.equal((await wrong(api, shipped, `198.51.100.${i}, 192.0.2.1, 203.0.113.5`)).status, 401);
  assert.equal((await wrong(api, shipped, '198.51.100.99, 192.0.2.1')).status, 429);
  assert.equal((await wrong(api, shipped, '192.0.2.1, 192.0.2.2')).status, 401);
});

test('a record never contains a forwarded address as sent, however long or odd', async (t) => {
  const { api } = await started(t);
  const { license_key: key } = await api.license({ activations_limit: 0 });
  for (const [sent, kept] of [
    ['x'.repeat(10_000), '127.0.0.1'],
    ['unknown', '127.0.0.1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:db8::8]:4711', '2001:db8::8'],
    [`2001:db8::9%${'x'.repeat(5_000)}`, '2001:db8::9'],
    ['<script>', '127.0.0.1'],
    ['2001:db8::7', '2001:db8::7'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
  ] as const) {
    const made = await api.ok('GET', `/licenses/activate/${key}`, from(sent));
    assert.equal(made.ip_address, kept);
  }
  assert.ok(api.logs.every((line) => !line.includes('xxxxx') && !line.includes('script')));
});

test('the log names an address once when it fails often, and once when it is refused', async (t) => {
  const { api, shipped, time } = await started(t);
  const secrets: string[] = [];
  const lines = () =>
    api.logs.map((line) => JSON.parse(line)).filter(({ event }) => String(event).startsWith('failure'));
  for (let i = 0; i < 2 * LIMIT; i++) {
    const key = newKey();
    secrets.push(key);
    await shipped.call('GET', `/licenses/activate/${key}`, from('2001:db8::1'));
    await (WRONG['a wrong key'] as Ask)(api, shipped, '2001:db8::2');
  }
  const about = { level: 'warn', ip: '2001:db8:0:0::/64', limit: LIMIT };
  assert.deepEqual(
    lines().map(({ time: _, msg, ...line }) => [line, typeof msg]),
    [
      [{ ...about, event: 'failures', failures: { license_key: 1, credentials: 1 } }, 'string'],
      [{ ...about, event: 'failure_limit', failures: { license_key: 3, credentials: 3 } }, 'string'],
    ],
  );
  assert.ok(secrets.every((key) => !api.logs.join('').includes(key)));
  time.now += 60_000;
  for (let i = 0; i < LIMIT; i++) await (WRONG['a wrong key'] as Ask)(api, shipped, '2001:db8::2');
  assert.equal(lines().length, 4);
});

test('setting the clock back does not prolong a refusal', async (t) => {
  const { api, shipped, time } = await started(t);
  for (let i = 0; i < LIMIT; i++) await (WRONG['a wrong key'] as Ask)(api, shipped, '192.0.2.1');
  assert.equal((await (WRONG['a wrong key'] as Ask)(api, shipped, '192.0.2.1')).status, 429);
  time.now -= 86_400_000;
  assert.equal((await (WRONG['a wrong key'] as Ask)(api, shipped, '192.0.2.1')).status, 401);
});

test('the limit is on by default, and 0 turns it off', async (t) => {
  const loaded = loadConfig({});
  assert.equal(loaded.ok && loaded.config.failureLimit, 300);
  const { api, shipped } = await started(t, { failureLimit: 0 });
  for (let i = 0; i < 3 * LIMIT; i++)
    assert.equal((await (WRONG['a wrong key'] as Ask)(api, shipped, '192.0.2.1')).status, 401);
});
