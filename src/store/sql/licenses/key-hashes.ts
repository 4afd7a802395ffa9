import type { KeyRef } from '../../../domain/license.ts';
import { keySuffixOf } from '../../../domain/license-search.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Database } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

/** Columns that a row derives from its license key. */
export interface KeyColumns {
  key_hash: Uint8Array;
  sealed_key: Uint8Array;
  ending_hash: Uint8Array;
}

export function keyColumnsOf(key: string, keyring: Keyring): KeyColumns {
  const hash = keyring.hash(key);
  return { key_hash: hash, sealed_key: keyring.seal(key, hash), ending_hash: keySuffixHash(key, keyring) };
}

/** Bytes of the hash of a key suffix: enough to tell suffixes apart. */
const SUFFIX_HASH_BYTES = 8;
const NONE = new Uint8Array(0);

/** The hash that licenses are found by whose key has a suffix. No license key has a NUL, so none has this hash. */
export const hashOfSuffix = (suffix: string, keyring: Keyring): Uint8Array =>
  keyring.hash(`\0ending\0${suffix}`).subarray(0, SUFFIX_HASH_BYTES);

/** The hash of the suffix of a key; no bytes where the key is too short to be found by one. */
export function keySuffixHash(key: string, keyring: Keyring): Uint8Array {
  const suffix = keySuffixOf(key);
  return suffix === null ? NONE : hashOfSuffix(suffix, keyring);
}

/** The `key_hash` of a license; null where the given hash is not 64 hex digits. */
export function hashOfRef(ref: KeyRef, keyring: Keyring): Uint8Array | null {
  if ('key' in ref) return keyring.hash(ref.key);
  return /^[0-9a-fA-F]{64}$/.test(ref.hash) ? Buffer.from(ref.hash, 'hex') : null;
}

/** Hashes looked up by one query; a fixed number, so that the query is prepared once. */
const HASHES_AT_ONCE = 100;
const SLOTS = Array.from({ length: HASHES_AT_ONCE }, (_, i) => i);

/** Returns a function that finds which key hashes a license has, as hex digits. */
export function takenHashesQuery(db: Database) {
  const taken = prepare((p: readonly Uint8Array[]) => {
    const hashes = SLOTS.map((i) => p[i] as Uint8Array);
    return db.selectFrom('licenses').select('key_hash').where('key_hash', 'in', hashes);
  });
  return async (connection: Connection, hashes: readonly Uint8Array[]): Promise<Set<string>> => {
    const found: ReturnType<typeof taken>[] = [];
    for (let from = 0; from < hashes.length; from += HASHES_AT_ONCE) {
      const some = SLOTS.map((i) => (hashes[from + i] ?? hashes[from]) as Uint8Array);
      found.push(taken(connection, some));
    }
    const rows = (await Promise.all(found)).flatMap((one) => one.rows);
    return new Set(rows.map(({ key_hash }) => Buffer.from(key_hash).toString('hex')));
  };
}
