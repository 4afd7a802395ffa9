import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fingerprintOf } from '../../src/store/keys/key-bundle.ts';
import { createCli, faults } from '../cli/cli.ts';
import { databaseUrl, dropDatabase, ENGINE, rowsOf, storedBytes } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startProcess } from '../support/process.ts';
import {
  atStep,
  type Environment,
  kill,
  restElsewhere,
  startRotation,
  stepOf,
  suspend,
} from '../support/rotation.ts';
import { until } from '../support/until.ts';

/** Enough to kill a rotation while it re-encrypts them. */
const LICENSES = 10_000;
const NEVER = 600_000;
const newMasterKey = (): Buffer => randomBytes(32);
const given = (masterKey: Buffer, next?: Buffer): Environment => ({
  LATCHKEY_MASTER_KEY: masterKey.toString('hex'),
  ...(next && { LATCHKEY_NEXT_MASTER_KEY: next.toString('hex') }),
});

/** Creates a database with licenses, under a master key from the environment. */
async function databaseOf(t: TestContext, masterKey: Buffer, licenses = 10): Promise<string> {
  const dataDir = temporaryFolder();
  await databaseUrl(dataDir);
  t.after(() => dropDatabase(dataDir));
  const lines = Array.from({ length: licenses }, (_, i) => `KEY-${i}`).join('\n');
  await createCli(dataDir).ok(['license', 'import', '-'], {
    env: given(masterKey),
    input: `license_key\n${lines}`,
  });
  return dataDir;
}

/** Returns "works" if licenses can be read and created with a key, else the error. */
async function tryKey(dataDir: string, env: Environment): Promise<string> {
  const key = `TRY-${randomBytes(6).toString('hex')}`;
  const made = await createCli(dataDir).run(['license', 'create', '--license-key', key], { env });
  if (made.code !== 0) return made.stderr;
  for (const one of [key, 'KEY-3'])
    assert.match(await createCli(dataDir).ok(['license', 'show', one], { env }), /KEY-3|TRY-/);
  return 'works';
}

