import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { LatchkeyError } from '../src/index.ts';
import { DAY, lease, NOW, rotated } from './kit.ts';
import { activated, killed, makeDevice, problem, send, startVendor } from './vendor.ts';

const vendor = await startVendor({ after });
test.beforeEach(() => vendor.reset());

const asked = (operation: string) => vendor.asked.filter((one) => one.operation === operation);

test('a program activates once and stays licensed without another request until its lease is due', async () => {
  const { device, latchkey } = await activated(vendor);
  const [{ body, headers } = assert.fail()] = vendor.asked;
  assert.match(String(body.device_key), /^[\w-]{43}$/);
  assert.equal(body.fingerprint, body.device_key);
  assert.match(String(headers['idempotency-key']), /^[\w-]{22}$/);
  device.clock += DAY - 1;
  vendor.now += DAY - 1;
  assert.deepEqual(await latchkey.check(), {
    state: 'licensed',
    reason: null,
    until: new Date((NOW + 14 * DAY) * 1_000),
    entitlements: ['pro'],
  });
  assert.deepEqual(await device.start().check(), await latchkey.check());
  assert.equal(vendor.asked.length, 1);
});

test('concurrent checks renew a due lease in the background with a single request', async () => {
  const { promise: told, resolve: tell } = Promise.withResolvers<readonly string[]>();
  const { device, latchkey } = await activated(vendor, {
    onChange: ({ entitlements }) => tell(entitlements),
  });
  device.clock += DAY;
  vendor.now += DAY;
  vendor.terms = { ent: ['pro', 'export'] };
  const checked = Promise.withResolvers<void>();
  vendor.instead = async (...asked) => {
    await checked.promise;
    vendor.honest(...asked);
  };
  const checks = await Promise.all(Array.from({ length: 20 }, () => latchkey.check()));
  checked.resolve();
  for (const { state, entitlements } of checks)
    assert.deepEqual([state, entitlements], ['licensed', ['pro']]);
  assert.deepEqual(await told, ['pro', 'export']);
  assert.equal(asked('validate').length, 1);
  assert.deepEqual((await latchkey.check()).entitlements, ['pro', 'export']);
});

test('without the server, a program is licensed for 14 days, in grace for 7, then expired until the server is back', async () => {
  const { device } = await activated(vendor);
  vendor.instead = killed;
  const states = [];
  for (const days of [13, 14, 20, 21, 22]) {
    device.clock = NOW + days * DAY;
    const latchkey = device.start();
    await latchkey.check();
    const { state, reason } = await latchkey.check({ fresh: true });
    states.push([days, state, reason]);
  }
  assert.deepEqual(states, [
    [13, 'licensed', null],
    [14, 'grace', 'unreachable'],
    [20, 'grace', 'unreachable'],
    [21, 'expired', 'unreachable'],
    [22, 'expired', 'unreachable'],
  ]);
  vendor.instead = null;
  vendor.now = device.clock;
  assert.equal((await device.start().check()).state, 'licensed');
});

test('a program that ends before every renewal in the background waits for one in grace', async () => {
  const { device } = await activated(vendor);
  device.clock = vendor.now = NOW + 15 * DAY;
  assert.equal((await device.start().check()).state, 'licensed');
});

test('a program without an activation sends no request', async () => {
  const check = await makeDevice(vendor).start().check({ fresh: true });
  assert.deepEqual(check, { state: 'unlicensed', reason: 'not_activated', until: null, entitlements: [] });
  assert.equal(vendor.asked.length, 0);
});

