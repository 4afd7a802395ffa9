import { sql } from 'kysely';
import { StoreDamaged } from '../../errors.ts';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { EngineTools } from '../../migrations/migration.ts';
import type { Resealed } from '../../store.ts';
import { keySuffixHash } from '../licenses/key-hashes.ts';
import type { Database } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';

/** Column types of the primary keys; every other column that is compared holds bytes. */
const KEY_TYPES: Readonly<Record<string, ReturnType<typeof sql>>> = {
  id: sql`bigint`,
  batch: sql`text`,
  row: sql`integer`,
};

/** About a read that locks its rows. */
const LOCKS = { reads: false };

/** Sets one column of many rows in one statement, so that a batch costs one round trip. */
interface ColumnUpdate {
  table: 'licenses' | 'staged_licenses';
  column: 'sealed_key' | 'ending_hash';
  /** Columns that identify a row as it was read. A row that has changed since is left alone. */
  match: readonly string[];
  /** Values of these columns, then the new value. */
  rows: readonly (readonly unknown[])[];
}

async function updateColumn(
  connection: Connection,
  db: Database,
  { types }: EngineTools,
  { table, column, match, rows }: ColumnUpdate,
): Promise<void> {
  if (rows.length === 0) return;
  const names = [...match, 'new_value'];
  const typed = (value: unknown, i: number) =>
    sql`cast(${value} as ${KEY_TYPES[names[i] as string] ?? types.bytes})`;
  const values = rows.map((row) => sql`(${sql.join(row.map(typed))})`);
  const isSame = match.map((name) => sql`${sql.ref(`${table}.${name}`)} = ${sql.ref(`given.${name}`)}`);
  const query = sql`
    with given (${sql.join(names.map((name) => sql.ref(name)))}) as (values ${sql.join(values)})
    update ${sql.table(table)} set ${sql.ref(column)} = given.new_value from given
    where ${sql.join(isSame, sql` and `)}`;
  await execute(connection, { compile: () => query.compile(db) }, { alone: true });
}

/**
 * Encrypts the license keys of the next rows again under the current sealing key.
 * @param key columns of the table's primary key
 * @param after values of the primary key, of the row before the first
 * @returns in `next`, the row to continue after
 */
export async function resealRows(
  connection: Connection,
  db: Database,
  keyring: Keyring,
  tools: EngineTools,
  table: ColumnUpdate['table'],
  key: readonly string[],
  after: readonly unknown[],
  { keyId, atMost }: { keyId: string; atMost: number },
): Promise<Resealed<Record<string, unknown>>> {
  // A process that does not know the current sealing key yet must refresh its keys first.
  if (keyring.keyId !== keyId) throw new UnknownSealingKey();
  const names = sql.join(key.map((name) => sql.ref(name)));
  const query = sql<Record<string, unknown> & { key_hash: Uint8Array; sealed_key: Uint8Array }>`
    select ${names}, key_hash, sealed_key from ${sql.table(table)}
    where (${names}) > (${sql.join(after)}) order by ${names} limit ${atMost} ${tools.lockRows}`;
  const read = (await execute(connection, { compile: () => query.compile(db) }, LOCKS)).rows;
  const rows = read.flatMap((row) => {
    const sealed = keyring.reseal(row.sealed_key, row.key_hash);
    return sealed ? [[...key.map((name) => row[name]), row.sealed_key, sealed]] : [];
  });
  const match = [...key, 'sealed_key'];
  await updateColumn(connection, db, tools, { table, column: 'sealed_key', match, rows });
  const next = read.length === atMost ? (read.at(-1) ?? null) : null;
  return { seen: read.length, resealed: rows.length, next };
}

/** Fills in missing suffix hashes. @returns the id to continue after; null where no license lacks its hash */
export async function fillKeySuffixes(
  connection: Connection,
  db: Database,
  keyring: Keyring,
  tools: EngineTools,
  after: number,
  atMost: number,
): Promise<number | null> {
  const licenses = db.selectFrom('licenses').select(['id', 'key_hash', 'sealed_key']);
  const next = licenses.where('ending_hash', 'is', null).where('id', '>', after);
  const some = next.orderBy('id').limit(atMost).modifyEnd(tools.lockRows);
  const read = (await execute(connection, some, LOCKS)).rows;
  const rows = read.flatMap((row) => {
    try {
      const licenseKey = keyring.open(row.sealed_key, row.key_hash);
      return [[row.id, row.key_hash, keySuffixHash(licenseKey, keyring)]];
    } catch (error) {
      // One damaged row must not keep other rows from being filled.
      if (error instanceof StoreDamaged) return [];
      throw error;
    }
  });
  const update = { table: 'licenses', column: 'ending_hash', match: ['id', 'key_hash'], rows } as const;
  await updateColumn(connection, db, tools, update);
  return read.length === atMost ? (read.at(-1)?.id ?? null) : null;
}
