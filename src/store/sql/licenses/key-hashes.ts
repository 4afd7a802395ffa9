import type { Kysely } from 'kysely';
import type { KeyRef } from '../../../domain/license.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';
import { keySuffixHash } from './key-suffix.ts';

/** What a row stores of its license key. */
export interface KeyColumns {
  key_hash: Uint8Array;
  sealed_key: Uint8Array;
  ending_hash: Uint8Array;
}

export function keyColumnsOf(key: string, keyring: Keyring): KeyColumns {
  const hash = keyring.hash(key);
  return { key_hash: hash, sealed_key: keyring.seal(key, hash), ending_hash: keySuffixHash(key, keyring) };
}

/** The `key_hash` of a license; null where the given hash is not 64 hex digits. */
export function hashOfRef(ref: KeyRef, keyring: Keyring): Uint8Array | null {
  if ('key' in ref) return keyring.hash(ref.key);
  return /^[0-9a-fA-F]{64}$/.test(ref.hash) ? Buffer.from(ref.hash, 'hex') : null;
}

/** Keys looked up by one query; a fixed number, so that the query is prepared once. */
const LOOK_UP = 100;

/** Which of some key hashes a license has, as hex digits. */
export function takenHashesQuery(
  db: Kysely<Schema>,
): (connection: Connection, hashes: readonly Uint8Array[]) => Promise<Set<string>> {
  const taken = prepare((p: Record<string, Uint8Array>) =>
    db
      .selectFrom('licenses')
      .select('key_hash')
      .where(
        'key_hash',
        'in',
        Array.from({ length: LOOK_UP }, (_, i) => p[`h${i}`] as Uint8Array),
      ),
  );
  return async (connection, hashes) => {
    const found = new Set<string>();
    const looks: Promise<void>[] = [];
    for (let from = 0; from < hashes.length; from += LOOK_UP) {
      const some = Array.from({ length: LOOK_UP }, (_, i) => [`h${i}`, hashes[from + i] ?? hashes[from]]);
      looks.push(
        taken(connection, Object.fromEntries(some)).then(({ rows }) => {
          for (const { key_hash } of rows) found.add(Buffer.from(key_hash).toString('hex'));
        }),
      );
    }
    await Promise.all(looks);
    return found;
  };
}
