import { rmSync } from 'node:fs';
import { type CopyReport, moveDatabase } from '../app/backups/copy-database.ts';
import { stepOf, type Watched } from '../app/backups/rows.ts';
import { makeFolder } from '../disk/folder.ts';
import { CopyRefused, type CopyTarget } from '../store/backups/copy.ts';
import { makeMasterKey, masterKeyFile, readMasterKey } from '../store/keys/master-key.ts';
import { StoreDamaged, StoreUnavailable } from '../store/store.ts';
import { makeDataDirectory, refuseForeignDirectory } from './data-directory.ts';
import { engineOf } from './engines.ts';
import { type PreparedDatabase, prepareDatabase, type StoreConfig } from './service.ts';

/** The target of a move. */
export type Destination = { databaseUrl: string } | { dataDir: string };

export interface Moved extends CopyReport, Pick<PreparedDatabase, 'migrated' | 'directoryAccess'> {
  /** A description of the database, for messages; without passwords. */
  from: string;
  to: string;
  /** The master key file of the target, if it was created as a copy of the source's. */
  madeMasterKey: string | null;
}

/**
 * Migrates the configured database and copies it to an empty one. If it fails, nothing stays at the target.
 * @throws CopyRefused, OwnedByAnother, the abort reason of the signal, and the errors of `openService`
 */
export async function moveTo(config: StoreConfig, to: Destination, watched: Watched): Promise<Moved> {
  refuseForeignDirectory(config.dataDir);
  const { engine, masterKey, migrated, directoryAccess } = await prepareDatabase(config, { mustExist: true });
  const source = await engine.source();
  try {
    const settings = { ...config, databaseUrl: null, ...to };
    const { target, ...opened } = await openTarget(settings, 'dataDir' in to ? masterKey : null);
    try {
      const report = await moveDatabase(source, target, stepOf(watched));
      return { ...report, ...opened, from: engine.described, migrated, directoryAccess };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/**
 * Opens the configured database, which must be empty. Closing it without a commit removes everything that was created.
 * @param masterKey the key to write to the data directory, unless the settings contain it; null to leave the directory
 *   alone
 * @param migrations the names of the migrations to apply; null for all
 * @throws CopyRefused, OwnedByAnother
 */
export async function openTarget(
  config: StoreConfig,
  masterKey: Uint8Array | null,
  migrations: readonly string[] | null = null,
): Promise<{ target: CopyTarget; to: string; madeMasterKey: string | null }> {
  const engine = await engineOf(config);
  const folder = masterKey && prepareFolder(config.dataDir, masterKey, config.masterKey === null);
  /** Names the target if it cannot be used. */
  const fail = (error: Error): never => {
    if (!(error instanceof StoreUnavailable || error instanceof StoreDamaged)) throw error;
    const message = `${engine.described} cannot be used: ${error.message}`;
    throw new CopyRefused('target_unavailable', message, { cause: error });
  };
  let isCommitted = false;
  const undo = () => {
    if (!isCommitted) folder?.undo();
  };
  try {
    const target = await engine.target(migrations);
    return {
      to: engine.described,
      madeMasterKey: folder?.madeMasterKey ?? null,
      target: {
        ...target,
        insert: (...rows) => target.insert(...rows).catch(fail),
        async commit() {
          // If PostgreSQL does not answer, it may have committed: then not "nothing was moved".
          await (config.databaseUrl === null ? target.commit().catch(fail) : target.commit());
          isCommitted = true;
        },
        close: () => target.close().finally(undo),
      },
    };
  } catch (error) {
    undo();
    return fail(error as Error);
  }
}

/** @param keepsKey whether the master key belongs in a file of the data directory */
function prepareFolder(dataDir: string, masterKey: Uint8Array, keepsKey: boolean) {
  refuseForeignDirectory(dataDir);
  const own = readMasterKey(dataDir);
  const file = masterKeyFile(dataDir);
  if (own && !Buffer.from(own).equals(masterKey))
    throw new CopyRefused('target_not_empty', `it has its own master key in ${file}`);
  const made = makeFolder(dataDir);
  const madeMasterKey = own === null && keepsKey ? file : null;
  const undo = () => {
    if (made) rmSync(made, { recursive: true });
    else if (madeMasterKey) rmSync(file, { force: true });
  };
  try {
    makeDataDirectory(dataDir);
    if (madeMasterKey) makeMasterKey(dataDir, masterKey);
  } catch (error) {
    undo();
    throw error;
  }
  return { madeMasterKey, undo };
}
