import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FULL_ACCESS } from '../../../src/app/api-keys/credentials.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { type ConsoleClient, consoleClient, cookieOf } from '../../support/console/console.ts';
import { quickHash } from '../../support/console/passwords.ts';
import { newName } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const MINUTE_MS = 60_000;
const PASSWORD = 'correct horse battery';
const passwordHash = await quickHash(PASSWORD);
let now = Date.now();
const api = await startService({ after }, { clock: () => now });
const emailOf = (name: string): string => `${name.toLowerCase()}@example.test`;

async function newOwner() {
  const name = newName();
  const user = { name, email: emailOf(name), role: 'owner', passwordHash } as const;
  const made = await api.service.execute('create-user', user, SYSTEM);
  assert.ok(made.ok);
  return made.value;
}

/** Creates an owner and signs in. */
async function owner() {
  const user = await newOwner();
  const sent = { email: user.email, password: PASSWORD };
  const { headers } = await consoleClient(api, { 'x-csrf-token': '1' }).post('/session', sent);
  const cookie = cookieOf(headers);
  const { csrf_token } = await consoleClient(api, { cookie }).ok('GET', '/session');
  return { user, client: consoleClient(api, { cookie, 'x-csrf-token': csrf_token }) };
}

/** Returns all requests with which a stolen session could take over an account or outlive its own end. */
async function acts(client: ConsoleClient, own: number) {
  const other = await newOwner();
  const key = await api.service.execute(
    'create-api-key',
    {
      keyHash: Buffer.from(newName()),
      secretHash: Buffer.from(newName()),
      keyEnding: 'abcdefg',
      ...FULL_ACCESS,
      permission: 'read',
      userId: own,
      description: '',
    },
    SYSTEM,
  );
  assert.ok(key.ok);
  const url = 'https://example.com/';
  const { endpoint } = await client.ok('POST', '/event-endpoints', { url });
  const user = (role: string) => ({ name: newName(), email: emailOf(newName()), role });
  return {
    'own address': () => client.patch('/account', { email: emailOf(newName()) }),
    'second factor': () => client.post('/account/totp'),
    'second factor off': () => client.delete('/account/totp'),
    'recovery codes': () => client.post('/account/recovery-codes'),
    'link for oneself': () => client.post(`/users/${own}/invitation`),
    'link for another': () => client.post(`/users/${other.id}/invitation`),
    'new user': () => client.post('/users', user('viewer')),
    role: () => client.patch(`/users/${other.id}`, { role: 'manager' }),
    'address of another': () => client.patch(`/users/${other.id}`, { email: emailOf(newName()) }),
    'second factor of another': () => client.delete(`/users/${other.id}/totp`),
    'API key': () => client.post('/api-keys', { permission: 'read' }),
    'permissions of an API key': () => client.patch(`/api-keys/${key.value}`, { permission: 'read_write' }),
    'API key rotation': () => client.post(`/api-keys/${key.value}/rotate`, {}),
    'event endpoint': () => client.post('/event-endpoints', { url }),
    'address of an event endpoint': () =>
      client.patch(`/event-endpoints/${endpoint.id}`, { url: `${url}new` }),
    'secret of an event endpoint': () => client.post(`/event-endpoints/${endpoint.id}/rotate-secret`),
  };
}

test('requests that could take over an account or outlast the session need a password from the last ten minutes', async () => {
  const { user, client } = await owner();
  const all = Object.entries(await acts(client, user.id));
  const before = await client.ok('GET', '/users');
  now += 10 * MINUTE_MS;
  for (const [name, act] of all) {
    const { status, body } = await act();
    assert.deepEqual([status, body.code], [403, 'password_needed'], name);
  }
  assert.deepEqual((await client.ok('GET', '/users')).items.length, before.items.length);
  // Other requests need no confirmation, not even a new name sent with the unchanged address.
  await client.ok('PATCH', '/account', { name: 'Ada', email: user.email });
  assert.equal((await client.get('/api-keys')).status, 200);

  const wrong = await client.post('/session/confirm', { password: 'no such password' });
  assert.deepEqual([wrong.status, wrong.body.data.params], [422, { password: 'is wrong.' }]);
  assert.match(api.logs.join(''), /"event":"sign_in_failed".*a password that was asked for again was wrong/);
  assert.equal((await client.post('/users', {})).body.code, 'password_needed');
  await client.ok('POST', '/session/confirm', { password: PASSWORD });
  now += 10 * MINUTE_MS - 2_000;
  const off = ['second factor off', 'second factor of another', 'recovery codes'];
  for (const [name, act] of all) {
    const { status, body } = await act();
    assert.equal(status, off.includes(name) ? 409 : 200, `${name} ${JSON.stringify(body)}`);
  }
});

test('a confirmation counts only for its own session, not for later or earlier sessions of the user', async () => {
  const { user, client } = await owner();
  const first = await client.ok('GET', '/sessions');
  now += 11 * MINUTE_MS;
  const sent = { email: user.email, password: PASSWORD };
  const { headers } = await consoleClient(api, { 'x-csrf-token': '1' }).post('/session', sent);
  assert.ok(cookieOf(headers) !== client.headers.cookie);
  assert.equal(first.items.length, 1);
  assert.equal((await client.post('/api-keys', {})).body.code, 'password_needed');
  // A confirmation with a password that has changed since does not count.
  await api.service.execute(
    'confirm-session',
    { id: first.items[0].id, userId: user.id, verified: 'another hash' },
    SYSTEM,
  );
  assert.equal((await client.post('/api-keys', {})).body.code, 'password_needed');
});

test('a confirmation from a clock that was ahead does not last longer', async () => {
  now += 60 * MINUTE_MS;
  const { client } = await owner();
  assert.notEqual((await client.post('/api-keys', {})).body.code, 'password_needed');
  now -= 60 * MINUTE_MS;
  assert.equal((await client.post('/api-keys', {})).body.code, 'password_needed');
});
