import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Watched } from '../app/backups/back-up.ts';
import { type MadeBackup, makeBackup, outdated } from '../app/backups/make-backup.ts';
import { ArchiveDamaged } from '../archive/archive.ts';
import { beginArchive, findArchives } from '../archive/folder.ts';
import { openTar } from '../archive/tar.ts';
import { VERSION } from '../config/version.ts';
import type { Artifacts } from '../storage/storage.ts';
import { CopyRefused, type CopySource, type CopyTarget, type Row } from '../store/backups/copy.ts';
import { fingerprintOf, type KeyBundle } from '../store/keys/key-bundle.ts';
import { createKeyring } from '../store/keys/keyring.ts';
import {
  MasterKeyUnreadable,
  masterKeyFile,
  readMasterKey,
  readMasterKeyFile,
} from '../store/keys/master-key.ts';
import { keysOf } from '../store/sql/keys/key-bundles.ts';
import { StoreDamaged, WrongMasterKey } from '../store/store.ts';
import { engineOf } from './engines.ts';
import { openFolder, openTarget } from './moving.ts';
import { DatabaseMissing, openArtifacts, type StoreConfig } from './service.ts';

export { findArchives } from '../archive/folder.ts';
export { openTar as openArchive } from '../archive/tar.ts';

/** What is backed up: the database of the settings as it is, and the files of its releases. */
export interface BackupSource {
  engine: 'sqlite' | 'postgres';
  /** For messages; without a password. */
  database: string;
  openSource(): Promise<CopySource>;
  files: Artifacts;
  close(): Promise<void>;
}

/** What a backup needs of the place that it is restored to. */
export interface Needed {
  /** Names of those that its tables have. */
  migrations: readonly string[];
  /** Fingerprints of the master keys that open it, any of which will do. */
  masterKeys: readonly string[];
  /** A file with such a key, to be copied there; null where it is there already. */
  masterKeyFile: string | null;
}

/** The place that a backup is restored to: the empty database of the settings, and their storage. */
export interface OpenRestore {
  target: CopyTarget;
  artifacts: Artifacts;
  /** For messages; without a password. */
  to: string;
  /** The master key file, where it was made as a copy of the one that was named. */
  madeMasterKey: string | null;
  /** Lets go of all; what was made for a target that was not committed goes, too. */
  close(): Promise<void>;
}

/** It changes nothing, and needs no master key: what it reads stays encrypted. */
export async function openBackedUp(config: StoreConfig): Promise<BackupSource> {
  const engine = await engineOf(config);
  if (!(await engine.exists())) throw new DatabaseMissing(engine.advice);
  const files = await openArtifacts(config);
  return {
    engine: engine.kind,
    database: engine.described,
    openSource: () => engine.source(),
    files,
    close: () => files.close(),
  };
}

/** A backup that was made, and what was removed for it. */
export interface Backed {
  /** Its path. */
  file: string;
  /** What was backed up, for messages; without a password. */
  database: string;
  made: MadeBackup;
  /** Paths of older backups. */
  removed: string[];
  seconds: number;
}

/**
 * Backs up what the settings name. The backup gets its name only after it was read back.
 * @param to a file that ends in `.tar`, or a folder, for a file that is named by the time
 * @param keep backups of the folder that stay, this one included; null for all
 * @throws DatabaseMissing, and what `makeBackup` throws
 */
export async function backUpTo(
  config: StoreConfig,
  to: string,
  { keep, withFiles }: { keep: number | null; withFiles: boolean },
  watched: Watched,
): Promise<Backed> {
  const at = Date.now();
  const started = performance.now();
  const { engine, database, openSource, files, close } = await openBackedUp(config);
  try {
    const archive = await beginArchive(to, at);
    const from = { openSource, files: withFiles ? files : null, clock: Date.now };
    const made = await makeBackup(from, archive, { latchkey: VERSION, engine, at }, watched).finally(
      archive.close,
    );
    const removed = keep === null ? [] : await removeOutdated(archive.path, at, keep);
    return { file: archive.path, database, made, removed, seconds: (performance.now() - started) / 1000 };
  } finally {
    await close();
  }
}

