import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Datetime } from '../../domain/datetime.ts';
import { createKeyring } from '../keyring.ts';
import { apiKeyQueries } from '../sql/api-keys.ts';
import { artifactQueries } from '../sql/artifacts.ts';
import { readFingerprint } from '../sql/meta.ts';
import { missingMigrations } from '../sql/migrate.ts';
import { releaseQueries } from '../sql/releases.ts';
import type { Inspection } from '../store.ts';
import { SqliteConnection, sqliteDb } from './connection.ts';

const READ_TIMEOUT_MS = 1_000;
const FAULTS_MAX = 3;
/** Whoever holds the write lock for longer than this, in milliseconds, keeps others from their work. */
const LOCK_TIMEOUT_MS = 2_000;

/**
 * Looks a database over without changing a byte of it, nor of the files beside it.
 * @throws StoreUnavailable, StoreDamaged
 */
export async function inspectSqlite(file: string, masterKey: Uint8Array | null): Promise<Inspection> {
  const isOpen = () => existsSync(`${file}-wal`);
  if (isOpen()) return look(file, file, masterKey);
  // Reading a WAL database makes the files of its log, unless it is declared immutable; and so it is while nobody
  // has it open. What was read while somebody opened it is not to be trusted, but then the files are there.
  const found = await look(file, `${pathToFileURL(file)}?immutable=1`, masterKey).catch(
    (error: Error) => error,
  );
  if (isOpen()) return look(file, file, masterKey);
  if (found instanceof Error) throw found;
  return found;
}

async function look(file: string, address: string, masterKey: Uint8Array | null): Promise<Inspection> {
  const connection = new SqliteConnection(address, { readOnly: true, timeout: READ_TIMEOUT_MS });
  try {
    const faults = await check(connection);
    const missing = await missingOf(connection);
    const migrated = missing.length === 0;
    return {
      faults,
      missing,
      concurrent: isWal(file),
      masterKeyFits: migrated && masterKey ? await fits(connection, masterKey) : null,
      locked: isLocked(file),
      newest: migrated ? await newestOf(connection) : null,
      apiKeys: migrated ? await apiKeyQueries(sqliteDb)(connection).list() : [],
      artifacts: migrated ? await artifactQueries(sqliteDb)(connection).list() : [],
      releases: migrated ? await releaseQueries(sqliteDb)(connection).withFile() : [],
    };
  } finally {
    connection.close();
  }
}

/** Some of the faults that SQLite finds, under a heading of its own and in lines of one row. */
async function check(connection: SqliteConnection): Promise<string[]> {
  const { rows } = await connection.execute(`pragma quick_check(${FAULTS_MAX})`, []);
  const told = (rows as { quick_check: string }[]).flatMap((row) => row.quick_check.split('\n'));
  return told.filter((line) => line !== 'ok' && !line.startsWith('***'));
}

/** As the file itself says: a connection that holds it for immutable says nothing of its journal. */
function isWal(file: string): boolean {
  // https://www.sqlite.org/fileformat.html: the read version, 2 for WAL.
  const header = Buffer.alloc(20);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, header);
  } finally {
    closeSync(opened);
  }
  return header[19] === 2;
}

async function missingOf(connection: SqliteConnection): Promise<string[]> {
  // An empty file is an empty database, without even the table that lists the migrations.
  const { rows } = await connection.execute(
    "select 1 from sqlite_master where name = 'schema_migrations'",
    [],
  );
  return missingMigrations(
    rows.length > 0 ? connection : { execute: async () => ({ rows: [], affected: 0 }) },
  );
}

async function fits(connection: SqliteConnection, masterKey: Uint8Array): Promise<boolean | null> {
  const fingerprint = await readFingerprint(connection, sqliteDb);
  return fingerprint === null ? null : fingerprint === createKeyring(masterKey).fingerprint;
}

async function newestOf(connection: SqliteConnection): Promise<Datetime | null> {
  // The newest of each table has its highest id: found without reading the table.
  const newest = ['licenses', 'activations', 'generators', 'api_keys'].map(
    (table) => `select * from (select created_at as at from ${table} order by id desc limit 1)`,
  );
  const { rows } = await connection.execute(
    `select max(at) as newest from (${newest.join(' union all ')})`,
    [],
  );
  return (rows as { newest: string | null }[])[0]?.newest ?? null;
}

/** Takes the lock and gives it back. The caller's connection stays open, so that closing this one writes nothing. */
function isLocked(file: string): boolean {
  // Without the shared memory of a WAL database nobody has it open, and none is to be made here.
  if (!existsSync(`${file}-shm`)) return false;
  const database = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS });
  try {
    database.exec('begin immediate; rollback');
    return false;
  } catch {
    return true;
  } finally {
    database.close();
  }
}
