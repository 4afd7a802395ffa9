import { openPrepared, prepareDatabase, type Service, type StoreConfig } from './service.ts';

/** The configured database, and the key that hashes its license keys. */
interface MoveSource {
  service: Service;
  hashKey: Uint8Array;
}

/** Opens the configured database for a move back to a shop. @throws the errors of `openService` */
export async function openMoveSource(config: StoreConfig): Promise<MoveSource> {
  const prepared = await prepareDatabase(config, { mustExist: true });
  return { service: await openPrepared(prepared, config), hashKey: prepared.keys.data['license key hash'] };
}