test('a rotation killed at any step resumes there; until its end only the old and the new key work', async (t) => {
  const [old, next, other] = [newMasterKey(), newMasterKey(), newMasterKey()];
  const dataDir = await databaseOf(t, old, LICENSES);
  const hash = JSON.parse(
    await createCli(dataDir).ok(['license', 'show', 'KEY-3', '--json'], { env: given(old) }),
  ).hash;
  const both = given(old, next);
  const oldServer = await startProcess(t, dataDir, { env: given(old) });
  const tryAll = async () => {
    assert.equal(await tryKey(dataDir, given(old)), 'works');
    assert.equal(await tryKey(dataDir, given(next)), 'works');
    assert.match(await tryKey(dataDir, given(other)), /made with another master key/);
    const server = await startProcess(t, dataDir, { env: given(next), credentials: oldServer.credentials });
    for (const api of [server, oldServer]) {
      const { license_key: key } = await api.license();
      for (const one of [oldServer, server]) await one.ok('GET', `/licenses/${key}`);
      assert.equal((await api.ok('GET', `/licenses/hashed-${hash}`)).license_key, 'KEY-3');
    }
    assert.equal(await server.stop(), 0);
  };
  const status = async () =>
    JSON.parse(await createCli(dataDir).ok(['master-key', 'status', '--json'], { env: given(old) }));
  assert.equal((await status()).rotation, null);

  let rotation = await startRotation(t, dataDir, NEVER, both);
  await atStep(dataDir, rotation, 'announced');
  await kill(rotation);
  assert.equal((await status()).rotation.step, 'announced');
  assert.equal(await restElsewhere(dataDir, old), 0);
  await tryAll();
  assert.equal(await restElsewhere(dataDir, old), 0);
  const bundles = await rowsOf(dataDir, "select name, value from meta where name like 'key_bundle:%'");
  assert.equal(bundles.length, 3);
  const temporary = bundles.filter(({ name }) => name !== `key_bundle:${fingerprintOf(next)}`);
  const secrets = temporary.map(({ value }) => String(value).slice(0, 100));
  assert.equal(secrets.length, 2);

  // Continue with another key than the one the rotation began with, or with none.
  const wrong = await createCli(dataDir).run(['master-key', 'rotate'], { env: given(old, other) });
  assert.deepEqual([wrong.code, wrong.stdout], [3, '']);
  assert.match(wrong.stderr, /needs its new key: set LATCHKEY_NEXT_MASTER_KEY to it/);
  assert.equal((await createCli(dataDir).run(['master-key', 'rotate'], { env: given(old) })).code, 3);

  // Long enough for the running server to notice the switch, and for this test to act before the next step.
  rotation = await startRotation(t, dataDir, 3_000, both);
  await atStep(dataDir, rotation, 'switched');
  await kill(rotation);
  await tryAll();
  const { step } = (await status()).rotation;
  assert.equal(step, 'switched');

  rotation = await startRotation(t, dataDir, 1_500, given(next));
  await until(async () => (await restElsewhere(dataDir, next)) < LICENSES);
  await kill(rotation);
  assert.equal(await stepOf(dataDir), 'switched');
  assert.ok((await restElsewhere(dataDir, next)) > 0);
  await tryAll();

  const told = await createCli(dataDir).ok(['master-key', 'rotate', '--settle', '0'], { env: both });
  assert.match(told, /The master key was replaced, and [\d,]+ license keys were re-encrypted/);
  assert.equal(await restElsewhere(dataDir, next), 0);
  assert.match(await tryKey(dataDir, given(old)), /This master key was retired on \d{4}-/);
  assert.equal(await tryKey(dataDir, given(next)), 'works');
  assert.equal(await tryKey(dataDir, both), 'works');
  const { 'Master key': found } = await faults(createCli(dataDir), 0, { env: both });
  assert.match(found, /^warn: .* \| Set LATCHKEY_MASTER_KEY to it, and unset LATCHKEY_NEXT_MASTER_KEY/);
  assert.match(await tryKey(dataDir, given(other)), /made with another master key/);
  await oldServer.license();
  assert.equal((await oldServer.ok('GET', `/licenses/hashed-${hash}`)).license_key, 'KEY-3');
  assert.match(
    await createCli(dataDir).ok(['master-key', 'rotate'], { env: both }),
    /The rotation had already finished/,
  );
  assert.equal(await oldServer.stop(), 0);
  // The new key, sealed with the old one, is deleted without a trace.
  const bytes = await storedBytes(dataDir);
  for (const secret of secrets) assert.ok(!bytes.some((one) => one.includes(secret)));
});

test('a process suspended during a switch follows it; one suspended during two rotations logs what to do', async (t) => {
  const [old, next] = [newMasterKey(), newMasterKey()];
  const dataDir = await databaseOf(t, old);
  const server = await startProcess(t, dataDir, { env: given(old) });
  await server.license();
  await suspend(dataDir, server.child);
  const rotation = await startRotation(t, dataDir, 2_000, given(old, next));
  await atStep(dataDir, rotation, 'switched');
  await kill(rotation);
  const { license_key: key } = JSON.parse(
    await createCli(dataDir).ok(['license', 'create', '--license-key', 'SWITCHED', '--json'], {
      env: given(next),
    }),
  );
  assert.equal(await restElsewhere(dataDir, old), 1);
  server.child.kill('SIGCONT');
  await server.ok('GET', `/licenses/${key}`);
  await server.ok('GET', '/licenses');

  const sleeper = await startProcess(t, dataDir, { env: given(next), credentials: server.credentials });
  await sleeper.license();
  const third = newMasterKey();
  await suspend(dataDir, sleeper.child);
  await createCli(dataDir).ok(['master-key', 'rotate', '--settle', '0'], { env: given(next) });
  await createCli(dataDir).ok(['master-key', 'rotate', '--settle', '1500'], { env: given(next, third) });
  sleeper.child.kill('SIGCONT');
  const answer = await sleeper.fails(503, 'server_error', 'GET', `/licenses/${key}`);
  assert.doesNotMatch(JSON.stringify(answer), /master key/);
  await until(() => /"level":"warn",.*restart it with the new master key/.test(sleeper.output()));
  assert.doesNotMatch(sleeper.output(), /"level":"error"/);
  // The other process has followed both rotations.
  await server.ok('GET', `/licenses/${key}`);
  await server.license();
  assert.equal(await restElsewhere(dataDir, third), 0);

  // Keys that the suspended process writes stay readable, are reported, and can be sealed again.
  const late = await sleeper.license();
  assert.equal((await server.ok('GET', `/licenses/${late.license_key}`)).id, late.id);
  assert.equal(await restElsewhere(dataDir, third), 1);
  const status = JSON.parse(
    await createCli(dataDir).ok(['master-key', 'status', '--json'], { env: given(third) }),
  );
  assert.deepEqual([status.others, status.rotation, status.retired.length], [1, null, 2]);
  assert.match(
    await createCli(dataDir).ok(['master-key', 'status'], { env: given(third) }),
    /^1 license key or token is not encrypted under the current key\. /m,
  );
  assert.match(
    await createCli(dataDir).ok(['doctor'], { env: given(third) }),
    /1 license key or token is encrypted under a retired key/,
  );
  assert.match(await createCli(dataDir).ok(['doctor', '--fix'], { env: given(third) }), /re-encrypted: 1/);
  assert.equal(await restElsewhere(dataDir, third), 0);
  assert.equal(await sleeper.stop(), 0);
  const restarted = await startProcess(t, dataDir, { env: given(third), credentials: server.credentials });
  assert.equal((await restarted.ok('GET', `/licenses/${late.license_key}`)).id, late.id);
});

