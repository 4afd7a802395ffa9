import { type Kysely, sql } from 'kysely';
import { endingOf } from '../../../domain/license-search.ts';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

/** Bytes of the hash: enough to tell the ends of keys apart. */
const BYTES = 8;
const NONE = new Uint8Array(0);

/** What a license is found by whose key ends with some characters. No license key has a NUL, so none has this hash. */
export const hashOfEnding = (ending: string, keyring: Keyring): Uint8Array =>
  keyring.hash(`\0ending\0${ending}`).subarray(0, BYTES);

/** The same of a key; no bytes where it is too short to be found so. */
export function endingHash(key: string, keyring: Keyring): Uint8Array {
  const ending = endingOf(key);
  return ending === null ? NONE : hashOfEnding(ending, keyring);
}

/** A license that gets its ending, where it has none yet and still the key that was read. */
export interface Filling {
  id: number;
  hash: Uint8Array;
  ending: Uint8Array;
}
type Fill = (connection: Connection, fillings: readonly Filling[]) => Promise<void>;

/**
 * Gives licenses of before their endings.
 * @param fill writes them, where an engine has its own way
 * @returns the id after which others may lack theirs; null where none does
 */
export function fillEndingsOf(
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
      .set({ ending_hash: sql<Uint8Array>`${p.ending}` })
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
      const key = readable(sealed_key, keyring);
      return key === null ? [] : [{ id, hash, ending: endingHash(key, keyring) }];
    });
    await (fill ?? oneByOne)(connection, fillings);
    return rows.length === atMost ? (rows.at(-1)?.id ?? null) : null;
  };
}

/** Null for a row that was damaged: it must not keep others from their ending. @throws UnknownSealingKey */
function readable(sealed: Uint8Array, keyring: Keyring): string | null {
  try {
    return keyring.open(sealed);
  } catch (error) {
    if (error instanceof UnknownSealingKey) throw error;
    return null;
  }
}
