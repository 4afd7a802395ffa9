import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { databaseFile } from '../../src/service.ts';

/** The server that tests of PostgreSQL use; unset, they run on SQLite. `test/run.ts` sets it. */
const SERVER = process.env.LATCHKEY_TEST_DATABASE_URL ?? null;
export const ENGINE = SERVER === null ? 'sqlite' : 'postgres';

/** Settings of the database that belongs to a data directory; none on SQLite, which keeps it there. */
export async function databaseEnvironment(dataDir: string): Promise<Record<string, string>> {
  const url = await databaseUrl(dataDir);
  return url === null ? {} : { LATCHKEY_DATABASE_URL: url };
}

/** Null on SQLite. */
export async function databaseUrl(dataDir: string): Promise<string | null> {
  if (SERVER === null) return null;
  const url = new URL(SERVER);
  url.pathname = nameOf(dataDir);
  await administer(async (client) => {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [nameOf(dataDir)]);
    // Somebody else may be making it, too.
    if (rowCount === 0) await client.query(`create database ${nameOf(dataDir)}`).catch(unlessThere);
  });
  return url.href;
}

/** What a query of one row and one column answers, asked of the database beside the service. */
export async function numberOf(dataDir: string, sql: string): Promise<number> {
  const url = await databaseUrl(dataDir);
  if (url === null) {
    const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true });
    const row = database.prepare(sql).get() ?? {};
    database.close();
    return Number(Object.values(row)[0]);
  }
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query({ text: sql, rowMode: 'array' });
  await client.end();
  return Number(rows[0]?.[0]);
}

/** Removes the database of a data directory, whoever is still connected to it. */
export async function dropDatabase(dataDir: string): Promise<void> {
  if (SERVER !== null)
    await administer((client) => client.query(`drop database if exists ${nameOf(dataDir)} with (force)`));
}

function unlessThere(error: pg.DatabaseError): void {
  if (error.code !== '42P04' && error.code !== '23505') throw error;
}

const nameOf = (dataDir: string): string =>
  `latchkey_${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`;

async function administer(use: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client(SERVER as string);
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
