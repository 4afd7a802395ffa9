import { type Kysely, sql } from 'kysely';
import { keySuffixOf } from '../../../domain/license-search.ts';
import { StoreDamaged } from '../../errors.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

/** Bytes of the hash of a key suffix: enough to tell suffixes apart. */
const BYTES = 8;
const NONE = new Uint8Array(0);

/** The hash that licenses are found by whose key has a suffix. No license key has a NUL, so none has this hash. */
export const hashOfSuffix = (suffix: string, keyring: Keyring): Uint8Array =>
  keyring.hash(`\0ending\0${suffix}`).subarray(0, BYTES);

/** The hash of the suffix of a key; no bytes where the key is too short to be found by one. */
export function keySuffixHash(key: string, keyring: Keyring): Uint8Array {
  const suffix = keySuffixOf(key);
  return suffix === null ? NONE : hashOfSuffix(suffix, keyring);
}

/** Writes the suffix hash of a license that has none yet, and still the key that was read. */
export interface Filling {
  id: number;
  hash: Uint8Array;
  suffix: Uint8Array;
}
type Fill = (connection: Connection, fillings: readonly Filling[]) => Promise<void>;

/**
 * Fills in the suffix hash of licenses that were made by a version without it.
 * @param fill writes them, where an engine has its own way
 * @returns the id to go on after; null where no license lacks its suffix hash
 */
export function fillKeySuffixesOf(
  db: Kysely<Schema>,
  keyring: Keyring,
  fill?: Fill,
): (connection: Connection, after: number, atMost: number) => Promise<number | null> {
  const some = prepare((p: { after: number; atMost: number }) =>
    db
      .selectFrom('licenses')
      .select(['id', 'key_hash', 'sealed_key'])
      .where('ending_hash', 'is', null)
      .where('id', '>', p.after)
      .orderBy('id')
      .limit(p.atMost),
  );
  const fillOne = prepare((p: Filling) =>
    db
      .updateTable('licenses')
      .set({ ending_hash: sql<Uint8Array>`${p.suffix}` })
      .where('id', '=', p.id)
      .where('key_hash', '=', p.hash)
      .where('ending_hash', 'is', null),
  );
  const oneByOne: Fill = async (connection, fillings) => {
    for (const filling of fillings) await fillOne(connection, filling);
  };
  return async (connection, after, atMost) => {
    const { rows } = await some(connection, { after, atMost });
    if (rows.length === 0) return null;
    const fillings = rows.flatMap(({ id, key_hash: hash, sealed_key }) => {
      const key = readable(sealed_key, hash, keyring);
      return key === null ? [] : [{ id, hash, suffix: keySuffixHash(key, keyring) }];
    });
    await (fill ?? oneByOne)(connection, fillings);
    return rows.length === atMost ? (rows.at(-1)?.id ?? null) : null;
  };
}

/** Null for a damaged row, which must not keep other rows from being filled. @throws UnknownSealingKey */
function readable(sealed: Uint8Array, hash: Uint8Array, keyring: Keyring): string | null {
  try {
    return keyring.open(sealed, hash);
  } catch (error) {
    if (error instanceof StoreDamaged) return null;
    throw error;
  }
}
