import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { KeyRef } from '../../../domain/licenses/license.ts';
import { keySuffixOf } from '../../../domain/licenses/license-search.ts';
import { type CamelCased, camelName } from '../../../domain/names.ts';
import { isTokenIndex, type Keyring } from '../../keys/keyring.ts';
import type { Schema } from '../schema.ts';
import { type Connection, type Database, prepare } from '../statement.ts';

/** The columns that a row derives from a license key. @param hashes hashes of the key, if they are known */
export function keyColumnsOf(key: string, keyring: Keyring, hashes = hashesOfKey(key, keyring)) {
  const { index } = hashes;
  return { key_hash: index, sealed_key: keyring.seal(key, index), ending_hash: keySuffixHash(key, keyring) };
}

/** The two values that `key_hash` can have in the row of one license. */
export interface KeyHashes {
  index: Uint8Array;
  /** In rows of earlier versions that housekeeping has not converted yet. */
  hash: Uint8Array;
}
const hashesOf = (hash: Uint8Array, keyring: Keyring): KeyHashes => ({ index: keyring.keyIndex(hash), hash });
export const hashesOfKey = (key: string, keyring: Keyring): KeyHashes => hashesOf(keyring.hash(key), keyring);

/** Conditions that name the license of a key. The second includes rows that are not converted yet. */
export const ofKey = {
  index: (p: KeyHashes) => sql<boolean>`licenses.key_hash = ${p.index}`,
  either: (p: KeyHashes) => sql<boolean>`licenses.key_hash in (${p.index}, ${p.hash})`,
};

/**
 * A query that looks among converted rows first: SQLite takes twice as long to look for two values as for one. The
 * second look includes converted rows, because a row may be converted between the two.
 */
export function inTurn<Values, Found extends { rows: readonly unknown[] }>(
  query: (which: 'index' | 'either') => (connection: Connection, values: Values) => Promise<Found>,
): (connection: Connection, values: Values) => Promise<Found> {
  const [byIndex, byEither] = [query('index'), query('either')];
  return async (connection, values) => {
    const found = await byIndex(connection, values);
    return found.rows.length > 0 ? found : byEither(connection, values);
  };
}

/** Columns that a row derives from its activation token. */
export function tokenColumnsOf(token: string, keyring: Keyring) {
  const index = keyring.tokenIndex(token);
  return { token: index, sealed_token: keyring.seal(token, Buffer.from(index)) };
}

/** Returns a function that finds the row of an activation by its token. @param rows selects from activations and licenses */
export function byTokenQuery<Row>(
  rows: SelectQueryBuilder<Schema, 'activations' | 'licenses', Row>,
  keyring: Keyring,
) {
  const find = inTurn((which) =>
    prepare(
      (p: { index: string; token: string }) =>
        rows.where('activations.token', 'in', which === 'index' ? [p.index] : [p.index, p.token]),
      { lookUp: true },
    ),
  );
  return (connection: Connection, token: string) => {
    const index = keyring.tokenIndex(token);
    // In rows of earlier versions, the token itself.
    return find(connection, { index, token: isTokenIndex(token) ? index : token });
  };
}

/** Bytes of the hash of a key suffix: enough to tell suffixes apart. */
const SUFFIX_HASH_BYTES = 8;
const NONE = new Uint8Array(0);

/** The hash by which licenses are found whose key has this suffix. No license key has a NUL, so no key has this hash. */
export const hashOfSuffix = (suffix: string, keyring: Keyring): Uint8Array =>
  keyring.hash(`\0ending\0${suffix}`).subarray(0, SUFFIX_HASH_BYTES);

/** The hash of the suffix of a key; no bytes where the key is too short to be found by one. */
export function keySuffixHash(key: string, keyring: Keyring): Uint8Array {
  const suffix = keySuffixOf(key);
  return suffix === null ? NONE : hashOfSuffix(suffix, keyring);
}

/** The values that `key_hash` may have in the row of a license; null if the given hash is not 64 hex digits. */
export function hashesOfRef(ref: KeyRef, keyring: Keyring): KeyHashes | null {
  if ('key' in ref) return hashesOfKey(ref.key, keyring);
  return /^[0-9a-fA-F]{64}$/.test(ref.hash) ? hashesOf(Buffer.from(ref.hash, 'hex'), keyring) : null;
}

/** Values of a new license: its columns, and the hash that `key_hash` would have in a row of an earlier version. */
type NewLicenseRow = CamelCased<Pick<Selectable<Schema['licenses']>, (typeof INSERTED)[number]>> & {
  hash: Uint8Array;
};
const INSERTED = [
  ...['key_hash', 'sealed_key', 'ending_hash', 'order_id', 'product_id', 'user_id', 'expires_at'],
  ...['valid_for', 'source', 'status', 'activations_limit', 'created_at', 'created_by', 'seat_policy'],
  'customer_email',
] as const satisfies readonly (keyof Schema['licenses'])[];

/** Returns a function that inserts a license, unless a row that is not converted yet has its key. */
export const insertLicenseQuery = (db: Database) =>
  prepare((p: NewLicenseRow) =>
    db
      .insertInto('licenses')
      .columns(INSERTED)
      .expression(
        db
          .selectNoFrom(INSERTED.map((name) => sql`${p[camelName(name) as keyof NewLicenseRow]}`.as(name)))
          .where(({ exists, not, selectFrom }) =>
            not(exists(selectFrom('licenses').select('id').where('key_hash', '=', p.hash))),
          ),
      )
      .returning('id'),
  );

/** Number of values that one query looks up. It is fixed, so that the query is prepared once. */
const HASHES_AT_ONCE = 100;
const SLOTS = Array.from({ length: HASHES_AT_ONCE }, (_, i) => i);

/** Returns a function that finds which of the given license keys exist. */
export function takenKeysQuery(db: Database) {
  const taken = prepare((p: readonly Uint8Array[]) => {
    const hashes = SLOTS.map((i) => p[i] as Uint8Array);
    return db.selectFrom('licenses').select('key_hash').where('key_hash', 'in', hashes);
  });
  const nameOf = (hash: Uint8Array) => Buffer.from(hash).toString('latin1');
  return async (connection: Connection, keys: readonly KeyHashes[]): Promise<(key: KeyHashes) => boolean> => {
    const hashes = keys.flatMap(({ index, hash }) => [index, hash]);
    const found: ReturnType<typeof taken>[] = [];
    for (let from = 0; from < hashes.length; from += HASHES_AT_ONCE) {
      const some = SLOTS.map((i) => (hashes[from + i] ?? hashes[from]) as Uint8Array);
      found.push(taken(connection, some));
    }
    const rows = (await Promise.all(found)).flatMap((one) => one.rows);
    const names = new Set(rows.map(({ key_hash }) => nameOf(key_hash)));
    return ({ index, hash }) => names.size > 0 && [index, hash].some((one) => names.has(nameOf(one)));
  };
}
