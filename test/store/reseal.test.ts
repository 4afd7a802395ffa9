import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Datetime } from '../../src/domain/datetime.ts';
import { databaseFile } from '../../src/installation/service.ts';
import { firstBundle, sealingKeyOf } from '../../src/store/keys/key-bundle.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';
import { queries } from '../../src/store/sql/index.ts';
import { SqliteConnection, sqliteEngine } from '../../src/store/sqlite/connection.ts';
import { prepareSqlite } from '../../src/store/sqlite/store.ts';
import { temporaryFolder } from '../support/folder.ts';

const NOW = '2026-01-01 00:00:00' as Datetime;
const VALUES = {
  orderId: null,
  productId: null,
  userId: null,
  expiresAt: null,
  validFor: 0,
  status: 3,
  activationsLimit: 1,
};

async function open() {
  const file = databaseFile(temporaryFolder());
  const masterKey = new Uint8Array(32).fill(1);
  const { keys } = await prepareSqlite({ file, masterKey, patience: 1_000, version: '1' });
  const keyring = createKeyring(keys);
  const connection = new SqliteConnection(file, { readOnly: false, timeout: 1_000 });
  const transaction = queries(sqliteEngine, keyring)(connection);
  const next = sealingKeyOf(new Uint8Array(32).fill(2));
  const first = firstBundle(masterKey);
  return {
    connection,
    keyring,
    ...transaction,
    switchKey: () => keyring.adopt({ ...first, sealing: next, opening: [next, first.sealing] }),
  };
}

test('the conflicts of a batch are the rows that got no license: another license or an earlier row has the key', async () => {
  const { licenses, staged, keyring, connection } = await open();
  await licenses.insert({ ...VALUES, key: 'B', source: 3, createdAt: NOW, createdBy: 1 });
  const rows = ['A', 'B', 'C', 'A'].map((key, row) => ({ ...VALUES, key, row }));
  // Simulates another caller that creates the license B after B was staged.
  await connection.execute("update licenses set key_hash = x'00'", []);
  assert.deepEqual(await staged.insert('batch', rows, NOW), []);
  await connection.execute('update licenses set key_hash = ?', [keyring.keyIndex(keyring.hash('B'))]);
  assert.equal(await staged.commit('batch', { source: 3, createdAt: NOW, createdBy: 1 }), 2);
  assert.deepEqual(await staged.conflicts('batch'), [1, 3]);
  connection.close();
});

test('re-encryption replaces keys in steps, and changes nothing else in their rows', async () => {
  const { licenses, staged, masterKey, switchKey, keyring, connection } = await open();
  for (let i = 0; i < 7; i++)
    await licenses.insert({ ...VALUES, key: `K${i}`, source: 3, createdAt: NOW, createdBy: 1 });
  for (const batch of ['a', 'b'])
    await staged.insert(
      batch,
      [0, 1, 2].map((row) => ({ ...VALUES, key: `${batch}${row}`, row })),
      NOW,
    );
  const all = async () => {
    const { rows } = await connection.execute('select * from licenses order by id', []);
    return (rows as { sealed_key: unknown }[]).map((row) => ({ ...row, sealed_key: null }));
  };
  const before = await all();
  await assert.rejects(licenses.reseal('licenses', '00000000', 0, 3), /another master key/);
  switchKey();
  assert.equal(await masterKey.countUnderOtherKeys(), 13);
  assert.deepEqual(await licenses.reseal('licenses', keyring.keyId, 0, 3), {
    seen: 3,
    resealed: 3,
    next: 3,
  });
  assert.equal(await masterKey.countUnderOtherKeys(), 10);
  assert.deepEqual(await licenses.reseal('licenses', keyring.keyId, 3, 100), {
    seen: 4,
    resealed: 4,
    next: null,
  });
  const some = await staged.reseal(keyring.keyId, null, 4);
  assert.deepEqual(some, { seen: 4, resealed: 4, next: { batch: 'b', row: 0 } });
  assert.deepEqual(await staged.reseal(keyring.keyId, some.next, 4), { seen: 2, resealed: 2, next: null });
  assert.equal(await masterKey.countUnderOtherKeys(), 0);
  assert.deepEqual(await licenses.reseal('licenses', keyring.keyId, 0, 100), {
    seen: 7,
    resealed: 0,
    next: null,
  });
  assert.deepEqual(await all(), before);
  for (let i = 0; i < 7; i++) assert.equal((await licenses.find({ key: `K${i}` }))?.key, `K${i}`);
  connection.close();
});
