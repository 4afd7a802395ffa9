import { type RawBuilder, sql } from 'kysely';
import { StoreDamaged } from '../../errors.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Conversion, Converted } from '../../store.ts';
import { keySuffixHash, tokenColumnsOf } from '../licenses/key-hashes.ts';
import { addMeta, REWRITE_DUE } from '../meta.ts';
import { type Connection, execute, type SqlEngine } from '../statement.ts';
import { type ColumnUpdate, updateColumns } from './rewrite.ts';

interface Steps extends ColumnUpdate {
  /** Condition on rows of earlier versions. A partial index finds them. */
  earlier: RawBuilder<boolean>;
  /** @param row the columns of `match`. @returns values of `columns` */
  convert(keyring: Keyring, row: Row): unknown[];
}

interface Row {
  id: number;
  key_hash: Uint8Array;
  sealed_key: Uint8Array;
  token: string;
}

/** How to convert rows of earlier versions to the form that this version writes. */
const STEPS: Readonly<Record<Conversion, Steps>> = {
  key_indexes: {
    table: 'licenses',
    earlier: sql`length(key_hash) = 32`,
    match: ['id', 'key_hash', 'sealed_key'],
    columns: ['key_hash', 'sealed_key'],
    // Nodes of two versions may both have created a license with this key. Then this row stays as it is.
    where: sql`not exists (select 1 from licenses as other where other.key_hash = given.new_key_hash)`,
    convert(keyring, { key_hash: hash, sealed_key: sealed }) {
      const index = keyring.keyIndex(hash);
      return [index, keyring.seal(keyring.open(sealed, hash), index)];
    },
  },
  tokens: {
    table: 'activations',
    earlier: sql`sealed_token is null`,
    match: ['id', 'token'],
    columns: ['token', 'sealed_token'],
    convert(keyring, { token }) {
      const { token: index, sealed_token } = tokenColumnsOf(token, keyring);
      return [index, sealed_token];
    },
  },
  key_suffixes: {
    table: 'licenses',
    earlier: sql`ending_hash is null`,
    match: ['id', 'key_hash', 'sealed_key'],
    columns: ['ending_hash'],
    convert: (keyring, row) => [keySuffixHash(keyring.open(row.sealed_key, row.key_hash), keyring)],
  },
};

/**
 * Converts the next rows after an id. SQLite may leave parts of the old values in its file, so the next start rewrites it.
 */
export async function convertRows(
  connection: Connection,
  engine: SqlEngine,
  keyring: Keyring,
  conversion: Conversion,
  after: number,
  atMost: number,
): Promise<Converted> {
  const { earlier, convert, ...update } = STEPS[conversion];
  const { table, match } = update;
  const query = sql<Row>`
    select ${sql.join(match.map((name) => sql.ref(name)))} from ${sql.table(table)}
    where ${earlier} and id > ${after} order by id limit ${atMost} ${engine.lockRows}`;
  const read = (await execute(connection, query.compile(engine.db))).rows;
  const rows = read.flatMap((row) => {
    try {
      return [[...match.map((name) => row[name as keyof Row]), ...convert(keyring, row)]];
    } catch (error) {
      // One damaged row must not keep other rows from being converted.
      if (error instanceof StoreDamaged) return [];
      throw error;
    }
  });
  await updateColumns(connection, engine, update, rows, { secret: true });
  if (rows.length > 0) await addMeta(connection, engine.db, REWRITE_DUE, 'yes');
  return { converted: rows.length, next: read.length === atMost ? (read.at(-1)?.id ?? null) : null };
}
