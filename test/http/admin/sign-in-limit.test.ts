import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword } from '../../../src/app/passwords.ts';
import { SYSTEM } from '../../../src/app/set-up.ts';
import { newName } from '../../support/api.ts';
import { consoleClient } from '../../support/console.ts';
import { type Running, startService } from '../../support/service.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = await hashPassword(PASSWORD);
const LIMIT = 2;
const START = Date.now();

/** A service behind a proxy, so that a test has as many addresses as it likes. */
async function start(t: Parameters<typeof startService>[0]) {
  const clock = { now: START };
  const api = await startService(t, {
    clock: () => clock.now,
    server: { trustProxy: true, signInLimit: LIMIT },
  });
  const email = `${newName().toLowerCase()}@example.test`;
  const made = await api.service.execute(
    'create-user',
    { name: 'S', email, role: 'viewer', passwordHash },
    SYSTEM,
  );
  assert.ok(made.ok);
  return { api, clock, email };
}

const from = (api: Running, address: string) =>
  consoleClient(api, { 'x-csrf-token': '1', 'x-forwarded-for': address });

test('one network has so many attempts in a minute, right ones too, and says when it goes on', async (t) => {
  const { api, clock, email } = await start(t);
  const client = from(api, '192.0.2.1');
  for (let i = 0; i < LIMIT; i++) await client.ok('POST', '/session', { email, password: PASSWORD });
  const refused = await client.post('/session', { email, password: PASSWORD });
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.equal(refused.headers.getSetCookie().length, 0);
  // The same for who does not exist.
  const nobody = await client.post('/session', { email: 'nobody@example.test', password: PASSWORD });
  assert.deepEqual([nobody.status, nobody.body], [refused.status, refused.body]);
  clock.now += 60_000;
  await client.ok('POST', '/session', { email, password: PASSWORD });
});

test('many networks together have so many at one account, but for one that it has signed in from', async (t) => {
  const { api, email } = await start(t);
  const own = from(api, '192.0.2.1');
  await own.ok('POST', '/session', { email, password: PASSWORD });
  const wrong = (address: string, asked: string) =>
    from(api, address).post('/session', { email: asked, password: 'wrong horse battery' });
  const askAll = async (asked: string) => {
    const statuses: number[] = [];
    for (let i = 0; i < 8; i++) statuses.push((await wrong(`198.51.100.${i}`, asked)).status);
    return statuses;
  };
  assert.deepEqual(await askAll(email), [401, 401, 401, 401, 401, 429, 429, 429]);
  // An account that there is not is refused as often.
  const missing = await Promise.all(
    [...Array(8).keys()].map((i) => wrong(`203.0.113.${i}`, 'no@example.test')),
  );
  assert.deepEqual(missing.map(({ status }) => status).sort(), [401, 401, 401, 401, 401, 401, 429, 429]);
  assert.equal((await from(api, '203.0.113.99').post('/session', { email, password: PASSWORD })).status, 429);
  await own.ok('POST', '/session', { email, password: PASSWORD });
});

test('codes of the second factor, and passwords that are to be confirmed, count too', async (t) => {
  const { api, email } = await start(t);
  const client = from(api, '192.0.2.1');
  const { headers } = await client.post('/session', { email, password: PASSWORD });
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { csrf_token } = await consoleClient(api, { cookie }).ok('GET', '/session');
  const inside = consoleClient(api, {
    cookie,
    'x-csrf-token': csrf_token,
    'x-forwarded-for': '192.0.2.1',
  });
  const body = { current_password: 'wrong horse battery' };
  assert.equal((await inside.post('/account/totp', body)).status, 422);
  assert.equal((await inside.post('/account/totp', { current_password: PASSWORD })).status, 429);
});
