import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, suite, test } from 'node:test';
import { hashPassword } from '../../../src/app/people/passwords.ts';
import { csrfTokenOf } from '../../../src/app/people/session-tokens.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { toDatetime } from '../../../src/domain/datetime.ts';
import { consoleClient, cookieOf, signedIn } from '../../support/console/console.ts';
import { quickHash } from '../../support/console/passwords.ts';
import { rowsOf, runSql } from '../../support/engine.ts';
import { newName, type Record_ } from '../../support/http/api.ts';
import { type Running, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
let now = Date.now();
const api = await startService({ after }, { clock: () => now });
const secure = await startService({ after }, { server: { baseUrl: 'https://licenses.example.test' } });
const { execute } = api.service;
const nobody = consoleClient(api, { 'x-csrf-token': '1' });
const PASSWORD = 'correct horse battery';
const passwordHash = await quickHash(PASSWORD);

async function newUser(role: 'owner' | 'viewer' = 'viewer') {
  const name = newName();
  const email = `${name}@Example.test`;
  const made = await execute('create-user', { name, email, role, passwordHash }, SYSTEM);
  assert.ok(made.ok);
  return { id: made.value.id, email };
}
suite('signing in', () => {
  test('sets a cookie that scripts cannot read and other sites cannot send, and GET /session names the user', async () => {
    const { id, email } = await newUser();
    const answer = await nobody.post('/session', { email: email.toUpperCase(), password: PASSWORD });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body, { second_factor: false });
    const [cookie = ''] = answer.headers.getSetCookie();
    assert.match(
      cookie,
      /^latchkey_session=[\w-]{43}; Max-Age=2592000; Path=\/console; HttpOnly; SameSite=Strict$/,
    );
    const token = cookieOf(answer.headers).split('=')[1] as string;
    const session = await consoleClient(api, { cookie: cookieOf(answer.headers) }).ok('GET', '/session');
    assert.equal(session.user.id, id);
    assert.equal(session.csrf_token, csrfTokenOf(token));
    assert.deepEqual(session.permissions, ['records.read']);
    const kept = await rowsOf(api.dataDir, 'select * from sessions');
    assert.ok(!JSON.stringify(kept).includes(token));
  });

  test('does not compute a stored hash that costs more than ours', async () => {
    const { email } = await newUser();
    const dear = await hashPassword(PASSWORD, { ln: 4, r: 8, p: 2 });
    await runSql(api.dataDir, `update users set password_hash = '${dear}' where email = '${email}'`);
    assert.equal((await nobody.post('/session', { email, password: PASSWORD })).status, 500);
  });

  test('answers the same for a wrong address, a wrong password, and a disabled user', async () => {
    const { email } = await newUser();
    const disabled = await newUser();
    await execute('update-user', { id: disabled.id, changes: { disabled: true } }, SYSTEM);
    const answers = await Promise.all([
      nobody.post('/session', { email: 'nobody@example.test', password: PASSWORD }),
      nobody.post('/session', { email, password: 'wrong horse battery' }),
      nobody.post('/session', { email: disabled.email, password: PASSWORD }),
    ]);
    for (const { status, body, headers } of answers) {
      assert.equal(status, 401);
      assert.equal(body.message, 'The address or the password is wrong.');
      assert.equal(headers.get('www-authenticate'), null);
      assert.equal(headers.getSetCookie().length, 0);
    }
    const failed = api.logs.filter((line) => line.includes('sign_in_failed'));
    assert.ok(failed.length >= 3);
    assert.ok(!failed.join('').includes(email));
  });

  test('ends the previous session of the browser', async () => {
    const { email } = await newUser();
    const first = await nobody.post('/session', { email, password: PASSWORD });
    const before = consoleClient(api, { cookie: cookieOf(first.headers), 'x-csrf-token': '1' });
    await before.ok('POST', '/session', { email, password: PASSWORD });
    assert.equal((await before.ok('GET', '/session')).signed_in, false);
  });

  for (const [what, headers, status] of [
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another origin of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['another origin, by an old browser', { origin: 'https://evil.example' }, 403],
    ['a sandboxed page', { origin: 'null' }, 403],
    ['a form', { 'content-type': 'text/plain' }, 415],
    ['a page that may not set headers', { 'x-csrf-token': '' }, 403],
  ] as const) {
    test(`is refused to ${what}`, async () => {
      const { email } = await newUser();
      const response = await nobody.fetch('/session', {
        method: 'POST',
        body: JSON.stringify({ email, password: PASSWORD }),
        headers: { 'content-type': 'application/json', 'x-csrf-token': '1', ...headers },
      });
      assert.equal(response.status, status);
      assert.equal(response.headers.getSetCookie().length, 0);
    });
  }

  test('works with an invalid Host header', async () => {
    const { email } = await newUser();
    const body = JSON.stringify({ email, password: PASSWORD });
    const request = (more: string) =>
      `POST /console/api/session HTTP/1.1\r\nHost: ][\r\n${more}X-Csrf-Token: 1\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    assert.match(await rawAnswer(api.port, request('')), /^HTTP\/1\.1 200 /);
    assert.match(await rawAnswer(api.port, request('Origin: null\r\n')), /^HTTP\/1\.1 403 /);
  });

  test("replaces the browser's password prompt: no console address asks for a consumer key", async () => {
    for (const path of ['/nothing', '/licenses/1', '/generators/1/x']) {
      const { status, headers } = await nobody.get(path);
      assert.ok(status === 401 || status === 404, path);
      assert.equal(headers.get('www-authenticate'), null, path);
    }
  });

  test('accepts no password in the URL, and only strings', async () => {
    const { email } = await newUser();
    const inQuery = await nobody.post(`/session?password=${encodeURIComponent(PASSWORD)}`, { email });
    assert.deepEqual(inQuery.body.data.params, { password: 'is required.' });
    for (const body of [{}, { email: { $ne: 1 }, password: ['a'] }, { __proto__: { email } }])
      assert.equal((await nobody.post('/session', body)).status, 422);
    assert.equal((await nobody.post('/session', { email, password: 'x'.repeat(100_000) })).status, 422);
  });
});

suite('a session', () => {
  test('is required, and its role decides', async () => {
    assert.equal((await nobody.get('/generators')).status, 401);
    const viewer = await signedIn(api, 'viewer');
    assert.equal((await viewer.get('/generators')).status, 200);
    const forged = consoleClient(api, { cookie: `latchkey_session=${'A'.repeat(43)}` });
    assert.equal((await forged.get('/generators')).status, 401);
  });

  test('changes nothing without its CSRF token, even if everything else is right', async () => {
    const { headers, token } = await signedIn(api, 'viewer');
    for (const sent of ['', '1', csrfTokenOf(`${token}x`), csrfTokenOf(token).slice(1)]) {
      const client = consoleClient(api, { ...headers, 'x-csrf-token': sent });
      assert.equal((await client.delete('/session')).status, 403);
    }
    const foreign = consoleClient(api, { ...headers, origin: 'https://evil.example' });
    assert.equal((await foreign.delete('/session')).status, 403);
    const own = consoleClient(api, { ...headers, origin: `http://127.0.0.1:${api.port}` });
    await own.ok('DELETE', '/session');
    assert.equal((await own.ok('GET', '/session')).signed_in, false);
  });

  test('ends after a week without use, after 30 days, after a change of role, and with its user', async () => {
    const started = now;
    const [idle, used, changed, disabled] = await Promise.all(
      ['viewer', 'viewer', 'viewer', 'viewer'].map(() => signedIn(api, 'viewer')),
    );
    assert.ok(idle && used && changed && disabled);
    const isIn = async (client: typeof used) => (await client.ok('GET', '/session')).signed_in;
    await execute('update-user', { id: changed.user.id, changes: { role: 'support' } }, SYSTEM);
    await execute('update-user', { id: disabled.user.id, changes: { disabled: true } }, SYSTEM);
    assert.deepEqual([await isIn(changed), await isIn(disabled)], [false, false]);
    for (let day = 4; day < 30; day += 4) {
      now = started + day * DAY_MS;
      assert.equal(await isIn(used), true, `after ${day} days`);
      // The server writes the time in the background.
      await until(async () => (await lastSeen(used.user.id)) >= new Date(now).toISOString().slice(0, 10));
    }
    assert.equal(await isIn(idle), false);
    now = started + 30 * DAY_MS;
    assert.equal(await isIn(used), false);
    await execute('discard-old', { what: 'sessions', before: toDatetime(now) }, SYSTEM);
    assert.equal(
      (await rowsOf(api.dataDir, `select 1 from sessions where user_id = ${used.user.id}`)).length,
      0,
    );
    const { items } = await (await signedIn(api, 'owner')).ok('GET', '/users');
    const seen = items.find((user: Record_) => user.id === used.user.id).last_seen_at;
    assert.equal(seen, toDatetime(started + 28 * DAY_MS), 'known after the last session has ended');
    now = started;
  });
});

