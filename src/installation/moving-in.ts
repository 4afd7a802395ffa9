import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { MoveRefused } from '../app/moving/move-in.ts';
import type { Actor } from '../domain/actor.ts';
import { fingerprintOf, type KeyBundle, sealBundle } from '../store/keys/key-bundle.ts';
import { REFRESH_MS } from '../store/sql/keys/key-refresh.ts';
import type { Shop } from '../wordpress/shop.ts';
import { engineOf } from './engines.ts';
import { openForCommand, type Service, type StoreConfig, setUpIfNew } from './service.ts';

export interface MoveTarget {
  service: Service;
  /** Whether `hashed-…` addresses of the shop will work. */
  keepsHashes: boolean;
}

interface Options {
  /** Do not adopt the shop's secret. If there is no database yet, use a new one in a temporary folder. */
  dryRun: boolean;
  /** Move even if the database cannot adopt the shop's secret. */
  withoutHashes: boolean;
  /** Gets the database once it is open, except a temporary one. */
  onOpened?: (service: Service) => void;
}

/**
 * Opens the configured database for a move from a shop, and calls `use`. A database without licenses adopts the shop's
 * secret as the key for hashing license keys, so that `hashed-…` addresses keep working.
 * @throws MoveRefused if the database cannot adopt the secret, or would have to be migrated in a dry run; and the errors of
 *   `openService`
 */
export async function withMoveTarget<T>(
  config: StoreConfig & Parameters<typeof setUpIfNew>[1],
  { hashKey }: Pick<Shop, 'hashKey'>,
  { dryRun, withoutHashes, onOpened }: Options,
  actor: Actor,
  use: (target: MoveTarget) => Promise<T>,
): Promise<T> {
  const engine = await engineOf(config);
  const isThere = await engine.exists();
  if (dryRun && isThere && (await engine.inspectUpgrade()).pending.length > 0) {
    throw new MoveRefused(
      'migrations_pending',
      'A dry run changes nothing, but this database must be migrated first: run "latchkey migrate", or start the server, which does the same. "latchkey upgrade-check" says what that changes.',
    );
  }
  const folder = dryRun && !isThere ? await mkdtemp(join(tmpdir(), 'latchkey-dry-run-')) : null;
  const settings = folder === null ? config : { ...config, dataDir: folder, databaseUrl: null };
  try {
    const opened = folder === null ? onOpened : undefined;
    const keepsHashes = await adoptHashKey(settings, hashKey, dryRun, actor, opened);
    if (!keepsHashes && !withoutHashes) {
      throw new MoveRefused(
        'hash_key_in_use',
        'This database already has licenses (deleted ones in the trash count), and hashes their keys with a different secret from the shop: programs that use hashed-… addresses of the shop would not find their licenses. Move into a new data directory, or give --without-hashes if no program uses such addresses.',
      );
    }
    const { service } = await openForCommand(settings, { mustExist: true });
    try {
      return await use({ service, keepsHashes });
    } finally {
      await service.close();
    }
  } finally {
    if (folder !== null) await rm(folder, { recursive: true });
  }
}

/**
 * Makes the database hash license keys with this key, if it has no licenses yet. Returns whether it hashes with this key;
 * in a dry run, whether it would.
 */
async function adoptHashKey(
  config: Parameters<typeof withMoveTarget>[0],
  hashKey: Uint8Array,
  dryRun: boolean,
  actor: Actor,
  onOpened?: (service: Service) => void,
): Promise<boolean> {
  const { prepared, service } = await openForCommand(config, { mustExist: false });
  try {
    await setUpIfNew(service, config);
    onOpened?.(service);
    const { masterKey, keys } = prepared;
    if (Buffer.compare(keys.data['license key hash'], hashKey) === 0) return true;
    if (dryRun) return await service.store.read.moves.hasNoLicenses();
    const adopting: KeyBundle = { ...keys, data: { ...keys.data, 'license key hash': hashKey } };
    // Seal the new keys for the master key, and for the sealing key, with which running processes open them.
    const openers = [masterKey, keys.sealing.key];
    const bundles = openers.map((key) => [fingerprintOf(key), sealBundle(adopting, keys.sealing, key)]);
    const adopted = await service.execute('adopt-hash-key', { bundles: Object.fromEntries(bundles) }, actor);
    // Wait until every running process has the new key, before anything is moved.
    if (adopted) await setTimeout(2 * REFRESH_MS);
    return adopted;
  } finally {
    await service.close();
  }
}
