import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { inspect } from 'node:util';
import type { PostgresServer } from '../../support/postgres/postgres.ts';
import { keyOf } from '../../support/storage/byte-store.ts';
import { type Cli, migratedCli } from '../cli.ts';

/** Creates an empty database on the server and returns its address, with a password that no output may contain. */
export async function emptyDatabase(server: PostgresServer, options = ''): Promise<string> {
  const name = `move_${randomBytes(4).toString('hex')}`;
  await server.query(`create database ${name} ${options}`);
  return server.url(name).replace('postgres@', `postgres:${PASSWORD}@`);
}
export const PASSWORD = 'seen-nowhere';

export const nameOf = (url: string): string => new URL(url).pathname.slice(1);

type Rows = Record<string, unknown[]>;

/** Every row of every table, and the last ids given out (`sqlite_sequence`). */
export function contents(dataDir: string): Rows {
  const database = new DatabaseSync(join(dataDir, 'latchkey.db'), { readOnly: true });
  try {
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
    const rows = (table: unknown) =>
      database
        .prepare(`select * from "${table}"`)
        .all()
        .map((row) => ({ ...row }));
    const inOrder = (all: object[]) => all.sort((one, other) => (inspect(one) < inspect(other) ? -1 : 1));
    return Object.fromEntries(tables.map(({ name }) => [name, inOrder(rows(name))]));
  } finally {
    database.close();
  }
}

/** Creates only licenses, enough that copying them takes a while. */
export async function manyLicenses(count: number): Promise<Cli> {
  const cli = await migratedCli();
  const keys = Array.from({ length: count }, (_, i) => `KEY-${i}`);
  await cli.ok(['license', 'import', '-'], { input: ['license_key', ...keys].join('\n') });
  return cli;
}

/** An odd value that still fits the column. */
function oddValue(column: string, type: string, notNull: boolean, nth: number): unknown {
  // A third of the nullable values are null.
  if (!notNull && nth % 3 === 0) return null;
  if (/(^|_)(at|until|since)$|^hour$/.test(column))
    return ['1970-01-01 00:00:00', '9999-12-31 23:59:59', '2028-02-29 12:34:56'][nth % 3];
  if (type === 'BLOB') return Buffer.concat([Buffer.from([0, 255, nth]), randomBytes(nth % 60)]);
  if (type === 'INTEGER') {
    const isWide = /^(order|product|user)_id$|_by$|^size$/.test(column);
    if (isWide) return 2 ** 53 - 1 - nth;
    return nth;
  }
  // Backups refuse any other storage key.
  if (column === 'storage_key') return keyOf(String(nth));
  if (column === 'meta') return JSON.stringify({ '\0 ключ "🔑"': 'ä'.repeat(8_000), nested: [null, nth] });
  return `${nth}: Ünïcode 🔑 'quoted' "twice" \\N \\x41 \t\r\n {1,2} NULL \u202e`;
}

const REFERENCES: Record<string, string> = {
  license_id: 'licenses',
  software_id: 'software',
  release_id: 'releases',
  artifact_id: 'artifacts',
  api_key_id: 'api_keys',
};
/** The tables whose `user_id` is a Latchkey user. In other tables it is any user id of a shop. */
const OF_USERS = ['api_keys', 'sessions', 'recovery_codes', 'invitations'];
/** One id is near the largest exact integer; the ids after it must stay exact, too. */
const idOf = (table: string, nth: number): number =>
  table === 'licenses' && nth === 7 ? 2 ** 53 - 10 : 1000 + nth;

/** Puts rows with odd values into every table, next to the existing rows. */
export function fill(cli: Cli): void {
  cli.database((database) => {
    const tables = database
      .prepare(
        "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
      )
      .all()
      .map(({ name }) => String(name))
      // Triggers count the records here, too.
      .filter((name) => name !== 'schema_migrations' && name !== 'record_counts');
    for (const table of tables) {
      const columns = database.prepare(`select name, type, "notnull" as "notNull" from pragma_table_info(?)`);
      const about = columns.all(table) as { name: string; type: string; notNull: number }[];
      const insert = database.prepare(`insert into "${table}" values (${about.map(() => '?').join(', ')})`);
      for (let nth = 1; nth <= 7; nth++) {
        const values = about.map(({ name, type, notNull }) => {
          const parent = name === 'id' ? table : REFERENCES[name];
          if (parent) return idOf(parent, nth);
          if (name === 'user_id' && OF_USERS.includes(table)) return idOf('users', nth);
          // Collations sort these texts in another order than their bytes.
          if (table === 'meta' && name === 'name') return ['Z', 'a', 'B', 'ä', 'A', 'é', '_'][nth - 1];
          return oddValue(name, type, notNull === 1 || name === 'name', nth);
        });
        insert.run(...(values as never[]));
      }
    }
    // Uses up ids for rows that are then deleted.
    database.exec(
      "insert into users (id, name, created_at) values (5000, '', '2026-01-01 00:00:00'); delete from users where id = 5000",
    );
  });
}
