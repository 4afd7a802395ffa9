import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openService } from '../../../src/installation/service.ts';
import { storedBytes } from '../../support/engine.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Record_ } from '../../support/http/api.ts';
import { leaseBy, programPinning } from '../../support/lease-verifier.ts';
import { engineConfig } from '../../support/service.ts';
import { type Cli, createCli, faults } from '../cli.ts';

const key = (...words: string[]) => ['signing-key', ...words];

function withFiles() {
  const cli = createCli();
  const folder = temporaryFolder();
  return { ...cli, path: (name: string) => join(folder, name) };
}

async function newLease({ dataDir }: Cli): Promise<string> {
  const service = await openService(await engineConfig(dataDir));
  try {
    return leaseBy(await service.signer.current());
  } finally {
    await service.close();
  }
}

/** The bytes of a private half in PEM. */
const secretIn = (file: string): Buffer => {
  const [, base64 = ''] = readFileSync(file, 'utf8').trim().split('\n');
  return Buffer.from(base64, 'base64').subarray(-32);
};

test('root exported, signing key rotated twice, spare used: programs pinned at the beginning accept all, and refuse revoked keys', async () => {
  const cli = withFiles();
  const { pins } = await cli.json(key('show'));
  const program = programPinning(pins);
  const first = await newLease(cli);
  assert.equal(program.check(first), 'good');

  for (const [file, flags] of [
    ['root', []],
    ['spare', ['--spare']],
  ] as const)
    await cli.ok(key('export-root', cli.path(file), ...flags));
  assert.match(await cli.fails(1, key('rotate')), /root key \S{16} is not in the database.*--root-file/);
  await cli.ok(key('rotate', '--root-file', cli.path('root')));
  const second = await newLease(cli);
  await cli.ok(key('rotate', '--revoke', '--root-file', cli.path('root')));
  const third = await newLease(cli);
  assert.deepEqual([first, second].map(program.check), ['good', 'good']);
  assert.deepEqual([third, second, first].map(program.check), ['good', 'revoked_key', 'good']);

  assert.match(
    await cli.fails(1, key('use-spare', '--root-file', cli.path('root'))),
    /The key in --root-file is not the root key \S+: it is \S+\.$/m,
  );
  const { pins: after, ended } = await cli.json(key('use-spare', '--root-file', cli.path('spare')));
  assert.deepEqual([after[0], after.length, pins.includes(after[1])], [pins[1], 2, false]);
  assert.deepEqual(ended.map(({ role, state }: Record_) => `${role} ${state}`).sort(), [
    'root revoked',
    'signing retired',
    'signing revoked',
    'signing revoked',
  ]);
  const fourth = await newLease(cli);
  assert.equal(program.check(third), 'good');
  assert.deepEqual([fourth, third, first].map(program.check), ['good', 'wrong_root', 'wrong_root']);

  // The new spare is on the server.
  await cli.ok(key('use-spare', '--keep-old'));
  const fifth = await newLease(cli);
  assert.equal(program.check(fifth), 'wrong_root');
  assert.deepEqual([fourth, fifth].map(programPinning(after).check), ['good', 'good']);
});

test('a root key leaves the database only when it is in its file, and is shown nowhere', async () => {
  const cli = withFiles();
  const there = cli.file('there.pem', 'not a key');
  const before = await cli.json(key('show'));
  assert.match(await cli.fails(1, key('export-root', there)), /there\.pem exists/);
  assert.match(
    await cli.fails(3, key('export-root', cli.path('none/root'))),
    /there is no such file or folder/,
  );
  assert.match(
    await cli.fails(2, key('rotate', '--root-file', there)),
    /--root-file: .* holds no Ed25519 private key/,
  );
  assert.deepEqual(await cli.json(key('show')), before);

  const file = cli.path('root.pem');
  const words = await cli.ok(key('export-root', file));
  assert.match(words, /Move the file off this machine.*\n.*rotate --root-file" needs it/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const shown = await cli.json(key('show'));
  assert.deepEqual([shown.root.private_half, shown.spare.private_half], ['exported', 'database']);
  assert.match(await cli.fails(1, key('export-root', cli.path('again'))), /it was exported before/);
  assert.throws(() => statSync(cli.path('again')), /ENOENT/);
  await cli.ok(key('rotate', '--root-file', file));

  const secret = secretIn(file);
  const said = [words, JSON.stringify(shown), await cli.ok(['audit', 'list', '--json'])];
  for (const bytes of [...(await storedBytes(cli.dataDir)), ...said.map((text) => Buffer.from(text))])
    for (const form of [
      secret,
      secret.toString('base64'),
      secret.toString('base64url'),
      secret.toString('hex'),
    ])
      assert.ok(!bytes.includes(form));
});

test('doctor finds keys that were changed, and no lease is signed with them', async () => {
  const swaps = {
    'the certificate of another key':
      "certificate = (select certificate from signing_keys where state = 'retired') where role = 'signing'",
    'another public half': "x = iif(x like 'A%', 'B', 'A') || substr(x, 2) where role = 'signing'",
    'no active root': "state = 'retired' where role = 'root' and state = 'active'",
    'the private half of another row':
      "private_half = (select private_half from signing_keys where state = 'spare') where role = 'signing'",
    'no private half': "private_half = null where role = 'signing'",
  };
  for (const [name, change] of Object.entries(swaps)) {
    const cli = createCli();
    await cli.ok(key('rotate'));
    cli.database((database) => database.exec(`update signing_keys set ${change}`));
    const { 'Signing keys': found } = await faults(cli, 1);
    assert.match(found, /^fail: .*signing.*\| Restore the last good backup/, name);
    await assert.rejects(newLease(cli), { name: 'StoreDamaged' }, name);
  }
});
