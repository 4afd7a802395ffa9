import { openPrepared, prepareDatabase, type Service, type StoreConfig } from './service.ts';

/** The database of the settings, and the key that its license keys are hashed with. */
interface MoveSource {
  service: Service;
  hashKey: Uint8Array;
}

/** Opens the database of the settings for a move back to a shop. @throws what opening a service throws */
export async function openMoveSource(config: StoreConfig): Promise<MoveSource> {
  const prepared = await prepareDatabase(config, { mustExist: true });
  return { service: await openPrepared(prepared, config), hashKey: prepared.keys.data['license key hash'] };
}
