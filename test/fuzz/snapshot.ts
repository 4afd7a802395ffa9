import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { databaseFile } from '../../src/installation/service.ts';
import { databaseUrl } from '../support/engine.ts';

/** Tables and columns that any request may change: they count use, and hold no records. */
const USAGE_TABLES = ['request_counts', 'usage_counts', 'kysely_migration', 'kysely_migration_lock'];
const USAGE_COLUMNS = ['last_access_at'];
/** The only event that a refused request writes, if an endpoint wants it. */
const REFUSAL_EVENT = 'license.limit_reached';

/** The rows of each table, as JSON. */
export type Snapshot = Record<string, string[]>;
export interface Snapshots {
  take(): Promise<Snapshot>;
  close(): Promise<void>;
}

/** Opens a connection of its own that takes snapshots of the database. */
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
    .filter((name) => !USAGE_TABLES.includes(name));
  return {
    close,
    async take() {
      const snapshot: Snapshot = {};
      for (const name of names) {
        const rows = await query(`select * from ${name}`);
        snapshot[name] = rows
          .filter(({ type }) => type !== REFUSAL_EVENT)
          .map((row) => {
            for (const column of USAGE_COLUMNS) delete row[column];
            return JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value));
          })
          .sort();
      }
      return snapshot;
    },
  };
}

/** @throws AssertionError if two snapshots differ, with the name of the table */
export function assertSame(before: Snapshot, after: Snapshot, behind: string): void {
  for (const [table, rows] of Object.entries(before))
    assert.deepEqual(after[table], rows, `${table} has changed after ${behind}`);
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
  // The test drops the database in the end, whoever is connected.
  client.on('error', () => {});
  await client.connect();
  return {
    query: async (sql) => (await client.query(sql)).rows,
    close: () => client.end(),
  };
}
