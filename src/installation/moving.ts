import { mkdirSync, rmSync } from 'node:fs';
import { CopyRefused, type CopySource, type CopyTarget } from '../store/backups/copy.ts';
import { makeMasterKey, masterKeyFile, readMasterKey } from '../store/keys/master-key.ts';
import { StoreDamaged, StoreUnavailable } from '../store/store.ts';
import { engineOf } from './engines.ts';
import { prepareDatabase, type StoreConfig } from './service.ts';

/** Where a move goes to: a PostgreSQL database, or a data directory. */
export type Destination = { databaseUrl: string } | { dataDir: string };

/** Both sides of a move. */
export interface OpenMove {
  source: CopySource;
  target: CopyTarget;
  /** For messages; without passwords. */
  from: string;
  to: string;
  /** Names of the migrations that the source lacked and now has. */
  migrated: string[];
  /** The master key file of the target, where it was made as a copy of the source's. */
  madeMasterKey: string | null;
  /** Lets go of both; what was made for a target that was not committed goes, too. */
  close(): Promise<void>;
}

/**
 * Opens the database of the settings, brought up to date, and an empty one to copy it to.
 * @throws CopyRefused, and what opening a service throws
 */
export async function openMove(config: StoreConfig, to: Destination): Promise<OpenMove> {
  const prepared = await prepareDatabase(config, { mustExist: true });
  const source = await prepared.engine.source();
  try {
    const there = 'dataDir' in to ? { ...config, ...to, databaseUrl: null } : { ...config, ...to };
    const folder =
      'dataDir' in to ? openFolder(to.dataDir, prepared.masterKey, config.masterKey === null) : null;
    const { target, name } = await openTarget(there).catch((error) => {
      folder?.undo();
      throw error;
    });
    let committed = false;
    return {
      source,
      target: {
        ...target,
        async commit() {
          await target.commit();
          committed = true;
        },
      },
      from: prepared.engine.described,
      to: name,
      migrated: prepared.migrated,
      madeMasterKey: folder?.madeMasterKey ?? null,
      async close() {
        await source.close();
        await target.close();
        if (!committed) folder?.undo();
      },
    };
  } catch (error) {
    await source.close();
    throw error;
  }
}

/**
 * @param migrations names of those that its tables are to have; null for all
 * @throws CopyRefused
 */
export async function openTarget(
  config: StoreConfig,
  migrations: readonly string[] | null = null,
): Promise<{ target: CopyTarget; name: string }> {
  const engine = await engineOf(config);
  try {
    return { target: await engine.target(migrations), name: engine.described };
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof StoreDamaged)) throw error;
    const message = `${engine.described} cannot be used: ${error.message}`;
    throw new CopyRefused('target_unavailable', message, { cause: error });
  }
}

/**
 * Makes a data directory ready for a copy: a database without its master key is worth nothing.
 * @param keepsKey whether the key rests in a file; a key of the environment is kept out of files
 */
export function openFolder(
  dataDir: string,
  masterKey: Uint8Array,
  keepsKey: boolean,
): { madeMasterKey: string | null; undo(): void } {
  const own = readMasterKey(dataDir);
  const file = masterKeyFile(dataDir);
  if (own && !Buffer.from(own).equals(masterKey)) {
    throw new CopyRefused('target_not_empty', `it has a master key of its own in ${file}`);
  }
  const made = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const isCopied = own === null && keepsKey;
  if (isCopied) makeMasterKey(dataDir, masterKey);
  return {
    madeMasterKey: isCopied ? file : null,
    undo() {
      if (made) rmSync(made, { recursive: true });
      else if (isCopied) rmSync(file);
    },
  };
}