// The refusals come from the settings and the stored keys, which do not depend on the engine.
test('an unusable new key is refused, and nothing changes', { skip: ENGINE === 'postgres' }, async (t) => {
  const [old, next] = [newMasterKey(), newMasterKey()];
  const dataDir = await databaseOf(t, old);
  const meta = () => rowsOf(dataDir, 'select name, value from meta order by name');
  const before = await meta();
  const refused = async (env: Environment, reason: RegExp, code: string) => {
    const {
      code: exit,
      stdout,
      stderr,
    } = await createCli(dataDir).run(['master-key', 'rotate', '--json'], { env });
    assert.deepEqual([exit, stdout, JSON.parse(stderr).error.code], [3, '', code]);
    assert.match(stderr, reason);
  };
  await refused(
    given(old),
    /set LATCHKEY_NEXT_MASTER_KEY to the new one, 64 hex digits/,
    'next_master_key_missing',
  );
  await refused(given(old, old), /LATCHKEY_NEXT_MASTER_KEY holds the current key/, 'next_master_key_unfit');
  const bad = { ...given(old), LATCHKEY_NEXT_MASTER_KEY: 'seen-nowhere' };
  await refused(bad, /LATCHKEY_NEXT_MASTER_KEY must be 64 hex digits/, 'configuration');
  assert.deepEqual(await meta(), before);
  const rotated = await createCli(dataDir).run(['master-key', 'rotate', '--settle', '0'], {
    env: given(old, next),
  });
  assert.equal(rotated.code, 0, rotated.stderr);
  await refused(given(next, old), /holds a key that was retired at /, 'next_master_key_unfit');
  for (const key of [old, next]) assert.ok(!(rotated.stdout + rotated.stderr).includes(key.toString('hex')));
});

test('a backup made during a rotation can be restored with the key that is not in use, and the rotation resumes', async (t) => {
  const [old, next] = [newMasterKey(), newMasterKey()];
  const dataDir = await databaseOf(t, old);
  for (const [settle, step, key] of [
    [NEVER, 'announced', next],
    [1_500, 'switched', old],
  ] as const) {
    const rotation = await startRotation(t, dataDir, settle, given(old, next));
    await atStep(dataDir, rotation, step);
    await kill(rotation);
    const { file } = JSON.parse(await createCli(dataDir).ok(['backup', '--json'], { env: given(old) }));
    const place = join(temporaryFolder(), 'restored');
    await databaseUrl(place);
    t.after(() => dropDatabase(place));
    assert.match(
      await createCli(place).ok(['restore', file], { env: given(key) }),
      /during a rotation of the master key/,
    );
    assert.equal(await stepOf(place), step);
    assert.equal(await tryKey(place, given(old)), 'works');
    assert.equal(await tryKey(place, given(next)), 'works');
    await createCli(place).ok(['master-key', 'rotate', '--settle', '0'], { env: given(old, next) });
    assert.equal(await restElsewhere(place, next), 0);
    assert.equal(await tryKey(place, given(next)), 'works');
  }
});
