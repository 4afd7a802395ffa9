import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { SYSTEM } from '../../src/domain/actor.ts';
import { CLIENT_PRESET } from '../../src/domain/api-key.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { madeWith } from '../support/earlier-schema.ts';
import { ENGINE, numberOf, runSql } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startService } from '../support/service.ts';

const WHEN = "'2026-01-01 00:00:00'";
const BYTES = ENGINE === 'sqlite' ? 'blob' : 'bytea';
const insertLicense = (nth: number): string => `
  insert into licenses (key_hash, sealed_key, valid_for, source, status, activations_limit, created_at, created_by)
  values (cast('${nth}' as ${BYTES}), cast('sealed' as ${BYTES}), 0, 2, 3, 0, ${WHEN}, 1)`;

async function migratesFrom(t: TestContext, records: number): Promise<void> {
  const dataDir = temporaryFolder();
  // A record of each earlier version.
  for (let count = 1; count <= records; count++) {
    await madeWith(dataDir, count);
    await runSql(dataDir, insertLicense(count));
  }
  const api = await startService(t, { dataDir });
  // An empty page far beyond the end: the sealed keys of this test do not open.
  const total = async () => {
    const { headers } = await api.call('GET', '/licenses', { query: { page: 1000 } });
    return Number(headers.get('x-wp-total'));
  };
  assert.deepEqual(await Promise.all([total(), numberOf(dataDir, 'select count(*) from licenses')]), [
    records,
    records,
  ]);
  await api.license();
  // Writes like an earlier version that runs next to this one.
  await runSql(dataDir, insertLicense(100));
  await runSql(dataDir, 'delete from licenses where id in (1, 2)');
  await runSql(dataDir, 'delete from licenses where id in (1, 2)');
  assert.equal(await total(), records);
}

test('a database that has had every version is migrated, and its totals count the records of each', (t) =>
  migratesFrom(t, MIGRATIONS.length - 1));
const FROM = randomInt(3, MIGRATIONS.length - 1);
test(`a database that ends with ${MIGRATIONS[FROM - 1]?.name}, drawn at random, is migrated by one start`, (t) =>
  migratesFrom(t, FROM));

test('an API key rotated by an earlier version is known to be replaced', async (t) => {
  const dataDir = temporaryFolder();
  await madeWith(
    dataDir,
    MIGRATIONS.findIndex(({ name }) => name === '0013-replaced-api-keys'),
  );
  const apiKey = (id: number, endsAt: string) => `
    insert into api_keys
      (id, user_id, description, key_hash, key_ending, secret_hash, permission, expires_at, created_at)
    values (${id}, 1, '', cast('${String(id).padStart(32)}' as ${BYTES}), '', cast('' as ${BYTES}), 'read', ${endsAt}, ${WHEN})`;
  const entry = (action: string, id: number, details: string) => `
    insert into audit_entries (at, action, user_id, via, subject_type, subject_id, details, mac)
    values (${WHEN}, '${action}', 1, 'api', 'api_key', ${id}, '${details}', cast('' as ${BYTES}))`;
  const about = (by: number) => `{"about":{"replaced_by":${by},"ends_at":"2999-01-01 00:00:00"}}`;
  for (const statement of [
    `insert into users (id, name, created_at) values (1, 'owner', ${WHEN})`,
    // The id 41 is a prefix of 411. The service creates the lower ids.
    ...[41, 42, 411, 412].map((id) => apiKey(id, "'2999-01-01 00:00:00'")),
    entry('api_key.rotate', 41, about(412)),
    entry('api_key.rotate', 42, 'unreadable'),
    entry('api_key.update', 411, about(412)),
  ])
    await runSql(dataDir, statement);
  const { service } = await startService(t, { dataDir });
  const known = new Map(
    (await service.store.read.apiKeys.list()).map(({ id, replacedBy }) => [id, replacedBy]),
  );
  assert.deepEqual(
    [41, 42, 411, 412].map((id) => known.get(id)),
    [412, null, null, null],
  );
  const hashed = { keyHash: new Uint8Array(32), keyEnding: '1234567', secretHash: new Uint8Array(32) };
  const outcome = await service.execute('rotate-api-key', { id: 41, ...hashed, endsAt: null }, SYSTEM);
  assert.deepEqual(outcome, {
    ok: false,
    refusal: { code: 'api_key_replaced', args: { id: 41, by: '412' } },
  });
});

test('a migration keeps API keys able to name licenses by hash, and lets the client preset look up a license', async (t) => {
  const dataDir = temporaryFolder();
  await madeWith(
    dataDir,
    MIGRATIONS.findIndex(({ name }) => name === '0015-blind-indexes'),
  );
  const lists = [
    null,
    // The endpoints of the preset before it had licenses.get.
    CLIENT_PRESET.endpoints.filter((one) => one !== 'licenses.get'),
    ['software.read'],
    ['software.read', 'licenses.get'],
  ];
  await runSql(dataDir, `insert into users (id, name, created_at) values (1, 'owner', ${WHEN})`);
  for (const [i, endpoints] of lists.entries()) {
    const json = endpoints === null ? 'null' : `'${JSON.stringify(endpoints)}'`;
    await runSql(
      dataDir,
      `insert into api_keys
        (id, user_id, description, key_hash, key_ending, secret_hash, permission, endpoints, created_at)
      values (${50 + i}, 1, '', cast('${String(i).padStart(32)}' as ${BYTES}), '', cast('' as ${BYTES}), 'read', ${json}, ${WHEN})`,
    );
  }
  const { service } = await startService(t, { dataDir });
  const found = (await service.store.read.apiKeys.list()).filter(({ id }) => id >= 50 && id < 54);
  assert.deepEqual(
    found.sort((one, other) => one.id - other.id).map(({ endpoints }) => endpoints),
    [null, CLIENT_PRESET.endpoints, ['software.read'], ['software.read', 'licenses.get', 'licenses.inspect']],
  );
});

test('an impossible list of migrations is reported as damage, and no migration runs again', async () => {
  for (const damage of [
    "update schema_migrations set name = '0003-x' where name like '0003%'",
    "delete from schema_migrations where name like '0003%'",
  ]) {
    const dataDir = temporaryFolder();
    await madeWith(dataDir, MIGRATIONS.length);
    await runSql(dataDir, damage);
    await assert.rejects(madeWith(dataDir, MIGRATIONS.length), {
      name: 'StoreDamaged',
      message: /the list of migrations .*0003/,
    });
  }
});

// A changed byte in an SQLite file can rename a column. PostgreSQL keeps no such text in one place.
if (ENGINE === 'sqlite')
  test('a table with a missing column is reported as damage', async (t) => {
    const dataDir = temporaryFolder();
    await madeWith(dataDir, MIGRATIONS.length);
    await runSql(dataDir, 'alter table audit_entries rename column origin to origim');
    await assert.rejects(startService(t, { dataDir }), {
      name: 'StoreDamaged',
      message: /no column.* origin/,
    });
  });