test('activate repeats an unanswered request twice, unchanged, then fails', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const device = makeDevice(vendor, { fetch: () => Promise.reject(new TypeError('fetch failed')) });
  const sent: string[] = [];
  // Takes no URL object, as Electron's `net.fetch`.
  const fetch = async (_: string | Request, init: RequestInit) => {
    sent.push(JSON.stringify([init.headers, init.body]));
    if (sent.length < 3) setImmediate(() => t.mock.timers.tick(5_000));
    throw new TypeError('fetch failed');
  };
  const activating = device.start({ fetch }).activate('ACME-0001');
  await assert.rejects(
    activating,
    new LatchkeyError('unreachable', 'The license server gave no usable answer: unreachable.'),
  );
  assert.equal(sent.length, 3);
  assert.equal(new Set(sent).size, 1);
});

test('on a slow network, a check returns at once with a good lease, and after 10 seconds without one', async (t) => {
  const { device } = await activated(vendor);
  device.clock += DAY;
  let asking = 0;
  const fetch = () => {
    asking++;
    return new Promise<never>(() => undefined);
  };
  t.mock.timers.enable({ apis: ['setTimeout'] });
  assert.equal((await device.start({ fetch }).check()).state, 'licensed');
  device.clock += 30 * DAY;
  const waiting = device.start({ fetch }).check();
  while (asking < 2) await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(9_999);
  assert.equal(
    await Promise.race([waiting, new Promise((resolve) => setImmediate(resolve, 'waiting'))]),
    'waiting',
  );
  t.mock.timers.tick(1);
  const { state, reason } = await waiting;
  assert.deepEqual([state, reason], ['expired', 'unreachable']);
});

test('after failures, requests become less frequent and respect Retry-After', async () => {
  const { device, latchkey } = await activated(vendor);
  device.clock += 30 * DAY;
  vendor.instead = killed;
  const delays = [];
  for (let failures = 0; failures < 9; failures++) {
    assert.equal((await latchkey.check()).state, 'expired');
    const { retry } = await device.state();
    delays.push(retry.at - device.clock);
    const before = vendor.asked.length;
    device.clock = retry.at - 1;
    await latchkey.check();
    assert.equal(vendor.asked.length, before);
    device.clock = retry.at;
  }
  // Half of what full jitter allows: `random` returns 0.5.
  assert.deepEqual(delays, [30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800]);

  for (const [status, after, least, reason] of [
    [429, '2000', 2_000, 'rate_limited'],
    [503, '31536000', 3_600, 'unavailable'],
    [503, new Date(Date.now() + 2_500_000).toUTCString(), 2_490, 'unavailable'],
  ] as const) {
    vendor.instead = (_, response) => void response.writeHead(status, { 'retry-after': after }).end('busy');
    const check = await latchkey.check({ fresh: true });
    assert.deepEqual([check.state, check.reason], ['expired', reason]);
    const delay = (await device.state()).retry.at - device.clock;
    assert.ok(delay >= least && delay <= 3_600, `${after}: ${delay}`);
  }
  // A restarted program asks at once.
  vendor.instead = null;
  vendor.now = device.clock;
  assert.equal((await device.start().check()).state, 'licensed');
});

suite('a refusal by the server', () => {
  for (const [status, code, state, reason, more] of [
    [403, 'license_disabled', 'revoked', 'license_disabled'],
    [403, 'license_expired', 'expired', 'license_expired'],
    [410, 'activation_ended', 'revoked', 'reclaimed', { reason: 'reclaimed' }],
    [410, 'activation_ended', 'revoked', 'activation_ended', { reason: 'other' }],
    [401, 'unauthenticated', 'unlicensed', 'unauthenticated'],
    [403, 'fingerprint_mismatch', 'unlicensed', 'fingerprint_mismatch'],
  ] as const)
    test(`${code} ends the lease, even offline, until the server issues a new one: ${reason}`, async () => {
      const { device, latchkey } = await activated(vendor);
      vendor.instead = problem(status, code, more);
      const refused = { state, reason, until: null, entitlements: [] };
      assert.deepEqual(await latchkey.check({ fresh: true }), refused);
      assert.equal((await device.state()).lease, undefined);
      vendor.instead = killed;
      assert.deepEqual(await device.start().check(), refused);
      vendor.instead = null;
      assert.equal((await device.start().check()).state, 'licensed');
    });
});

