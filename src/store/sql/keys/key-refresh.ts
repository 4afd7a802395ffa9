import type { Kysely } from 'kysely';
import { fingerprintOf } from '../../keys/key-bundle.ts';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { Reads } from '../../store.ts';
import { metaOf } from '../meta.ts';
import type { Schema } from '../schema.ts';
import type { Connection } from '../statement.ts';
import { bundleName, openedBundle, ROTATION, rotationIn } from './key-bundles.ts';

/** Milliseconds between two refreshes. Each step of a rotation waits for longer than that. */
export const REFRESH_MS = 1_000;

/**
 * A function that reads which keys a database works with, and gives them to the keyring.
 *
 * During a rotation, `meta` has a bundle of the keys that the sealing key of before opens. So a process needs no master
 * key to go along with a rotation, and may outlive any number of them.
 */
export function keyRefresh(
  db: Kysely<Schema>,
  keyring: Keyring,
  connection: Connection,
): () => Promise<void> {
  let fingerprint = '';
  let ofKey: Uint8Array | null = null;
  let seen = '';
  return async () => {
    const { key } = keyring.keys.sealing;
    if (key !== ofKey) fingerprint = fingerprintOf(key);
    ofKey = key;
    const values = await metaOf(connection, db, [ROTATION, bundleName(fingerprint)]);
    const sealed = values.get(bundleName(fingerprint));
    const rotation = values.get(ROTATION) ?? '';
    if (sealed === undefined || seen === sealed + rotation) return;
    keyring.adopt(openedBundle(sealed, rotationIn(values)?.step ?? null, key));
    seen = sealed + rotation;
  };
}

/** Refreshes every REFRESH_MS. A failed refresh is tried again the next time. @returns a function that stops it */
export function refreshRegularly(refresh: () => Promise<void>): () => void {
  const timer = setInterval(() => void refresh().catch(() => {}), REFRESH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs a function; where it meets a sealing key that is not held, refreshes the keys and runs it once more. */
export async function withFreshKeys<T>(refresh: () => Promise<void>, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UnknownSealingKey)) throw error;
    await refresh();
    return run();
  }
}

/** Reads that refresh the keys where they meet a sealing key that is not held. */
export function readsWithFreshKeys(reads: Reads, refresh: () => Promise<void>): Reads {
  const fresh =
    <A extends unknown[], R>(read: (...given: A) => Promise<R>) =>
    (...given: A): Promise<R> =>
      withFreshKeys(refresh, () => read(...given));
  const { licenses, activations, reports } = reads;
  return {
    ...reads,
    licenses: {
      ...licenses,
      find: fresh(licenses.find),
      findWithActivations: fresh(licenses.findWithActivations),
      list: fresh(licenses.list),
      after: fresh(licenses.after),
      search: fresh(licenses.search),
    },
    activations: {
      ...activations,
      findByToken: fresh(activations.findByToken),
      find: fresh(activations.find),
      search: fresh(activations.search),
    },
    reports: { ...reports, expiring: fresh(reports.expiring) },
  };
}