async function removeOutdated(made: string, at: number, keep: number): Promise<string[]> {
  const removed = await outdated(findArchives(dirname(made)), { made, at }, keep, openTar);
  for (const path of removed) rmSync(path);
  return removed;
}

/**
 * The master key in a file, of the settings, or in the data directory; null where there is none.
 * @throws MasterKeyUnreadable
 */
export function findMasterKey(
  { masterKey, dataDir }: Pick<StoreConfig, 'masterKey' | 'dataDir'>,
  file: string | null,
): Uint8Array | null {
  if (file === null) return masterKey ?? readMasterKey(dataDir);
  const found = readMasterKeyFile(file);
  if (!found) throw new MasterKeyUnreadable(`there is no file ${file}`);
  return found;
}

/**
 * Tells of rows of licenses whether each opens; null where the key is none that opens them.
 * @param meta what the database of the backup says of its keys, by name
 * @throws ArchiveDamaged
 */
export function keyOpener(
  masterKey: Uint8Array,
  meta: ReadonlyMap<string, string>,
): ((rows: readonly Row[]) => boolean[]) | null {
  const keys = keysIn(meta, masterKey);
  if (!keys) return null;
  const keyring = createKeyring(keys);
  const opens = ({ sealed_key: sealed, key_hash: hash }: Row): boolean => {
    try {
      return keyring.hash(keyring.open(sealed as Uint8Array, hash as Uint8Array)).equals(hash as Uint8Array);
    } catch {
      return false;
    }
  };
  return (rows) => rows.map(opens);
}

/** What a master key opens of a backup; null where it is none of its own. */
function keysIn(meta: ReadonlyMap<string, string>, masterKey: Uint8Array): KeyBundle | null {
  try {
    return keysOf(meta, masterKey);
  } catch (error) {
    if (error instanceof WrongMasterKey) return null;
    throw error instanceof StoreDamaged ? new ArchiveDamaged(error.message, { cause: error }) : error;
  }
}

/**
 * Opens the place to restore to. Checks the master key before it changes anything.
 * @throws CopyRefused
 */
export async function openRestore(config: StoreConfig, needed: Needed): Promise<OpenRestore> {
  const masterKey = rightMasterKey(config, needed);
  const artifactsFolder = join(config.dataDir, 'artifacts');
  const hadArtifacts = existsSync(artifactsFolder);
  const folder = openFolder(config.dataDir, masterKey, config.masterKey === null);
  const undo = () => {
    folder.undo();
    if (!hadArtifacts) rmSync(artifactsFolder, { recursive: true, force: true });
  };
  try {
    const { target, name } = await openTarget(config, needed.migrations);
    const artifacts = await openArtifacts(config).catch(async (error) => {
      await target.close();
      throw error;
    });
    let committed = false;
    return {
      target: {
        ...target,
        async commit() {
          await target.commit();
          committed = true;
        },
      },
      artifacts,
      to: name,
      madeMasterKey: folder.madeMasterKey,
      async close() {
        await artifacts.close();
        await target.close();
        if (!committed) undo();
      },
    };
  } catch (error) {
    undo();
    throw error;
  }
}

function rightMasterKey(config: StoreConfig, { masterKeys, masterKeyFile: file }: Needed): Uint8Array {
  const masterKey = findMasterKey(config, file);
  const own = masterKeyFile(config.dataDir);
  if (!masterKey) {
    throw new CopyRefused(
      'master_key_missing',
      `the master key that the backup was made with is needed, and there is none: put it into ${own}, set LATCHKEY_MASTER_KEY, or name a copy of it with --master-key-file`,
    );
  }
  const where = file ?? (config.masterKey ? 'LATCHKEY_MASTER_KEY' : own);
  if (file && config.masterKey && !Buffer.from(masterKey).equals(config.masterKey))
    throw new CopyRefused('master_key_differs', `${file} and LATCHKEY_MASTER_KEY hold different master keys`);
  if (masterKeys.length > 0 && !masterKeys.includes(fingerprintOf(masterKey))) {
    throw new CopyRefused(
      'master_key_differs',
      `${where} is not the master key that the backup was made with: with it no license could be read`,
    );
  }
  return masterKey;
}