/** Answers of a network that are not the server's. */
const LIES: [string, typeof vendor.honest][] = [
  ['a login page', (_, response) => send(response, 200, 'text/html', '<h1>Welcome to our Wi-Fi</h1>')],
  [
    'a login page that says it is JSON',
    (_, response) => send(response, 200, 'application/json', '<h1>Welcome</h1>'),
  ],
  ['a redirect', (_, response) => void response.writeHead(302, { location: `${vendor.url}/login` }).end()],
  [
    'a redirect that keeps the method and body',
    (_, response) => void response.writeHead(308, { location: '/login' }).end(),
  ],
  ['an error page of a proxy', (_, response) => send(response, 403, 'text/html', '<h1>Blocked</h1>')],
  [
    'a sign-in prompt of a proxy',
    (_, response) => void response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
  ],
  [
    'a JSON error that is not a problem document',
    (_, response) => send(response, 403, 'application/json', '{"status":403,"code":"license_disabled"}'),
  ],
  [
    'a problem with a status other than that of the response',
    (_, response) =>
      send(response, 403, 'application/problem+json', '{"status":410,"code":"activation_ended"}'),
  ],
  ['a code with the wrong status', problem(404, 'license_disabled')],
  ['an unknown code', problem(403, 'go_away')],
  ['a code that is a property of every JavaScript object', problem(403, 'constructor')],
  ['a problem that is a list', (_, response) => send(response, 403, 'application/problem+json', '[403]')],
  ['an answer without content', (_, response) => void response.writeHead(204).end()],
  ['an empty object', (_, response) => send(response, 200, 'application/json', '{}')],
  ['a null lease', (_, response) => send(response, 200, 'application/json', '{"lease":null}')],
  [
    'a lease that is not a string',
    (_, response) => send(response, 200, 'application/json', '{"lease":{"st":"active"}}'),
  ],
  [
    'a lease signed with another key',
    ({ body }, response) =>
      send(
        response,
        200,
        'application/json',
        JSON.stringify({ lease: lease({ n: body.nonce }, undefined, rotated) }),
      ),
  ],
  [
    'a lease for another device',
    ({ body }, response) =>
      send(
        response,
        200,
        'application/json',
        JSON.stringify({ lease: lease({ n: body.nonce, fp: rotated.x }) }),
      ),
  ],
  [
    'an old lease',
    ({ body }, response) =>
      vendor.honest({ operation: 'validate', body: { ...body, nonce: 'old' }, headers: {} }, response),
  ],
  [
    'a truncated answer',
    (_, response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        .write('{"lease":"');
      setImmediate(() => response.destroy());
    },
  ],
  [
    'an endless answer',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    },
  ],
];

suite('the network lies', () => {
  for (const [what, lie] of LIES)
    test(`${what} neither ends a lease nor grants one`, async () => {
      const { device, latchkey } = await activated(vendor, { timeout: 600_000 });
      const { lease: before, token } = await device.state();
      vendor.instead = lie;
      device.clock += 2 * DAY;
      assert.equal((await latchkey.check({ fresh: true })).state, 'licensed');
      device.clock += 30 * DAY;
      const { state, reason } = await latchkey.check({ fresh: true });
      assert.equal(state, 'expired');
      assert.match(
        String(reason),
        /^(untrusted_answer|unreachable|no_lease|other_device|license_disabled|go_away|constructor)$/,
      );
      const after = await device.state();
      assert.deepEqual([after.lease, after.token, after.refusal], [before, token, undefined]);
      assert.ok(!vendor.asked.some(({ operation }) => operation === 'login'));
      await assert.rejects(
        makeDevice(vendor)
          .start({ random: () => 0 })
          .activate('ACME-0001'),
        LatchkeyError,
      );
    });
});
