import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { databaseFile } from '../../src/installation/service.ts';
import { databaseUrl } from '../support/engine.ts';

/** Tables and columns that any request may change: they say how much the service is used, not what it holds. */
const TABLES_OF_USE = ['request_counts', 'usage_counts', 'kysely_migration', 'kysely_migration_lock'];
const COLUMNS_OF_USE = ['last_access_at'];
/** The one event that a refused request writes, if an endpoint wants it. */
const EVENT_OF_REFUSAL = 'license.limit_reached';

/** Rows by table, each as JSON. */
export type Snapshot = Record<string, string[]>;
export interface Snapshots {
  take(): Promise<Snapshot>;
  close(): Promise<void>;
}

/** What is in the database, seen on a connection of its own. */
export async function openSnapshots(dataDir: string): Promise<Snapshots> {
  const url = await databaseUrl(dataDir);
  const { query, close } = url === null ? ofSqlite(dataDir) : await ofPostgres(url);
  const names = (
    await query(
      url === null
        ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite%'"
        : "select tablename as name from pg_tables where schemaname = 'public'",
    )
  )
    .map(({ name }) => String(name))
    .filter((name) => !TABLES_OF_USE.includes(name));
  return {
    close,
    async take() {
      const snapshot: Snapshot = {};
      for (const name of names) {
        const rows = await query(`select * from ${name}`);
        snapshot[name] = rows
          .filter(({ type }) => type !== EVENT_OF_REFUSAL)
          .map((row) => {
            for (const column of COLUMNS_OF_USE) delete row[column];
            return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value));
          })
          .sort();
      }
      return snapshot;
    },
  };
}

/** @throws where they are not the same, saying which tables are not */
export function assertSame(before: Snapshot, after: Snapshot, behind: string): void {
  for (const [table, rows] of Object.entries(before))
    assert.deepEqual(after[table], rows, `${table} has changed behind ${behind}`);
}

type Row = Record<string, unknown>;
interface Connection {
  query(sql: string): Promise<Row[]>;
  close(): Promise<void>;
}

function ofSqlite(dataDir: string): Connection {
  const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true, timeout: 5_000 });
  return {
    query: async (sql) => {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement.all();
    },
    close: async () => database.close(),
  };
}

async function ofPostgres(url: string): Promise<Connection> {
  const client = new pg.Client(url);
  // The database is removed after the test, whoever is connected.
  client.on('error', () => {});
  await client.connect();
  return {
    query: async (sql) => (await client.query(sql)).rows,
    close: () => client.end(),
  };
}
