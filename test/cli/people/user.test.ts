import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { openService } from '../../../src/installation/service.ts';
import { consoleClient } from '../../support/console/console.ts';
import { engineConfig, startService } from '../../support/service.ts';
import { migratedCli } from '../cli.ts';

const cli = await migratedCli();
const PASSWORD = 'correct horse battery';
const tokenOf = (text: string): string => /\/console\/setup#([\w-]{27})/.exec(text)?.[1] ?? assert.fail(text);

before(async () => {
  await cli.ok(['migrate']);
});

test('the first owner is user 1; a link or a password from standard input lets a user sign in', async (t) => {
  const ada = ['--email', 'Ada@example.test', '--name', 'Ada', '--role', 'owner'];
  const made = await cli.json(['user', 'create', ...ada]);
  assert.deepEqual([made.id, made.role, made.has_password, made.has_totp], [1, 'owner', false, false]);
  const bob = ['user', 'create', '--email', 'bob@example.test', '--name', 'Bob', '--password-stdin'];
  const words = await cli.ok(bob, { input: `${PASSWORD}\n` });
  assert.match(words, /^Created user 2, Bob, with the given password\.\n$/);
  const { users } = await cli.json(['user', 'list']);
  assert.deepEqual(
    users.map(({ email, role, has_password }: Record<string, unknown>) => [email, role, has_password]),
    [
      ['Ada@example.test', 'owner', false],
      ['bob@example.test', 'viewer', true],
    ],
  );
  const again = await cli.json(['user', 'reset', 'ADA@EXAMPLE.TEST']);

  const api = await startService(t, { dataDir: cli.dataDir });
  const nobody = consoleClient(api, { 'x-csrf-token': '1' });
  const sent = { password: PASSWORD };
  assert.equal((await nobody.post('/setup', { ...sent, token: tokenOf(made.link) })).status, 404);
  const { user } = await nobody.ok('POST', '/setup', { ...sent, token: tokenOf(again.link) });
  assert.deepEqual([user.id, user.role], [1, 'owner']);
  const signIn = () => nobody.post('/session', { email: 'bob@example.test', ...sent });
  assert.equal((await signIn()).status, 200);
  await cli.ok(['user', 'disable', '2']);
  assert.equal((await signIn()).status, 401);
  assert.match(await cli.fails(1, ['user', 'reset', 'bob@example.test']), /Bob is disabled/);
  await cli.ok(['user', 'enable', 'bob@example.test']);
  assert.equal((await signIn()).status, 200);
  assert.match(await cli.fails(1, ['user', 'disable', '1']), /Ada is the last owner who can sign in/);
});

test('errors name the flags and never contain the password', async () => {
  const user = ['user', 'create', '--email', 'c@example.test', '--name', 'Carol', '--password-stdin'];
  for (const input of ['short', 'C@EXAMPLE.test', '']) {
    const refused = await cli.fails(2, user, { input });
    assert.match(refused, /--password-stdin needs a password/);
    assert.ok(input === '' || !refused.includes(input));
  }
  const bad = ['user', 'create', '--email', 'c', '--role', 'king'];
  assert.match(
    await cli.fails(2, bad),
    /--email must be an email address.*--name is required.*--role must be/,
  );
  const taken = ['user', 'create', '--email', 'BOB@example.test', '--name', 'Bob'];
  assert.match(await cli.fails(1, taken), /already exists/);
  assert.match(await cli.fails(1, ['user', 'reset', 'nobody@example.test']), /There is no user/);
});

test('an authenticator secret survives rotations of the master key', async () => {
  const secret = 'JBSWY3DPEHPK3PXP';
  const withService = async <T>(use: (service: Awaited<ReturnType<typeof openService>>) => Promise<T>) => {
    const service = await openService(await engineConfig(cli.dataDir));
    return use(service).finally(() => service.close());
  };
  await withService(async ({ execute }) => {
    assert.ok((await execute('begin-totp', { userId: 2, secret }, SYSTEM)).ok);
    const confirmed = { userId: 2, secret, step: 1, recoveryHashes: [], session: 0 };
    assert.ok((await execute('confirm-totp', confirmed, SYSTEM)).ok);
  });
  for (let round = 0; round < 2; round++) {
    await cli.ok(['master-key', 'rotate', '--settle', '0']);
    const kept = await withService(({ store }) => store.read.users.secrets(2));
    assert.deepEqual([kept?.totpSecret, kept?.totpLastStep], [secret, 1]);
  }
});
