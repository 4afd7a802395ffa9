import { rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type MadeBackup, makeBackup } from '../app/backups/back-up.ts';
import type { Head } from '../app/backups/backup-format.ts';
import { headOf, openBackup } from '../app/backups/open-backup.ts';
import { metaOf, stepOf, type Watched } from '../app/backups/rows.ts';
import { type Opens, type Verified, verifyBackup } from '../app/backups/verify-backup.ts';
import { ArchiveDamaged, type FoundArchive } from '../archive/archive.ts';
import { beginArchive, findArchives } from '../archive/folder.ts';
import { openTar } from '../archive/tar.ts';
import type { Config } from '../config/config.ts';
import { VERSION } from '../config/version.ts';
import type { KeyBundle } from '../store/keys/key-bundle.ts';
import { createKeyring } from '../store/keys/keyring.ts';
import { MasterKeyUnreadable, readMasterKey, readMasterKeyFile } from '../store/keys/master-key.ts';
import { keysOf } from '../store/sql/keys/key-bundles.ts';
import { StoreDamaged, WrongMasterKey } from '../store/store.ts';
import { engineOf } from './engines.ts';
import { DatabaseMissing, openArtifacts, type StoreConfig } from './service.ts';

/** Where backups are, unless a command names another place. */
export const backupFolder = ({ backupDir, dataDir }: Pick<Config, 'backupDir' | 'dataDir'>): string =>
  resolve(backupDir ?? join(dataDir, 'backups'));

export interface NewBackup extends MadeBackup {
  file: string;
  /** For messages; without a password. */
  database: string;
  /** Older backups that were removed. */
  removed: string[];
}

/**
 * Backs up the database and the files of its releases. Needs no master key: what is encrypted stays so.
 * @param options.to a file that ends in `.tar`, or a folder
 * @param options.keep how many backups of the folder to keep, this one included; null to keep all
 * @throws DatabaseMissing, and what `beginArchive` and `makeBackup` throw
 */
export async function createBackup(
  config: StoreConfig,
  { to, keep, withoutFiles = false }: { to: string; keep: number | null; withoutFiles?: boolean },
  watched: Watched,
): Promise<NewBackup> {
  const engine = await engineOf(config);
  if (!(await engine.exists())) throw new DatabaseMissing(engine.advice);
  const at = Date.now();
  const files = await openArtifacts(config);
  const archive = await beginArchive(to, at).catch(async (error) => {
    await files.close();
    throw error;
  });
  try {
    const made = await makeBackup(
      {
        ...{ engine: engine.kind, latchkey: VERSION, at, clock: Date.now },
        openSource: () => engine.source(),
        files: withoutFiles ? null : files,
      },
      archive,
      watched,
    );
    const removed = keep === null ? [] : await outdated(archive.path, at, keep);
    for (const path of removed) rmSync(path);
    return { ...made, file: archive.path, database: engine.described, removed };
  } finally {
    await archive.close();
    await files.close();
  }
}

/**
 * The backups to remove after a new one. Files that are no backup stay, and so do those of the future: a wrong clock
 * named them, and they must not take the places of others.
 */
async function outdated(made: string, at: number, keep: number): Promise<string[]> {
  const others = await lookAt(
    findArchives(dirname(made)).filter(({ path, when }) => path !== made && when <= at),
  );
  return others
    .filter(({ head }) => head !== null)
    .slice(keep - 1)
    .map(({ path }) => path);
}

/** What the first entry of an archive says, or why it cannot be read. */
export type ListedBackup = FoundArchive & ({ head: Head; problem: null } | { head: null; problem: string });

/** The backups of a folder, newest first. @param most how many to look at */
export const listBackups = (folder: string, most = Number.POSITIVE_INFINITY): Promise<ListedBackup[]> =>
  lookAt(findArchives(folder).slice(0, most));

async function lookAt(found: readonly FoundArchive[]): Promise<ListedBackup[]> {
  const listed: ListedBackup[] = [];
  for (const one of found) {
    try {
      const archive = await openTar(one.path);
      listed.push({ ...one, head: await headOf(archive).finally(archive.close), problem: null });
    } catch (error) {
      listed.push({ ...one, head: null, problem: (error as Error).message });
    }
  }
  return listed;
}

/** @throws MasterKeyUnreadable */
export function findMasterKey(
  { masterKey, dataDir }: Pick<StoreConfig, 'masterKey' | 'dataDir'>,
  file: string | null,
): Uint8Array | null {
  if (file === null) return masterKey ?? readMasterKey(dataDir);
  const found = readMasterKeyFile(file);
  if (!found) throw new MasterKeyUnreadable(`there is no file ${file}`);
  return found;
}

export interface CheckedBackup {
  /** Null when the backup cannot be read at all. */
  head: Head | null;
  verified: Verified | null;
  problems: string[];
  /** Why no license key was opened; null when they were. */
  keysNotOpened: string | null;
}

/** Verifies a backup. @param keyFile a master key, which must be that of the backup; null for the one at hand, if any */
export async function checkBackup(
  config: Pick<StoreConfig, 'masterKey' | 'dataDir'>,
  file: string,
  keyFile: string | null,
  watched: Watched,
): Promise<CheckedBackup> {
  const masterKey = findMasterKey(config, keyFile);
  try {
    const archive = await openTar(file);
    try {
      const backup = await openBackup(archive);
      const { head, source } = backup;
      // Verifying reports a table that cannot be read.
      const meta = await metaOf(source).catch(() => new Map<string, string>());
      const opens = masterKey && opensOf(meta, masterKey);
      const verified = await verifyBackup(backup, stepOf(watched), opens);
      const isWrong = masterKey !== null && !opens;
      const wrong = isWrong && keyFile ? [`${keyFile} is not the master key that it was made with`] : [];
      const absence = isWrong ? 'the master key at hand is another one' : 'there is no master key at hand';
      return {
        ...{ head, verified, problems: [...verified.problems, ...wrong] },
        keysNotOpened: opens ? null : absence,
      };
    } finally {
      await archive.close();
    }
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    return {
      ...{ head: null, verified: null, problems: [error.message] },
      keysNotOpened: 'the backup is damaged',
    };
  }
}

/** Opens license keys of a backup; null when the master key is another. @throws ArchiveDamaged */
function opensOf(meta: ReadonlyMap<string, string>, masterKey: Uint8Array): Opens | null {
  let keys: KeyBundle | null;
  try {
    keys = keysOf(meta, masterKey);
  } catch (error) {
    if (error instanceof WrongMasterKey) return null;
    throw error instanceof StoreDamaged ? new ArchiveDamaged(error.message, { cause: error }) : error;
  }
  if (!keys) return null;
  const keyring = createKeyring(keys);
  return ({ sealed_key: sealed, key_hash: hash }) => {
    try {
      return keyring.hash(keyring.open(sealed as Uint8Array)).equals(hash as Uint8Array);
    } catch {
      return false;
    }
  };
}
