import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Actor } from '../domain/actor.ts';
import { fingerprintOf, type KeyBundle, sealBundle } from '../store/keys/key-bundle.ts';
import { REFRESH_MS } from '../store/sql/keys/key-refresh.ts';
import type { Shop } from '../wordpress/shop.ts';
import { COMMAND_CONNECT_MS, engineOf } from './engines.ts';
import { openPrepared, prepareDatabase, type Service, type StoreConfig, setUpIfNew } from './service.ts';

/** The shop's secret cannot become the key that license keys are hashed with. */
export class HashKeyInUse extends Error {
  override name = 'HashKeyInUse';
}

export interface MoveTarget {
  service: Service;
  /** Whether `hashed-…` addresses of the shop will work. */
  keepsHashes: boolean;
}

interface Options {
  /** Opens a database of its own in a temporary folder if there is none yet. */
  dryRun: boolean;
  /** Moves also where the shop's secret cannot be adopted. */
  withoutHashes: boolean;
}

/**
 * Opens the database of the settings for a move from a shop, and uses it. A database without licenses adopts the shop's
 * secret as the key that license keys are hashed with, so that `hashed-…` addresses stay as they are.
 * @throws HashKeyInUse, and what opening a service throws
 */
export async function withMoveTarget<T>(
  config: StoreConfig & Parameters<typeof setUpIfNew>[1],
  { hashKey }: Pick<Shop, 'hashKey'>,
  { dryRun, withoutHashes }: Options,
  actor: Actor,
  use: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  const isThere = await (await engineOf(config)).exists();
  const folder = dryRun && !isThere ? await mkdtemp(join(tmpdir(), 'latchkey-dry-run-')) : null;
  const settings = folder === null ? config : { ...config, dataDir: folder, databaseUrl: null };
  try {
    const keepsHashes = await adoptHashKey(settings, hashKey, dryRun, actor);
    if (!keepsHashes && !withoutHashes) {
      throw new HashKeyInUse(
        'This database has licenses already, and hashes their keys with another secret than the shop: programs that use hashed-… addresses of the shop would not find their licenses. Move into a new data directory, or give --without-hashes if no program uses such addresses.',
      );
    }
    const service = await openPrepared(
      await prepareDatabase(settings, { connectTimeout: COMMAND_CONNECT_MS, mustExist: true }),
      settings,
    );
    try {
      return await use({ service, keepsHashes });
    } finally {
      await service.close();
    }
  } finally {
    if (folder !== null) await rm(folder, { recursive: true });
  }
}

/** Returns whether the database hashes license keys with this key, or would after a move. */
async function adoptHashKey(
  config: Parameters<typeof withMoveTarget>[0],
  hashKey: Uint8Array,
  dryRun: boolean,
  actor: Actor,
): Promise<boolean> {
  const prepared = await prepareDatabase(config, { connectTimeout: COMMAND_CONNECT_MS, mustExist: false });
  const service = await openPrepared(prepared, config);
  try {
    await setUpIfNew(service, config);
    const { masterKey, keys } = prepared;
    if (Buffer.compare(keys.data['license key hash'], hashKey) === 0) return true;
    if (dryRun) return (await service.store.read.licenses.after(0, 1, {})).length === 0;
    const adopting: KeyBundle = { ...keys, data: { ...keys.data, 'license key hash': hashKey } };
    // The keys of this process: running processes have the sealing key, and follow.
    const openers = [masterKey, keys.sealing.key];
    const bundles = openers.map((key) => [fingerprintOf(key), sealBundle(adopting, keys.sealing, key)]);
    const adopted = await service.execute('adopt-hash-key', { bundles: Object.fromEntries(bundles) }, actor);
    // Nothing may be moved before every running process has the key.
    if (adopted) await setTimeout(2 * REFRESH_MS);
    return adopted;
  } finally {
    await service.close();
  }
}
