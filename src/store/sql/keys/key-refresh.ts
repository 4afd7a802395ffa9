import { fingerprintOf } from '../../keys/key-bundle.ts';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { Reads } from '../../store.ts';
import { metaOf } from '../meta.ts';
import type { Connection, Database } from '../statement.ts';
import { bundleName, openedBundle, ROTATION, rotationIn } from './key-bundles.ts';

/** Milliseconds between two refreshes. Each step of a rotation waits for longer than that. */
export const REFRESH_MS = 1_000;

/**
 * Returns a function that gives the current keys of the database to the keyring. During a rotation, `meta` holds a bundle
 * encrypted under the previous sealing key, so a running process follows rotations without a master key.
 */
export function keyRefresh(db: Database, keyring: Keyring, connection: Connection): () => Promise<void> {
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

/** Refreshes every REFRESH_MS, whether the last refresh failed or not. @returns a function that stops it */
export function refreshRegularly(refresh: () => Promise<void>): () => void {
  const timer = setInterval(() => void refresh().catch(() => {}), REFRESH_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs a function. If it meets an unknown sealing key, refreshes the keys and runs it once more. */
export async function withFreshKeys<T>(refresh: () => Promise<void>, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof UnknownSealingKey)) throw error;
    await refresh();
    return run();
  }
}

/** Reads that refresh the keys where they meet an unknown sealing key. */
export function readsWithFreshKeys(reads: Reads, refresh: () => Promise<void>): Reads {
  const fresh = <Noun extends object>(noun: Noun): Noun =>
    Object.fromEntries(
      Object.entries(noun).map(([name, read]) => [
        name,
        (...values: unknown[]) => withFreshKeys(refresh, () => read(...values)),
      ]),
    ) as Noun;
  const { licenses, activations, trash, reports, users, endpoints, signingKeys } = reads;
  return {
    ...reads,
    licenses: { ...fresh(licenses), hashOf: licenses.hashOf },
    activations: fresh(activations),
    trash: fresh(trash),
    reports: fresh(reports),
    users: { ...fresh(users), signInTag: users.signInTag },
    endpoints: fresh(endpoints),
    signingKeys: fresh(signingKeys),
  };
}
