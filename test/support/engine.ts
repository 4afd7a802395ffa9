import { createHash } from 'node:crypto';
import pg from 'pg';

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
    if (rowCount === 0) await client.query(`create database ${nameOf(dataDir)}`);
  });
  return url.href;
}

/** Removes the database of a data directory, whoever is still connected to it. */
export async function dropDatabase(dataDir: string): Promise<void> {
  if (SERVER !== null)
    await administer((client) => client.query(`drop database if exists ${nameOf(dataDir)} with (force)`));
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
