import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rotateMasterKey } from '../../../src/app/keys/rotate-master-key.ts';
import { openRotation } from '../../../src/installation/rotating.ts';
import { openService } from '../../../src/installation/service.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { keyFile } from '../../support/rotation.ts';
import { storeConfig } from '../../support/service.ts';
import { type Cli, createCli, faults, migratedCli } from '../cli.ts';

async function withLicense(): Promise<Cli & { names(): string[] }> {
  const cli = await migratedCli();
  await cli.ok(['license', 'create', '--license-key', 'A']);
  return {
    ...cli,
    names: () => readdirSync(cli.dataDir).filter((name) => name.startsWith('master.key')),
  };
}

const OWNER = { userId: 1, via: 'cli', apiKeyId: null, products: null, origin: null } as const;

async function beginRotation(dataDir: string): Promise<void> {
  const { service, begin } = await openRotation(storeConfig(dataDir));
  assert.ok(begin);
  await service.execute('begin-master-key-rotation', begin, OWNER);
  await service.close();
}

/** Rotates the master key in the database, but not in the key file. */
async function rotateDatabase(dataDir: string): Promise<void> {
  const { service, begin } = await openRotation(storeConfig(dataDir));
  const { signal } = new AbortController();
  const quiet = { settle: 0, signal, onProgress: () => {} };
  await rotateMasterKey(service, begin, quiet, OWNER);
  await service.close();
}

const rotate = ['master-key', 'rotate', '--settle', '0'];

test('rotate replaces the key file and keeps the old one next to it; status and doctor report the retired key', async () => {
  const cli = await withLicense();
  const old = keyFile(cli.dataDir);
  const before = await cli.json(['license', 'show', 'A']);
  const { retired_file: retiredFile, retired, resealed } = await cli.json(rotate);
  assert.equal(resealed, 1);
  assert.deepEqual(cli.names().sort(), [
    'master.key',
    `master.key.retired-${retired[0].fingerprint.slice(0, 8)}`,
  ]);
  assert.deepEqual(keyFile(retiredFile, '.'), old);
  assert.notDeepEqual(keyFile(cli.dataDir), old);
  for (const name of cli.names()) assert.equal(statSync(join(cli.dataDir, name)).mode & 0o777, 0o600);
  assert.deepEqual(await cli.json(['license', 'show', 'A']), before);
  const words = await cli.ok(['master-key', 'status']);
  assert.match(words, /No rotation is in progress\.\nRetired at /);

  // Put the retired key back.
  copyFileSync(retiredFile, join(cli.dataDir, 'master.key'));
  assert.match(
    await cli.fails(3, ['license', 'show', 'A']),
    /This master key was retired on .* UTC: use the new one/,
  );
  const { 'Master key': found } = await faults(cli, 1);
  assert.match(found, /^fail: this key was retired at .*: no license key can be read with it \| Put the key/);
});

test('after a crash at any step of replacing the key file, the next command finds its key and finishes', async () => {
  // A crash before any change to the database: the next rotation takes the key already made.
  const early = await withLicense();
  const made = 'ab'.repeat(32);
  writeFileSync(join(early.dataDir, 'master.key.next'), `${made}\n`, { mode: 0o600 });
  assert.equal((await early.json(['license', 'show', 'A'])).license_key, 'A');
  await early.ok(rotate);
  assert.equal(readFileSync(join(early.dataDir, 'master.key'), 'utf8').trim(), made);

  for (const next of [['license', 'show', 'A'], rotate]) {
    for (const hasLink of [false, true]) {
      const cli = await withLicense();
      const old = keyFile(cli.dataDir);
      await rotateDatabase(cli.dataDir);
      const wanted = keyFile(cli.dataDir, 'master.key.next');
      const { 'Master key': found } = await faults(cli, 0);
      assert.match(found, /^warn: a rotation finished at .*crash.* \| The next start moves/);
      const { dataDir } = cli;
      const [{ fingerprint }] = (await rotationsIn(dataDir)) as [{ fingerprint: string }];
      const retired = `master.key.retired-${fingerprint.slice(0, 8)}`;
      if (hasLink) linkSync(join(dataDir, 'master.key'), join(dataDir, retired));
      const told = await cli.ok(next);
      if (next === rotate) assert.match(told, /had already finished/);
      assert.deepEqual(keyFile(dataDir), wanted);
      assert.deepEqual(keyFile(dataDir, retired), old);
      assert.ok(!existsSync(join(dataDir, 'master.key.next')));
      assert.equal((await cli.json(['license', 'show', 'A'])).license_key, 'A');
    }
  }
});

