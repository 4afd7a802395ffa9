import { type RawBuilder, sql } from 'kysely';
import { StoreDamaged } from '../../errors.ts';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { Resealed } from '../../store.ts';
import { type Connection, execute, type Kind, type SqlEngine } from '../statement.ts';

/** Types of columns that are compared or set; every other one holds bytes. */
const COLUMN_TYPES: Readonly<Record<string, ReturnType<typeof sql>>> = {
  id: sql`bigint`,
  batch: sql`text`,
  row: sql`integer`,
  token: sql`text`,
};

/** Sets columns of many rows in one statement, so that a batch costs one round trip. */
export interface ColumnUpdate {
  table: 'licenses' | 'staged_licenses' | 'activations' | 'trashed_licenses' | 'trashed_activations';
  /** Columns that identify a row as it was read. A row that has changed since is left alone. */
  match: readonly string[];
  /** Columns that get new values. */
  columns: readonly string[];
  /** Updates only rows for which this holds; `given` has the values to match, and the new ones as `new_…`. */
  where?: RawBuilder<unknown>;
}

/** Updates rows in one statement. @param rows for each row, the values to match, then the new values */
export async function updateColumns(
  connection: Connection,
  { db, types }: SqlEngine,
  { table, match, columns, where = sql`1 = 1` }: ColumnUpdate,
  rows: readonly (readonly unknown[])[],
  about: Pick<Kind, 'secret'> = {},
): Promise<void> {
  if (rows.length === 0) return;
  const names = [...match, ...columns.map((name) => `new_${name}`)];
  const typesOf = [...match, ...columns].map((name) => COLUMN_TYPES[name] ?? types.bytes);
  const typed = (value: unknown, i: number) => sql`cast(${value} as ${typesOf[i]})`;
  const values = rows.map((row) => sql`(${sql.join(row.map(typed))})`);
  const isSame = match.map((name) => sql`${sql.ref(`${table}.${name}`)} = ${sql.ref(`given.${name}`)}`);
  const sets = columns.map((name) => sql`${sql.ref(name)} = ${sql.ref(`given.new_${name}`)}`);
  const query = sql`
    with given (${sql.join(names.map((name) => sql.ref(name)))}) as (values ${sql.join(values)})
    update ${sql.table(table)} set ${sql.join(sets)} from given
    where ${sql.join(isSame, sql` and `)} and ${where}`;
  await execute(connection, query.compile(db), about);
}

/** The column of the sealed text in each table, and the column of the blind index that the text is bound to. */
export const SEALED = {
  licenses: { sealed: 'sealed_key', index: 'key_hash' },
  staged_licenses: { sealed: 'sealed_key', index: 'key_hash' },
  activations: { sealed: 'sealed_token', index: 'token' },
  trashed_licenses: { sealed: 'sealed_key', index: 'key_hash' },
  trashed_activations: { sealed: 'sealed_token', index: 'token' },
} as const;

/**
 * Encrypts the license keys or tokens of the next rows again under the current sealing key.
 * @param key columns of the table's primary key
 * @param after primary key of the row to continue after
 * @returns counts, and in `next` the row to continue after
 */
export async function resealRows(
  connection: Connection,
  engine: SqlEngine,
  keyring: Keyring,
  table: ColumnUpdate['table'],
  key: readonly string[],
  after: readonly unknown[],
  { keyId, atMost }: { keyId: string; atMost: number },
): Promise<Resealed<Record<string, unknown>>> {
  // A process that does not know the current sealing key yet must refresh its keys first.
  if (keyring.keyId !== keyId) throw new UnknownSealingKey();
  const names = sql.join(key.map((name) => sql.ref(name)));
  const { sealed, index } = SEALED[table];
  const query = sql<Record<string, unknown> & { index: Uint8Array | string; sealed: Uint8Array | null }>`
    select ${names}, ${sql.ref(index)} as "index", ${sql.ref(sealed)} as sealed from ${sql.table(table)}
    where (${names}) > (${sql.join(after)}) order by ${names} limit ${atMost} ${engine.lockRows}`;
  const read = (await execute(connection, query.compile(engine.db))).rows;
  const rows = read.flatMap((row) => {
    try {
      const resealed = row.sealed && keyring.reseal(row.sealed, Buffer.from(row.index as Uint8Array));
      return resealed ? [[...key.map((name) => row[name]), row.sealed, resealed]] : [];
    } catch (error) {
      // One damaged row, which doctor names, must not block a rotation. The keyring has every key that the database ever
      // had, so an unknown one is damage, too.
      if (error instanceof StoreDamaged || error instanceof UnknownSealingKey) return [];
      throw error;
    }
  });
  const update = { table, match: [...key, sealed], columns: [sealed] };
  await updateColumns(connection, engine, update, rows);
  const next = read.length === atMost ? (read.at(-1) ?? null) : null;
  return { seen: read.length, resealed: rows.length, next };
}
