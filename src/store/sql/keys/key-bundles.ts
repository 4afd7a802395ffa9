import {
  fingerprintOf,
  firstBundle,
  type KeyBundle,
  openBundle,
  type RotationStep,
} from '../../keys/key-bundle.ts';
import { type RetiredMasterKey, type Rotation, StoreDamaged, WrongMasterKey } from '../../store.ts';
import { addMeta, FINGERPRINT, metaOf } from '../meta.ts';
import type { Migrated } from '../migrate.ts';
import type { Connection, Database } from '../statement.ts';

/** Rows of `meta`: the rotation in progress (JSON), retired master keys (JSON), and bundles by the key that opens them. */
export const ROTATION = 'master_key_rotation';
export const RETIRED = 'master_keys_retired';
export const bundleName = (fingerprint: string): string => `key_bundle:${fingerprint}`;

export const rotationIn = (values: ReadonlyMap<string, string>): Rotation | null =>
  JSON.parse(values.get(ROTATION) ?? 'null');
export const retiredIn = (values: ReadonlyMap<string, string>): RetiredMasterKey[] =>
  JSON.parse(values.get(RETIRED) ?? '[]');

/** Reads the keys of a database; null where it has no master key yet. @throws WrongMasterKey, StoreDamaged */
export async function readKeys(connection: Connection, db: Database, masterKey: Uint8Array) {
  const names = [FINGERPRINT, ROTATION, RETIRED, bundleName(fingerprintOf(masterKey))];
  return keysOf(await metaOf(connection, db, names), masterKey);
}

/**
 * Reads the keys from rows of `meta`, for example of a backup; null without a master key.
 * @throws WrongMasterKey, StoreDamaged
 */
export function keysOf(values: ReadonlyMap<string, string>, masterKey: Uint8Array): KeyBundle | null {
  const own = fingerprintOf(masterKey);
  const sealed = values.get(bundleName(own));
  if (sealed !== undefined) return openedBundle(sealed, rotationIn(values)?.step ?? null, masterKey);
  const fingerprint = values.get(FINGERPRINT);
  if (fingerprint === undefined) return null;
  const retired = retiredIn(values);
  if (fingerprint !== own)
    throw new WrongMasterKey(retired.find((one) => one.fingerprint === own)?.retiredAt ?? null);
  if (retired.length > 0)
    throw new StoreDamaged(`the row "${bundleName(own)}" of the table "meta" is missing`);
  return firstBundle(masterKey);
}

/** Decrypts the bundle of a key. @throws StoreDamaged */
export function openedBundle(sealed: string, step: RotationStep | null, key: Uint8Array): KeyBundle {
  try {
    return openBundle(sealed, step, key);
  } catch (cause) {
    const name = bundleName(fingerprintOf(key));
    throw new StoreDamaged(`the row "${name}" of the table "meta" was changed`, { cause });
  }
}

/** A database that is ready for this version. */
export interface Prepared {
  /** Null if no migration was missing. */
  migrated: Migrated | null;
  keys: KeyBundle;
}

/**
 * Reads the keys of a database under the lock of its migrations. A database without a master key adopts the given one.
 * @throws as `readKeys` does
 */
export async function claimKeys(connection: Connection, db: Database, masterKey: Uint8Array) {
  const keys = await readKeys(connection, db, masterKey);
  if (keys) return keys;
  await addMeta(connection, db, FINGERPRINT, fingerprintOf(masterKey));
  return firstBundle(masterKey);
}
