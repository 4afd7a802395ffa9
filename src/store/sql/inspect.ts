import type { Kysely } from 'kysely';
import type { Datetime } from '../../domain/datetime.ts';
import type { Inspection } from '../inspection.ts';
import { createKeyring } from '../keyring.ts';
import { apiKeyQueries } from './api-keys.ts';
import { artifactQueries } from './artifacts.ts';
import { readFingerprint } from './meta.ts';
import { missingMigrations } from './migrate.ts';
import { inspectCounts } from './record-counts.ts';
import { releaseQueries } from './releases.ts';
import type { Schema } from './schema.ts';
import type { Connection } from './statement.ts';

/** @param isEmpty the database has not even the table that lists the migrations */
export async function inspectTables(
  connection: Connection,
  db: Kysely<Schema>,
  masterKey: Uint8Array | null,
  isEmpty: boolean,
): Promise<Inspection> {
  const missing = await missingMigrations(isEmpty ? NOTHING : connection);
  const isMigrated = missing.length === 0;
  return {
    missing,
    masterKey: isMigrated ? await compare(connection, db, masterKey) : 'unclaimed',
    newest: isMigrated ? await newestOf(connection) : null,
    apiKeys: isMigrated ? await apiKeyQueries(db)(connection).list() : [],
    artifacts: isMigrated ? await artifactQueries(db)(connection).list() : [],
    releases: isMigrated ? await releaseQueries(db)(connection).withFile() : [],
    counts: isMigrated ? await inspectCounts(connection) : [],
  };
}

const NOTHING: Connection = { execute: async () => ({ rows: [], affected: 0 }) };

async function compare(
  connection: Connection,
  db: Kysely<Schema>,
  masterKey: Uint8Array | null,
): Promise<Inspection['masterKey']> {
  const fingerprint = await readFingerprint(connection, db);
  if (fingerprint === null) return 'unclaimed';
  if (masterKey === null) return 'not given';
  return fingerprint === createKeyring(masterKey).fingerprint ? 'fits' : 'differs';
}

async function newestOf(connection: Connection): Promise<Datetime | null> {
  // The newest of each table has its highest id: found without reading the table.
  const newest = ['licenses', 'activations', 'generators', 'api_keys'].map(
    (table) => `select * from (select created_at from ${table} order by id desc limit 1) as newest_${table}`,
  );
  const { rows } = await connection.execute(
    `select max(created_at) as newest from (${newest.join(' union all ')}) as newest`,
    [],
  );
  return (rows as { newest: string | null }[])[0]?.newest ?? null;
}
