import type { Keyring } from '../keys/keyring.ts';
import { SHARED, STAGED_COLUMNS, stagedValues } from '../sql/batches/staged.ts';
import { hashesOfKey, keyColumnsOf } from '../sql/licenses/key-hashes.ts';
import { type Connection, type Kind, nameOf } from '../sql/statement.ts';
import type { Transaction } from '../store.ts';

const TYPES: Record<(typeof STAGED_COLUMNS)[number], string> = {
  batch: 'text',
  staged_at: 'timestamp',
  row: 'integer',
  key_hash: 'bytea',
  sealed_key: 'bytea',
  order_id: 'bigint',
  product_id: 'bigint',
  user_id: 'bigint',
  expires_at: 'timestamp',
  valid_for: 'integer',
  status: 'integer',
  activations_limit: 'integer',
  ending_hash: 'bytea',
  seat_policy: 'text',
  customer_email: 'text',
  notes: 'text',
};
const NAMES = STAGED_COLUMNS.join(', ');

/** Inserts all rows in one statement, with an array for each column: one round trip. */
const INSERT = `
  insert into staged_licenses (${NAMES})
  select ${NAMES} from
    unnest(${STAGED_COLUMNS.map((name, i) => `$${i + 1}::${TYPES[name]}[]`)}, $${STAGED_COLUMNS.length + 1}::bytea[])
      as given (${NAMES}, hash)
  where not exists (select from licenses where licenses.key_hash in (given.key_hash, given.hash))
  returning staged_licenses.row`;
const KIND: Kind = { name: nameOf(INSERT), reads: false };

export function insertStaged(connection: Connection, keyring: Keyring): Transaction['staged']['insert'] {
  return async (batch, licenses, now) => {
    const values = licenses.map((one) => {
      const hashes = hashesOfKey(one.key, keyring);
      return [...stagedValues(batch, now, one, keyColumnsOf(one.key, keyring, hashes)), hashes.hash];
    });
    const columns = [...STAGED_COLUMNS, 'hash'].map((_, i) => values.map((row) => row[i]));
    const { rows } = await connection.execute(INSERT, columns, KIND);
    const inserted = new Set((rows as { row: number }[]).map(({ row }) => row));
    return licenses.filter(({ row }) => !inserted.has(row)).map(({ row }) => row);
  };
}

/**
 * Numbers the licenses in the order of rows, and inserts them in the order of hashes. An insert waits for a concurrent one
 * of the same key, so two batches that insert common keys in different orders would deadlock.
 */
const COMMIT = `
  insert into licenses (id, ${SHARED}, source, created_at, created_by)
  select * from (
    select nextval((select pg_get_serial_sequence('licenses', 'id'))), ${SHARED}, $2::integer, $3::timestamp, $4::bigint
    from staged_licenses where batch = $1 order by row
  ) as numbered
  order by key_hash
  on conflict (key_hash) do nothing`;

export function commitStaged(connection: Connection): Transaction['staged']['commit'] {
  return async (batch, { source, createdAt, createdBy }) => {
    const about: Kind = { name: null, reads: false, slow: true };
    return (await connection.execute(COMMIT, [batch, source, createdAt, createdBy], about)).affected;
  };
}
