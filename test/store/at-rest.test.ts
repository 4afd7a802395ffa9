import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeCredentials } from '../../src/app/credentials.ts';
import { MasterKeyMissing, openService, setUpService } from '../../src/service.ts';
import { masterKeyFile } from '../../src/store/master-key.ts';
import { WrongMasterKey } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startService, storeConfig } from '../support/service.ts';

const open = (dataDir: string) => openService(storeConfig(dataDir));

test('no file of the data directory holds a license key, a consumer key or a secret in clear', async (t) => {
  const { dataDir, credentials, ...api } = await startService(t);
  const { license_key: first } = await api.license();
  const { license_key: second } = await api.license({ license_key: 'Ключ-☂-1' });
  const generator = await api.generator();
  const generated = await api.ok('POST', `/generators/${generator.id}/generate`, {
    json: { amount: 20, save: true },
  });
  const secrets = [first, second, ...generated, credentials.consumerKey, credentials.consumerSecret];
  for (const name of readdirSync(dataDir)) {
    const bytes = readFileSync(join(dataDir, name));
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `${name} holds ${secret}`);
  }
});

test('hashed-{hash} is the HMAC of the key and addresses the license', async (t) => {
  const { service, ...api } = await startService(t);
  const { license_key: key, id } = await api.license();
  const hash = service.store.read.licenses.hashOf(key);
  assert.match(hash, /^[0-9a-f]{64}$/);
  assert.equal((await api.ok('GET', `/licenses/hashed-${hash}`)).id, id);
});

test('the master key is made at the first start, for its owner only, and stays', async () => {
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

test('services started at once on an empty folder get one master key and one first API key', async () => {
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
