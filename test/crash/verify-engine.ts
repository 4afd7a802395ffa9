import assert from 'node:assert/strict';
import type { Installation } from './installation.ts';

/** Runs the integrity checks of the database engine. @throws AssertionError */
export const verifyEngine = (installation: Installation): Promise<void> =>
  installation.engine === 'sqlite' ? verifySqlite(installation) : verifyPostgres(installation);

async function verifySqlite({ rows }: Installation): Promise<void> {
  assert.deepEqual(await rows('pragma integrity_check'), [{ integrity_check: 'ok' }]);
  assert.deepEqual(await rows('pragma foreign_key_check'), []);
}

/** Verifies that every index matches its table and every row can be read. */
async function verifyPostgres({ rows }: Installation): Promise<void> {
  await rows('create extension if not exists amcheck');
  const ofLatchkey = "relnamespace = 'public'::regnamespace";
  await rows(
    `select bt_index_check(pg_class.oid, heapallindexed => true) from pg_class
     join pg_am on pg_am.oid = relam where relkind = 'i' and amname = 'btree' and ${ofLatchkey}`,
  );
  const damaged = await rows(
    `select relname, found.* from pg_class, verify_heapam(pg_class.oid::regclass) as found
     where relkind = 'r' and relpersistence = 'p' and ${ofLatchkey}`,
  );
  assert.deepEqual(damaged, []);
  const orphans = await rows(
    'select id from activations where not exists (select 1 from licenses where id = license_id)',
  );
  assert.deepEqual(orphans, []);
}