suite('the cookie over https', () => {
  const COOKIE = '__Host-latchkey_session';
  const userOf = async (service: Running, cookie: string): Promise<number | null> => {
    const session = await consoleClient(service, { cookie }).ok('GET', '/session');
    return session.signed_in ? session.user.id : null;
  };

  test('can be set only by this host, with a base path too', async (t) => {
    const shop = await startService(t, { server: { baseUrl: 'https://example.test/shop' } });
    for (const [service, path, name] of [
      [secure, '', COOKIE],
      [shop, '/shop', `${COOKIE}_shop`],
    ] as const) {
      const email = `${newName()}@example.test`;
      const user = { name: 'C', email, role: 'viewer', passwordHash } as const;
      assert.ok((await service.service.execute('create-user', user, SYSTEM)).ok);
      const headers = { 'content-type': 'application/json', 'x-csrf-token': '1' };
      const root = `http://127.0.0.1:${service.port}${path}/console/api`;
      const ask = (method: string, more: Record<string, string>, body?: string) =>
        fetch(`${root}/session`, { method, headers: { ...headers, ...more }, ...(body && { body }) });
      const signIn = await ask('POST', {}, JSON.stringify({ email, password: PASSWORD }));
      const [session = '', device = ''] = signIn.headers.getSetCookie();
      const attributes = (seconds: number) =>
        `; Max-Age=${seconds}; Path=/; HttpOnly; Secure; SameSite=Strict`;
      const token = session.slice(name.length + 1, name.length + 44);
      assert.equal(session, `${name}=${token}${attributes(2_592_000)}`);
      assert.ok(device.startsWith(name.replace('session', 'device')));
      assert.ok(device.endsWith(attributes(34_560_000)));
      const end = await ask('DELETE', { cookie: `${name}=${token}`, 'x-csrf-token': csrfTokenOf(token) });
      assert.deepEqual(end.headers.getSetCookie(), [`${name}=${attributes(0)}`]);
    }
  });

  test('set by another subdomain signs nobody in or out, and never in as another user', async () => {
    const [victim, attacker] = [await signedIn(secure, 'viewer'), await signedIn(secure, 'viewer')];
    const own = `${COOKIE}=${victim.token}`;
    // Browsers accept the prefix, in any case of its letters, only without Domain. Some once accepted leading spaces.
    for (const name of ['latchkey_session', '__HOST-latchkey_session', '\u00a0__Host-latchkey_session']) {
      const tossed = `${name}=${attacker.token}`;
      for (const cookie of [`${tossed}; ${own}`, `${own}; ${tossed}`])
        assert.equal(await userOf(secure, cookie), victim.user.id, cookie);
      assert.equal(await userOf(secure, tossed), null, name);
    }
    // No browser sends two cookies with this name. The server cannot know which one is its own.
    const twice = `${COOKIE}=${attacker.token}`;
    for (const cookie of [`${twice}; ${own}`, `${own}; ${twice}`])
      assert.equal(await userOf(secure, cookie), null);
  });

  test('reads nothing for a page of another subdomain, which could have an export recorded', async () => {
    const { token } = await signedIn(secure, 'manager');
    const exporting = (site: string) =>
      consoleClient(secure, { cookie: `${COOKIE}=${token}`, 'sec-fetch-site': site }).get('/licenses/export');
    for (const site of ['same-site', 'cross-site']) assert.equal((await exporting(site)).status, 403, site);
    for (const site of ['same-origin', 'none']) assert.equal((await exporting(site)).status, 200, site);
  });

  test('set by another subdomain fixes no session and provides no CSRF token', async () => {
    const attacker = await signedIn(secure, 'viewer');
    const tossed = `latchkey_session=${attacker.token}`;
    const email = `${newName()}@example.test`;
    const user = { name: 'V', email, role: 'viewer', passwordHash } as const;
    assert.ok((await secure.service.execute('create-user', user, SYSTEM)).ok);
    const browser = consoleClient(secure, { cookie: tossed, 'x-csrf-token': '1' });
    const { headers } = await browser.post('/session', { email, password: PASSWORD });
    const own = cookieOf(headers);
    assert.ok(own.startsWith(`${COOKIE}=`) && !own.includes(attacker.token));
    // Signing in has not ended the attacker's session: that cookie does not belong to this browser.
    assert.equal(await userOf(secure, `${COOKIE}=${attacker.token}`), attacker.user.id);
    const csrf = { 'x-csrf-token': csrfTokenOf(attacker.token) };
    for (const cookie of [`${tossed}; ${own}`, `${own}; ${tossed}`])
      assert.equal((await consoleClient(secure, { cookie, ...csrf }).delete('/session')).status, 403);
    const sibling = { cookie: `${tossed}; ${own}`, 'sec-fetch-site': 'same-site', ...csrf };
    assert.equal((await consoleClient(secure, sibling).delete('/session')).status, 403);
    assert.notEqual(await userOf(secure, own), null);
  });

  test('cannot be protected over http: if there are two cookies, neither signs in', async () => {
    const [victim, attacker] = [await signedIn(api, 'viewer'), await signedIn(api, 'viewer')];
    const [own, tossed] = [victim.headers.cookie, attacker.headers.cookie];
    assert.equal(await userOf(api, `${own}; x=1`), victim.user.id);
    for (const cookie of [`${own}; ${tossed}`, `${tossed}; ${own}`])
      assert.equal(await userOf(api, cookie), null);
  });
});

const lastSeen = async (userId: number): Promise<string> =>
  String(
    (await rowsOf(api.dataDir, `select last_seen_at from sessions where user_id = ${userId}`))[0]
      ?.last_seen_at,
  );

async function rawAnswer(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  return Buffer.concat(await socket.toArray()).toString();
}
