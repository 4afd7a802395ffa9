import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { MasterKeyMissing, openService, setUpService } from '../../src/installation/service.ts';
import { masterKeyFile } from '../../src/store/keys/master-key.ts';
import { WrongMasterKey } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { engineConfig, PATIENT } from '../support/service.ts';

const open = async (dataDir: string) => openService(await engineConfig(dataDir), PATIENT);

test('the first start makes the master key, readable by its owner only; later starts keep it', async () => {
  const dataDir = temporaryFolder();
  const first = await open(dataDir);
  const file = masterKeyFile(dataDir);
  assert.equal(first.madeMasterKey, file);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const key = readFileSync(file, 'utf8');
  assert.match(key, /^[0-9a-f]{64}\n$/);
  await first.close();
  const second = await open(dataDir);
  assert.equal(second.madeMasterKey, null);
  assert.equal(readFileSync(file, 'utf8'), key);
  await second.close();
});

test('a database without its master key is not opened, and no new key is made', async () => {
  const dataDir = temporaryFolder();
  await (await open(dataDir)).close();
  renameSync(masterKeyFile(dataDir), `${dataDir}/elsewhere`);
  await assert.rejects(open(dataDir), MasterKeyMissing);
  assert.ok(!readdirSync(dataDir).includes('master.key'));
  renameSync(`${dataDir}/elsewhere`, masterKeyFile(dataDir));
  await (await open(dataDir)).close();
});

test('a wrong master key is refused', async () => {
  const dataDir = temporaryFolder();
  await (await open(dataDir)).close();
  writeFileSync(masterKeyFile(dataDir), `${'ab'.repeat(32)}\n`);
  await assert.rejects(open(dataDir), WrongMasterKey);
});

test('services started concurrently on an empty folder get one master key and one first API key', async () => {
  const dataDir = temporaryFolder();
  const services = await Promise.all(Array.from({ length: 4 }, () => open(dataDir)));
  const nobody = { consumerKey: null, consumerSecret: null };
  const made = await Promise.all(services.map((service) => setUpService(service, nobody, makeCredentials())));
  assert.equal(made.filter(({ madeFirst }) => madeFirst).length, 1);
  for (const service of services) await service.close();
  rmSync(dataDir, { recursive: true });
});

test('a second start keeps everything and makes no second first key', async () => {
  const dataDir = temporaryFolder();
  const nobody = { consumerKey: null, consumerSecret: null };
  for (const expected of [true, false, false]) {
    const service = await open(dataDir);
    const { madeFirst } = await setUpService(service, nobody, makeCredentials());
    assert.equal(madeFirst, expected);
    assert.equal((await service.store.read.apiKeys.list()).length, 1);
    await service.close();
  }
});
