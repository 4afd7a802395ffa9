import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { databaseFile } from '../../src/installation/service.ts';
import { temporaryFolder } from './folder.ts';

/** The PostgreSQL server for the tests; null runs them on SQLite. `test/run.ts` sets the variable. */
const SERVER = process.env.LATCHKEY_TEST_DATABASE_URL || null;
export const ENGINE = SERVER === null ? 'sqlite' : 'postgres';

/**
 * Returns the settings of the database of a data directory; none on SQLite, which keeps its database in the directory.
 */
export async function databaseEnvironment(dataDir: string): Promise<Record<string, string>> {
  const url = await databaseUrl(dataDir);
  return url === null ? {} : { LATCHKEY_DATABASE_URL: url };
}

/** Returns the address of the database of a data directory, which is created if it is missing; null on SQLite. */
export const databaseUrl = (dataDir: string): Promise<string | null> => makeDatabase(dataDir, '');

/**
 * Creates a data directory with an empty, migrated database: a copy of the template from `test/run.ts`, including the
 * master key. Without a template, it does nothing, and the service creates the database when it opens it.
 */
export async function copyMigrated(dataDir: string): Promise<void> {
  const { LATCHKEY_TEST_TEMPLATE: template } = process.env;
  if (template !== undefined) await copyData(template, dataDir);
}

/** Creates a folder with a copy of the template. */
export async function migratedFolder(): Promise<string> {
  const dataDir = temporaryFolder();
  await copyMigrated(dataDir);
  return dataDir;
}

/** Copies a data directory and its database. No process may have the database open. */
export async function copyData(from: string, dataDir: string): Promise<void> {
  cpSync(from, dataDir, { recursive: true });
  // Copying files takes half the processor time of the default strategy, which logs each page.
  await makeDatabase(dataDir, `template ${databaseName(from)} strategy file_copy`);
}

/** The addresses of existing databases, by data directory. */
const made = new Map<string, Promise<string>>();

async function makeDatabase(dataDir: string, options: string): Promise<string | null> {
  if (SERVER === null) return null;
  const address = made.get(dataDir) ?? createDatabase(SERVER, dataDir, options);
  made.set(dataDir, address);
  return address;
}

async function createDatabase(server: string, dataDir: string, options: string): Promise<string> {
  const url = new URL(server);
  const name = databaseName(dataDir);
  url.pathname = name;
  const { rowCount } = await onServer('select from pg_database where datname = $1', [name]);
  // Another process may be creating it at the same time.
  if (rowCount === 0) await onServer(`create database ${name} ${options}`).catch(unlessThere);
  return url.href;
}

/** Runs SQL statements on the service's database. */
export async function runSql(dataDir: string, sql: string): Promise<void> {
  await beside(
    dataDir,
    (database) => database.exec(sql),
    (client) => client.query(sql),
  );
}

/** Returns the rows of a query on the service's database. */
export const rowsOf = (dataDir: string, sql: string): Promise<Record<string, unknown>[]> =>
  beside(
    dataDir,
    (database) => database.prepare(sql).all(),
    async (client) => (await client.query({ text: sql, types: AS_SQLITE })).rows,
  );

/** Returns the result of a query with one row and one column. */
export async function numberOf(dataDir: string, sql: string): Promise<number> {
  return Number(Object.values((await rowsOf(dataDir, sql))[0] ?? {})[0]);
}

/**
 * Counts the locks that sessions of this database wait for, on PostgreSQL. Other tests use other databases of the server,
 * and a lock on a transaction belongs to none.
 */
export const LOCK_WAITS =
  'select count(*) from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()';

/** Returns all bytes that the service has stored, in any order. */
export async function storedBytes(dataDir: string): Promise<Buffer[]> {
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const inFiles = files.map((one) => readFileSync(join(one.parentPath, one.name)));
  if (ENGINE === 'sqlite') return inFiles;
  const tables = await rowsOf(dataDir, "select tablename from pg_tables where schemaname = 'public'");
  const rows = await Promise.all(
    tables.map(({ tablename }) => rowsOf(dataDir, `select * from ${tablename}`)),
  );
  const values = rows.flat().flatMap((row) => Object.values(row));
  return [
    ...inFiles,
    ...values.map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value)))),
  ];
}

/** Blocks writes to a table until the returned function is called. Reads continue. */
export async function holdWrites(dataDir: string, table = 'licenses'): Promise<() => Promise<void>> {
  const url = await databaseUrl(dataDir);
  if (url === null) {
    const database = new DatabaseSync(databaseFile(dataDir), { timeout: 5_000 });
    database.exec('begin immediate');
    return async () => database.close();
  }
  const client = new pg.Client(url);
  // The database may be removed while the lock is held.
  client.on('error', () => {});
  await client.connect();
  await client.query(`begin; lock table ${table} in share row exclusive mode`);
  return () => client.end();
}

/** Returns integers as numbers and datetimes as text. */
const AS_SQLITE: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number) =>
    oid === pg.types.builtins.INT8 || oid === pg.types.builtins.INT4
      ? Number
      : oid === pg.types.builtins.BYTEA
        ? pg.types.getTypeParser(oid)
        : (text: string) => text) as typeof pg.types.getTypeParser,
};

async function beside<T>(
  dataDir: string,
  onSqlite: (database: DatabaseSync) => T,
  onPostgres: (client: pg.ClientBase) => Promise<unknown>,
): Promise<T> {
  const url = await databaseUrl(dataDir);
  if (url === null) {
    // Another process that has opened the database first may be recovering its log.
    const database = new DatabaseSync(databaseFile(dataDir), { timeout: 5_000 });
    try {
      return onSqlite(database);
    } finally {
      database.close();
    }
  }
  const client = await poolOf(url).connect();
  try {
    const result = (await onPostgres(client)) as T;
    client.release();
    return result;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

/** Connections to the last queried database: connecting takes 4 ms of processor time, most queries 1 ms. */
let last: { url: string; pool: pg.Pool } | undefined;

function poolOf(url: string): pg.Pool {
  if (last?.url === url) return last.pool;
  void last?.pool.end();
  last = { url, pool: newPool(url) };
  return last.pool;
}

function newPool(url: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, allowExitOnIdle: true });
  // Removing the database ends its connections.
  pool.on('error', () => {});
  return pool;
}

/** Removes the database of a data directory, even if clients are still connected. */
export async function dropDatabase(dataDir: string): Promise<void> {
  if (SERVER === null) return;
  made.delete(dataDir);
  if (last && new URL(last.url).pathname === `/${databaseName(dataDir)}`) {
    const { pool } = last;
    last = undefined;
    await pool.end();
  }
  await onServer(`drop database if exists ${databaseName(dataDir)} with (force)`);
}

function unlessThere(error: pg.DatabaseError): void {
  if (error.code !== '42P04' && error.code !== '23505') throw error;
}

/** Returns the name of the database of a data directory. */
export const databaseName = (dataDir: string): string =>
  `latchkey_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;

let administration: pg.Pool | undefined;

function onServer(statement: string, values: string[] = []): Promise<pg.QueryResult> {
  administration ??= newPool(SERVER as string);
  return administration.query(statement, values);
}
