import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPassword } from '../../../src/app/people/passwords.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { consoleClient } from '../../support/console/console.ts';
import { quickHash } from '../../support/console/passwords.ts';
import { holdWrites, migratedFolder, numberOf } from '../../support/engine.ts';
import { newName } from '../../support/http/api.ts';
import { type Running, startService } from '../../support/service.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = await quickHash(PASSWORD);
const LIMIT = 2;
const START = Date.now();
/** The number of sign-in attempts at one account in an hour. */
const PER_HOUR = LIMIT * 4;

/** Starts a service behind a proxy, so that a test can use any number of addresses. */
async function start(
  t: Parameters<typeof startService>[0],
  options: Parameters<typeof startService>[1] = {},
) {
  const clock = { now: START };
  const api = await startService(t, {
    clock: () => clock.now,
    server: { trustProxy: true, signInLimit: LIMIT },
    ...options,
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

const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

const from = (api: Running, address: string) =>
  consoleClient(api, { 'x-csrf-token': '1', 'x-forwarded-for': address });

test('a network has a limited number of attempts in a minute, right ones too, and gets the time of the next one', async (t) => {
  const { api, clock, email } = await start(t);
  const client = from(api, '192.0.2.1');
  for (let i = 0; i < LIMIT; i++) await client.ok('POST', '/session', { email, password: PASSWORD });
  const refused = await client.post('/session', { email, password: PASSWORD });
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.equal(refused.headers.getSetCookie().length, 0);
  // The answer is the same for an unknown user.
  const nobody = await client.post('/session', { email: 'nobody@example.test', password: PASSWORD });
  assert.deepEqual([nobody.status, nobody.body], [refused.status, refused.body]);
  clock.now += 60_000;
  await client.ok('POST', '/session', { email, password: PASSWORD });
});

test('all networks share the hourly attempts at an account; a browser that signed in before has its own', async (t) => {
  const { api, clock, email } = await start(t);
  const signIn = (address: string, password: string, asked = email, cookie = '') =>
    consoleClient(api, { 'x-csrf-token': '1', 'x-forwarded-for': address, cookie }).post('/session', {
      email: asked,
      password,
    });
  const known = cookiesOf((await signIn('192.0.2.1', PASSWORD)).headers);
  assert.match(known, /latchkey_device=/);
  let network = 0;
  /** Tries wrong passwords, each from another network and a minute apart. Returns how many were not refused. */
  async function guess(times: number, asked = email, cookie = ''): Promise<number> {
    let taken = 0;
    for (let i = 0; i < times; i++) {
      const { status } = await signIn(`198.51.100.${network++}`, 'wrong horse battery', asked, cookie);
      assert.ok(status === 401 || status === 429);
      if (status === 401) taken++;
      clock.now += 60_000;
    }
    return taken;
  }
  const most = PER_HOUR;
  assert.equal(await guess(12), most - 1, 'the successful attempt before counts, too');
  const stranger = await signIn('203.0.113.99', PASSWORD);
  assert.equal(stranger.status, 429);
  assert.ok(Number(stranger.headers.get('retry-after')) > 40 * 60);
  // The network of an earlier sign-in gets no exception.
  assert.equal((await signIn('192.0.2.1', PASSWORD)).status, 429);
  const again = await signIn('203.0.113.98', PASSWORD, email, known);
  assert.equal(again.status, 200);
  assert.equal(await guess(12, email, known), most - 1, 'a stolen cookie gives no more attempts');
  // An unknown account is limited in the same way. The cookie counts only for its own account.
  assert.equal(await guess(12, 'no@example.test', known), most);
  clock.now += 60 * 60_000;
  assert.equal((await signIn('203.0.113.97', PASSWORD)).status, 200);
});

test('others in the network cannot use up the attempts of a browser in which the account has signed in before', async (t) => {
  const { api, clock, email } = await start(t);
  const address = '192.0.2.1';
  const known = cookiesOf((await from(api, address).post('/session', { email, password: PASSWORD })).headers);
  clock.now += 60_000;
  for (let i = 0; i < LIMIT; i++)
    await from(api, address).post('/session', { email: 'no@example.test', password: 'wrong horse battery' });
  const statusWith = async (cookie: string, asked: string) => {
    const headers = { 'x-csrf-token': '1', 'x-forwarded-for': address, cookie };
    return (await consoleClient(api, headers).post('/session', { email: asked, password: PASSWORD })).status;
  };
  assert.equal(await statusWith('', email), 429);
  assert.equal(await statusWith(known, 'no@example.test'), 429, 'the cookie counts only for its own account');
  assert.equal(await statusWith(known, email), 200);
});

test('a forged device cookie gives no attempts', async (t) => {
  const { api, email } = await start(t);
  const statuses: number[] = [];
  for (let i = 0; i < 10; i++) {
    const cookie = `latchkey_device=${'A'.repeat(21)}${i}.${'0'.repeat(64)}`;
    const headers = { 'x-csrf-token': '1', 'x-forwarded-for': `198.51.100.${i}`, cookie };
    const client = consoleClient(api, headers);
    statuses.push((await client.post('/session', { email, password: 'wrong horse battery' })).status);
  }
  assert.deepEqual(
    statuses.map((status) => status === 429),
    Array.from({ length: 10 }, (_, i) => i >= PER_HOUR),
  );
});

test('second-factor codes and password confirmations count as attempts', async (t) => {
  const { api, clock, email } = await start(t);
  const client = from(api, '192.0.2.1');
  const { headers } = await client.post('/session', { email, password: PASSWORD });
  const cookie = cookiesOf(headers);
  const { csrf_token } = await consoleClient(api, { cookie }).ok('GET', '/session');
  const inside = consoleClient(api, {
    cookie,
    'x-csrf-token': csrf_token,
    'x-forwarded-for': '192.0.2.1',
  });
  const wrong = await inside.post('/session/confirm', { password: 'wrong horse battery' });
  assert.deepEqual([wrong.status, wrong.body.data.params], [422, { password: 'is wrong.' }]);
  assert.equal((await inside.post('/session/confirm', { password: PASSWORD })).status, 429);
  // Attempts by others at the account do not prevent a signed-in user from confirming the password.
  for (let i = 0; i < 12; i++)
    await from(api, `198.51.100.${i}`).post('/session', { email, password: 'wrong horse battery' });
  clock.now += 60_000;
  await inside.ok('POST', '/session/confirm', { password: PASSWORD });
});

/** Starts two processes that share a database. */
async function startTwo(t: Parameters<typeof startService>[0], patience?: number) {
  const dataDir = await migratedFolder();
  const options = { dataDir, storage: { workers: 2 }, ...(patience && { patience }) };
  const { api: one, email } = await start(t, options);
  const { api: other } = await start(t, options);
  return { nodes: [one, other] as const, email, dataDir };
}

/** Sends wrong passwords concurrently, half of them to each node. Returns how often each status was answered. */
async function burst(
  nodes: readonly Running[],
  email: string,
  addressOf: (i: number) => string,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const guess = async (i: number) => {
    const client = from(nodes[i % nodes.length] as Running, addressOf(i));
    const { status } = await client.post('/session', { email, password: 'wrong horse battery' });
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: 20 }, (_, i) => guess(i)));
  return statuses;
}

test('two processes share the attempts of a network and an account, and refuse attempts that they cannot count', async (t) => {
  const impatient = await startTwo(t, 500);
  const letGo = await holdWrites(impatient.dataDir, 'request_counts');
  assert.deepEqual(await burst(impatient.nodes, impatient.email, (i) => `203.0.113.${i}`), { 503: 20 });
  await letGo();
  const { nodes, email } = await startTwo(t);
  const ofNetwork = await burst(nodes, email, () => '192.0.2.1');
  assert.deepEqual(ofNetwork, { 401: LIMIT, 429: 20 - LIMIT });
  const ofAccount = await burst(nodes, email, (i) => `198.51.100.${i}`);
  assert.deepEqual(ofAccount, { 401: PER_HOUR - LIMIT, 429: 20 - PER_HOUR + LIMIT });
});

test('attempts at an account count even after the process has forgotten them', async (t) => {
  const { api, email } = await start(t);
  assert.equal((await burst([api], email, (i) => `198.51.100.${i}`))[401], PER_HOUR);
  // A restart empties the memory of a process, and so do attempts at thousands of invented accounts.
  const { api: restarted } = await start(t, {
    dataDir: api.dataDir,
    server: { trustProxy: true, signInLimit: LIMIT },
  });
  assert.deepEqual(await burst([restarted], email, (i) => `203.0.113.${i}`), { 429: 20 });
});

test('an attempt that finds the password queue full is 503 and leaves no count in the database', async (t) => {
  const { api, email } = await start(t);
  const counts = () => numberOf(api.dataDir, 'select count(*) from request_counts');
  const never = Promise.withResolvers<{ passwordHash: null }>();
  const queue: Promise<unknown>[] = [];
  let room = 0;
  // Fills the queue: an attempt that finds no room does not read the account.
  for (let reads = -1; reads < room; ) {
    reads = room;
    const waits = checkPassword('x', () => {
      room++;
      return never.promise;
    });
    queue.push(waits.catch(() => {}));
  }
  const answer = await from(api, '192.0.2.1').post('/session', { email, password: PASSWORD });
  assert.equal(answer.status, 503);
  assert.equal(await counts(), 0);
  never.reject(new Error('the test is over'));
  await Promise.all(queue);
  await from(api, '192.0.2.1').ok('POST', '/session', { email, password: PASSWORD });
  assert.equal(await counts(), 2);
});
