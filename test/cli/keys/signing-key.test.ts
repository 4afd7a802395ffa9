import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createSigner } from '../../../src/app/keys/create-signer.ts';
import { openService } from '../../../src/installation/service.ts';
import { storedBytes } from '../../support/engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Record_ } from '../../support/http/api.ts';
import { leaseBy, programPinning } from '../../support/leases/leases.ts';
import { engineConfig } from '../../support/service.ts';
import { type Cli, faults, migratedCli } from '../cli.ts';

const key = (...words: string[]) => ['signing-key', ...words];

/** Returns a function that signs a lease with the keys currently in the database. */
async function leaseMaker(t: TestContext, { dataDir }: Cli): Promise<() => Promise<string>> {
  const { store, execute, close } = await openService(await engineConfig(dataDir));
  t.after(close);
  return async () => leaseBy(await createSigner(store, execute).current());
}

const FORMS = ['base64', 'base64url', 'hex'] as const;
/** The bytes of a private half in a PEM file. */
const secretIn = (file: string): Buffer => {
  const [, base64 = ''] = readFileSync(file, 'utf8').trim().split('\n');
  return Buffer.from(base64, 'base64').subarray(-32);
};

// The first two tests share a data directory: each command takes half a second of processor time.
const cli = await migratedCli();
const folder = temporaryFolder();
const path = (name: string) => join(folder, name);
const exported = { root: path('root.pem'), spare: path('spare.pem') };
const { pins } = await cli.json(key('show'));

test('a root key leaves the database only once it is in its file, and is shown nowhere', async (t) => {
  const { store, close } = await openService(await engineConfig(cli.dataDir));
  t.after(close);
  const there = cli.file('there.pem', 'not a key');
  assert.match(await cli.fails(1, key('export-root', there)), /there\.pem exists/);
  assert.match(await cli.fails(3, key('export-root', path('none/root'))), /there is no such file or folder/);
  assert.match(
    await cli.fails(2, key('rotate', '--root-file', there)),
    /--root-file: .* holds no Ed25519 private key/,
  );
  assert.match(await cli.fails(2, key('rotate', '--root-file', '')), /--root-file must not be empty/);
  const keys = await store.read.signingKeys.list();
  assert.deepEqual(
    keys.map(({ hasPrivateHalf }) => hasPrivateHalf),
    [true, true, true],
  );

  const words = await cli.ok(key('export-root', exported.root));
  assert.match(words, /Move the file off this machine.*\n.*rotate --root-file" needs it/);
  assert.equal(statSync(exported.root).mode & 0o777, 0o600);
  assert.match(await cli.fails(1, key('export-root', path('again'))), /it was exported before/);
  assert.throws(() => statSync(path('again')), /ENOENT/);
  const shown = await cli.json(key('export-root', exported.spare, '--spare'));
  assert.deepEqual([shown.root.private_half, shown.spare.private_half], ['exported', 'exported']);

  const said = [words, JSON.stringify(shown)].map((text) => Buffer.from(text));
  for (const secret of Object.values(exported).map(secretIn))
    for (const bytes of [...(await storedBytes(cli.dataDir)), ...said])
      for (const form of [secret, ...FORMS.map((encoding) => secret.toString(encoding))])
        assert.ok(!bytes.includes(form));
});

test('after two rotations and use of the spare, programs pinned at the start accept all but revoked keys', async (t) => {
  const newLease = await leaseMaker(t, cli);
  const program = programPinning(pins);
  const first = await newLease();
  assert.deepEqual(await program.check(first), ['good']);

  assert.match(await cli.fails(1, key('rotate')), /root key \S{16} is not in the database.*--root-file/);
  await cli.ok(key('rotate', '--root-file', exported.root));
  const second = await newLease();
  await cli.ok(key('rotate', '--revoke', '--root-file', exported.root));
  const third = await newLease();
  assert.deepEqual(await program.check(first, second), ['good', 'good']);
  assert.deepEqual(await program.check(third, second, first), ['good', 'revoked_key', 'good']);

  assert.match(
    await cli.fails(1, key('use-spare', '--root-file', exported.root)),
    /The key in --root-file is not the root key \S+: it is \S+\.$/m,
  );
  const { pins: after, ended } = await cli.json(key('use-spare', '--root-file', exported.spare));
  assert.deepEqual([after[0], after.length, pins.includes(after[1])], [pins[1], 2, false]);
  assert.deepEqual(ended.map(({ role, state }: Record_) => `${role} ${state}`).sort(), [
    'root revoked',
    'signing retired',
    'signing revoked',
    'signing revoked',
  ]);
  const fourth = await newLease();
  const codes = await program.check(third, fourth, third, first);
  assert.deepEqual(codes, ['good', 'good', 'wrong_root', 'wrong_root']);

  // The new spare is in the database.
  assert.match(
    await cli.fails(1, key('use-spare', '--keep-old')),
    /came into use at .+ If you want that, add --again/,
  );
  await cli.ok(key('use-spare', '--keep-old', '--again'));
  const fifth = await newLease();
  assert.deepEqual(await program.check(fifth), ['wrong_root']);
  assert.deepEqual(await programPinning(after).check(fourth, fifth), ['good', 'good']);
});

test('doctor finds changed signing keys, and the service signs no lease with them', async (t) => {
  const swaps = {
    'the certificate of another key':
      "certificate = (select certificate from signing_keys where state = 'retired') where role = 'signing'",
    'another public half': "x = iif(x like 'A%', 'B', 'A') || substr(x, 2) where role = 'signing'",
    'no active root': "state = 'retired' where role = 'root' and state = 'active'",
    'the private half of another row':
      "private_half = (select private_half from signing_keys where state = 'spare') where role = 'signing'",
    'no private half': "private_half = null where role = 'signing'",
  };
  const cli = await migratedCli();
  await cli.ok(key('show'));
  await cli.ok(key('rotate'));
  const newLease = await leaseMaker(t, cli);
  cli.database((database) => database.exec('create table as_made as select * from signing_keys'));
  for (const [name, change] of Object.entries(swaps)) {
    cli.database((database) =>
      database.exec(`
        delete from signing_keys;
        insert into signing_keys select * from as_made;
        update signing_keys set ${change}`),
    );
    const { 'Signing keys': found } = await faults(cli, 1);
    assert.match(found, /^fail: .*signing.*\| Restore the last good backup/, name);
    await assert.rejects(newLease(), { name: 'StoreDamaged' }, name);
  }
});
