import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { makeLinkToken } from '../../../src/app/people/session-tokens.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { ROLES, type Role } from '../../../src/domain/user.ts';
import { setupToken } from '../../../src/server/start.ts';
import { type ConsoleClient, consoleClient, cookieOf, signedIn } from '../../support/console/console.ts';
import { quickHash } from '../../support/console/passwords.ts';
import { newName } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const PASSWORD = 'correct horse battery';
const passwordHash = await quickHash(PASSWORD);
const tokenOf = (link: string): string => link.slice(link.indexOf('#') + 1);
const api = await startService({ after });
const owner = await signedIn(api, 'owner');

test('only the newest setup link creates the first owner, and only once, even with concurrent attempts', async (t) => {
  const api = await startService(t);
  const nobody = consoleClient(api, { 'x-csrf-token': '1' });
  assert.equal((await nobody.ok('GET', '/session')).setup_needed, true);
  const first = await setupToken(api.service);
  const token = await setupToken(api.service);
  const owner = { name: 'Ada', email: 'ada@example.test', password: PASSWORD };
  assert.equal((await nobody.post('/setup', { ...owner, token: first })).status, 404);
  const missing = await nobody.post('/setup', { token, password: PASSWORD });
  assert.deepEqual(missing.body.data.params, { name: 'is required.', email: 'is required.' });
  for (const [password, reason] of [
    ['short', 'must have 12 to 256 characters.'],
    ['ADA@example.test', 'must not be the name or the address.'],
  ])
    assert.equal(
      (await nobody.post('/setup', { ...owner, token, password })).body.data.params.password,
      reason,
    );
  const link = await nobody.ok('POST', '/setup/link', { token });
  assert.deepEqual([link.purpose, link.name, link.email], ['setup', null, null]);
  const answers = await Promise.all([0, 1, 2].map(() => nobody.post('/setup', { ...owner, token })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
  const won = answers.find(({ status }) => status === 200);
  assert.deepEqual([won?.body.user.id, won?.body.user.role], [1, 'owner']);
  assert.equal(
    (await consoleClient(api, { cookie: cookieOf(won?.headers as Headers) }).ok('GET', '/session')).signed_in,
    true,
  );
  assert.equal(await setupToken(api.service), null);
  assert.equal((await nobody.ok('GET', '/session')).setup_needed, false);
});

test('the console shows no set-up once there are users, and no set-up link works once there is an owner', async (t) => {
  const api = await startService(t);
  const nobody = consoleClient(api, { 'x-csrf-token': '1' });
  const token = await setupToken(api.service);
  const user = async (role: Role) => {
    const made = { name: newName(), email: `${newName()}@example.test`, role, passwordHash };
    assert.ok((await api.service.execute('create-user', made, SYSTEM)).ok);
  };
  await user('manager');
  assert.equal((await nobody.ok('GET', '/session')).setup_needed, false);
  assert.equal((await nobody.post('/setup/link', { token })).status, 200);
  await user('owner');
  assert.equal((await nobody.post('/setup/link', { token })).status, 404);
});

const nobody = consoleClient(api, { 'x-csrf-token': '1' });
const create = (client: ConsoleClient, role = 'support') =>
  client.post('/users', { name: newName(), email: `${newName()}@example.test`, role });

suite('users', () => {
  test('can be managed only by owners', async () => {
    for (const role of ROLES.filter((one) => one !== 'owner')) {
      const client = await signedIn(api, role);
      const answers = [
        await client.get('/users'),
        await create(client),
        await client.patch(`/users/${client.user.id}`, { role: 'owner' }),
        await client.post(`/users/${owner.user.id}/invitation`),
        await client.delete(`/users/${owner.user.id}/totp`),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [403, 403, 403, 403, 403],
      );
    }
  });

  test('set a password through a link in a browser that was signed in as another user, whose session ends', async () => {
    const other = await signedIn(api, 'owner');
    const token = tokenOf((await create(owner)).body.invitation.link);
    const { headers } = await consoleClient(api, { ...other.headers, 'x-csrf-token': '1' }).post('/setup', {
      token,
      password: 'a whole new password',
    });
    const browser = consoleClient(api, { cookie: cookieOf(headers) });
    assert.equal((await browser.ok('GET', '/session')).signed_in, true);
    assert.equal((await other.ok('GET', '/session')).signed_in, false);
  });

  test('set a password through a link, which works once and signs them in', async () => {
    const { user, invitation } = (await create(owner)).body;
    assert.match(invitation.link, new RegExp(`^http://127.0.0.1:${api.port}/console/setup#[\\w-]{27}$`));
    assert.equal(user.has_password, false);
    const token = tokenOf(invitation.link);
    const link = await nobody.ok('POST', '/setup/link', { token });
    assert.deepEqual([link.purpose, link.name, link.email], ['invitation', user.name, user.email]);
    // The link keeps the name and the address that the owner entered.
    const sent = { token, password: PASSWORD, name: 'Mallory', email: owner.user.email };
    const done = await nobody.ok('POST', '/setup', sent);
    assert.deepEqual([done.user.id, done.user.name, done.user.role], [user.id, user.name, 'support']);
    assert.equal((await nobody.post('/setup', sent)).status, 404);
    await nobody.ok('POST', '/session', { email: user.email, password: PASSWORD });
    const again = await owner.ok('POST', `/users/${user.id}/invitation`);
    assert.equal((await nobody.ok('POST', '/setup/link', { token: tokenOf(again.link) })).purpose, 'reset');
    await owner.ok('PATCH', `/users/${user.id}`, { disabled: true });
    assert.equal((await nobody.post('/setup/link', { token: tokenOf(again.link) })).status, 404);
    assert.equal((await owner.post(`/users/${user.id}/invitation`)).status, 409);
  });

  test('have email addresses that differ in more than case and Unicode normalization', async () => {
    const email = `J\u00f6rg.${newName()}@example.test`;
    const user = { name: 'J', email, role: 'viewer' };
    await owner.ok('POST', '/users', user);
    for (const same of [email.toUpperCase(), email.normalize('NFD')]) {
      const { status, body } = await owner.post('/users', { ...user, email: same });
      assert.equal(status, 409, same);
      assert.deepEqual(body.data.params, { email: 'belongs to another user.' });
    }
    for (const bad of [
      'a',
      'a@',
      '@b',
      'a b@c',
      'a@b@c',
      'a\u202e@b',
      'a@b.',
      '<a@b>',
      'a\n@b',
      `${'a'.repeat(300)}@b`,
    ])
      assert.equal((await owner.post('/users', { ...user, email: bad })).status, 422, bad);
  });

  test('always include an owner who can sign in, even if two owners disable each other concurrently', async (t) => {
    const other = await startService(t);
    const [one, two] = await Promise.all([signedIn(other, 'owner'), signedIn(other, 'owner')]);
    const answers = await Promise.all([
      one.patch(`/users/${two.user.id}`, { disabled: true }),
      two.patch(`/users/${one.user.id}`, { role: 'viewer' }),
    ]);
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
    const last = statuses[0] === 200 ? one : two;
    const refused = await last.patch(`/users/${last.user.id}`, { role: 'manager' });
    assert.equal(refused.status, 409);
    assert.match(refused.body.message, new RegExp(`^${last.user.name} is the last owner`));
    assert.equal((await last.get('/users')).status, 200);
  });

  test('need the current password to change it, and their other sessions end', async () => {
    const email = `${newName()}@example.test`;
    const made = await api.service.execute(
      'create-user',
      { name: 'P', email, role: 'viewer', passwordHash },
      SYSTEM,
    );
    assert.ok(made.ok);
    const signIn = async () => {
      const { headers, status } = await nobody.post('/session', { email, password: PASSWORD });
      assert.equal(status, 200);
      const cookie = cookieOf(headers);
      const { csrf_token } = await consoleClient(api, { cookie }).ok('GET', '/session');
      return consoleClient(api, { cookie, 'x-csrf-token': csrf_token });
    };
    const [here, there] = [await signIn(), await signIn()];
    const password = 'another long passphrase';
    const wrong = await here.post('/account/password', { current_password: 'no such password', password });
    assert.deepEqual(wrong.body.data.params, { current_password: 'is wrong.' });
    const same = await here.post('/account/password', { current_password: PASSWORD, password: email });
    assert.deepEqual(same.body.data.params, { password: 'must not be the name or the address.' });
    assert.equal((await here.ok('GET', '/sessions')).items.length, 2);
    await here.ok('POST', '/account/password', { current_password: PASSWORD, password });
    assert.equal((await there.get('/account')).status, 401);
    assert.equal((await here.ok('GET', '/sessions')).items.length, 1);
    assert.equal((await nobody.post('/session', { email, password: PASSWORD })).status, 401);
    await nobody.ok('POST', '/session', { email, password });
    const address = `${newName()}@example.test`;
    const renamed = await here.ok('PATCH', '/account', { name: 'Q', email: address });
    assert.deepEqual([renamed.user.name, renamed.user.email], ['Q', address]);
    assert.equal((await here.ok('DELETE', '/sessions')).ended, 2);
    assert.equal((await here.get('/account')).status, 401);
  });

  test('can end only their own sessions', async () => {
    const viewer = await signedIn(api, 'viewer');
    const [{ id }] = (await owner.ok('GET', '/sessions')).items;
    for (const named of [id, 0, '__proto__', '1e1', '9'.repeat(40)])
      assert.equal((await viewer.delete(`/sessions/${named}`)).status, 404, String(named));
    assert.equal((await owner.get('/users')).status, 200);
  });

  test('learn no more from a guessed link than from a wrong one', async () => {
    const { token } = makeLinkToken();
    for (const guess of [token, '', 'x'.repeat(101), { a: 1 }]) {
      const { status } = await nobody.post('/setup', { token: guess, password: PASSWORD });
      assert.ok(status === 404 || status === 422);
    }
  });
});
