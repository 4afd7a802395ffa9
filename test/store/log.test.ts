import assert from 'node:assert/strict';
import { readdirSync, renameSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { engineOf } from '../../src/installation/engines.ts';
import { databaseFile, openService, setUpService } from '../../src/installation/service.ts';
import { readMasterKey } from '../../src/store/keys/master-key.ts';
import { inspectSqlite } from '../../src/store/sqlite/inspect.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startService, storeConfig } from '../support/service.ts';

const MIB = 1024 ** 2;

test('the log of several processes is removed once all have ended, and no earlier', async () => {
  const dataDir = temporaryFolder();
  const config = { ...storeConfig(dataDir), workers: 2 };
  const [writes, reads] = [await openService(config), await openService(config)];
  await setUpService(writes, makeCredentials(), null);
  assert.equal((await reads.store.read.apiKeys.list()).length, 1);
  const { putLogAway } = await engineOf(config);
  await writes.close();
  putLogAway();
  assert.ok(readdirSync(dataDir).includes('latchkey.db-wal'));
  await reads.close();
  putLogAway();
  assert.deepEqual(readdirSync(dataDir).sort(), ['latchkey.db', 'master.key']);
});

test("with several processes, SQLite's log grows while a reader holds an old snapshot, and is truncated afterwards", async (t) => {
  const api = await startService(t, { storage: { workers: 2 } });
  const { license_key: key } = await api.license({ activations_limit: 0 });
  const size = () => statSync(`${databaseFile(api.dataDir)}-wal`).size;
  const writeUntil = async (isSo: () => boolean) => {
    for (let i = 0; i < 3_000 && !isSo(); i++) await api.activation(key, { label: 'x'.repeat(200) });
    assert.ok(isSo(), `the log has ${size()} bytes`);
  };
  const reader = new DatabaseSync(databaseFile(api.dataDir), { readOnly: true });
  reader.exec('begin');
  reader.prepare('select count(*) from licenses').get();
  await writeUntil(() => size() > 6 * MIB);
  reader.close();
  await writeUntil(() => size() < 4 * MIB);
});

test('the log of a database behind a symbolic link is truncated, too, and doctor inspects the database', async (t) => {
  const dataDir = temporaryFolder();
  const elsewhere = join(temporaryFolder(), 'elsewhere.db');
  await (await openService(storeConfig(dataDir))).close();
  renameSync(databaseFile(dataDir), elsewhere);
  symlinkSync(elsewhere, databaseFile(dataDir));
  const masterKey = readMasterKey(dataDir);
  const api = await startService(t, { dataDir, storage: { workers: 2 } });
  const { license_key: key } = await api.license({ activations_limit: 0 });
  const { counts } = await inspectSqlite(databaseFile(dataDir), masterKey);
  assert.equal(counts.find(({ table }) => table === 'licenses')?.there, 1);
  let largest = 0;
  for (let i = 0; i < 3_000 && statSync(`${elsewhere}-wal`).size >= largest; i++) {
    largest = statSync(`${elsewhere}-wal`).size;
    await api.activation(key, { label: 'x'.repeat(200) });
  }
  assert.ok(statSync(`${elsewhere}-wal`).size < largest, `the log has grown to ${largest} bytes`);
});
