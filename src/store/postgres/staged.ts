import type { Keyring } from '../keys/keyring.ts';
import { keyColumnsOf } from '../sql/licenses/key-hashes.ts';
import { type Connection, type Kind, nameOf } from '../sql/statement.ts';
import type { Transaction } from '../store.ts';

/** All rows in one statement, whose values come as columns: one way to the server instead of one for each row. */
const INSERT = `
  insert into staged_licenses (batch, staged_at, row, key_hash, sealed_key, order_id, product_id, user_id, expires_at,
    valid_for, status, activations_limit, ending_hash)
  select $1, $2, given.* from unnest($3::integer[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::timestamp[], $10::integer[], $11::integer[], $12::integer[], $13::bytea[]) as given (row, key_hash, sealed_key, order_id,
    product_id, user_id, expires_at, valid_for, status, activations_limit, ending_hash)
  where not exists (select from licenses where licenses.key_hash = given.key_hash)
  returning staged_licenses.row`;
const KIND: Kind = { name: nameOf(INSERT), reads: false, alone: true };

export function insertStaged(connection: Connection, keyring: Keyring): Transaction['staged']['insert'] {
  return async (batch, licenses, now) => {
    const keys = licenses.map(({ key }) => keyColumnsOf(key, keyring));
    const columns = [
      licenses.map(({ row }) => row),
      keys.map(({ key_hash }) => key_hash),
      keys.map(({ sealed_key }) => sealed_key),
      licenses.map(({ orderId }) => orderId),
      licenses.map(({ productId }) => productId),
      licenses.map(({ userId }) => userId),
      licenses.map(({ expiresAt }) => expiresAt),
      licenses.map(({ validFor }) => validFor),
      licenses.map(({ status }) => status),
      licenses.map(({ activationsLimit }) => activationsLimit),
      keys.map(({ ending_hash }) => ending_hash),
    ];
    const { rows } = await connection.execute(INSERT, [batch, now, ...columns], KIND);
    const inserted = new Set((rows as { row: number }[]).map(({ row }) => row));
    return licenses.filter(({ row }) => !inserted.has(row)).map(({ row }) => row);
  };
}