async function rotationsIn(dataDir: string): Promise<{ fingerprint: string }[]> {
  const copy = createCli(dataDir).database((database) =>
    database.prepare("select value from meta where name = 'master_keys_retired'").get(),
  );
  return JSON.parse(String(copy?.value));
}

test('rotate names no file of the old key if the key file held the new one from the start', async () => {
  const cli = await withLicense();
  await beginRotation(cli.dataDir);
  const file = join(cli.dataDir, 'master.key');
  renameSync(`${file}.next`, file);
  const { retired_file: retiredFile, next } = await cli.json(rotate);
  assert.equal(retiredFile, null);
  assert.deepEqual(next, [`Back up ${file}, apart from the database.`]);
  assert.deepEqual(cli.names(), ['master.key']);
});

test('a rotation without its new key says so, and continues when the key is back', async () => {
  const cli = await withLicense();
  await beginRotation(cli.dataDir);
  const file = join(cli.dataDir, 'master.key.next');
  const key = readFileSync(file);
  writeFileSync(file, 'cd'.repeat(32));
  assert.match(await cli.fails(3, rotate), /needs its new key: restore .*master\.key\.next/);
  const { Encryption: found } = await faults(cli, 0);
  assert.match(found, /^warn: a rotation of the master key began at .* \| If it is not running now/);
  const there = `sqlite:${join(temporaryFolder(), 'there')}`;
  assert.match(
    await cli.fails(1, ['move', '--to', there]),
    /Nothing was moved: the master key is being rotated/,
  );
  writeFileSync(file, key);
  await cli.ok(rotate);
  await cli.ok(['move', '--to', there]);
  const moved = createCli(there.slice('sqlite:'.length));
  assert.equal((await moved.json(['license', 'show', 'A'])).license_key, 'A');
  assert.deepEqual(await faults(moved, 0), {
    'API keys': 'warn: there are none yet | The next start of the server creates one.',
  });
});

test('hashes and signatures from the first master key stay valid after rotations', async () => {
  const cli = await withLicense();
  const open = () => openService(storeConfig(cli.dataDir));
  const claim = { releaseId: 7, activationId: 9, licenseId: null, expiresAt: 1_800_000_000_000 };
  const first = await open();
  const token = first.downloadTokens.issue(claim);
  const hash = first.store.read.licenses.hashOf('A');
  const device = await first.store.read.activations.deviceOf(1, 'f1');
  await first.close();
  for (let nth = 0; nth < 2; nth++) {
    await cli.ok(rotate);
    const service = await open();
    assert.deepEqual(service.downloadTokens.read(token), claim);
    assert.equal(service.store.read.licenses.hashOf('A'), hash);
    assert.equal(await service.store.read.activations.deviceOf(1, 'f1'), device);
    await service.close();
    await cli.ok(['audit', 'verify']);
  }
  assert.match(await cli.ok(['audit', 'list']), /master_key\.retire/);
  await cli.fails(1, ['license', 'create', '--license-key', 'A']);
});

test('a changed or missing key bundle is reported, and never mistaken for another', async () => {
  const cli = await withLicense();
  await cli.ok(rotate);
  cli.database((db) => db.exec("update meta set value = 'AAAA' || value where name like 'key_bundle:%'"));
  assert.match(
    await cli.fails(3, ['license', 'show', 'A']),
    /The database is damaged: the row "key_bundle:.*was changed/,
  );
  cli.database((db) => db.exec("delete from meta where name like 'key_bundle:%'"));
  assert.match(
    await cli.fails(3, ['license', 'show', 'A']),
    /The database is damaged: the row "key_bundle:.*is missing/,
  );
});
