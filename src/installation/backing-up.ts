import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isoTime, type MadeBackup, makeBackup } from '../app/backups/back-up.ts';
import type { Head } from '../app/backups/backup-format.ts';
import { headOf, openBackup } from '../app/backups/open-backup.ts';
import { metaOf, stepOf, type Watched } from '../app/backups/rows.ts';
import { type Opens, type Verified, verifyBackup } from '../app/backups/verify-backup.ts';
import { ArchiveDamaged, type FoundArchive, type NewArchive } from '../archive/archive.ts';
import { beginArchive, findArchives, newestArchive } from '../archive/folder.ts';
import { openTar } from '../archive/tar.ts';
import { VERSION } from '../config/version.ts';
import { CopyRefused, type Value } from '../store/backups/copy.ts';
import type { KeyBundle } from '../store/keys/key-bundle.ts';
import { createKeyring } from '../store/keys/keyring.ts';
import { MasterKeyUnreadable, readMasterKey, readMasterKeyFile } from '../store/keys/master-key.ts';
import { keysOf } from '../store/sql/keys/key-bundles.ts';
import { StoreDamaged, WrongMasterKey } from '../store/store.ts';
import { diskSpace, FULL_BYTES, sizeWords } from './disk-space.ts';
import { engineOf } from './engines.ts';
import { DatabaseMissing, openArtifacts, type StoreConfig } from './service.ts';

export { findArchives } from '../archive/folder.ts';

/** A backup that was just made. */
export interface Backed {
  file: string;
  /** A description of the database, for messages; without the password. */
  database: string;
  made: MadeBackup;
  /** Older backups that were removed. */
  removed: string[];
  seconds: number;
}

/**
 * Backs up the configured database and its release files. Needs no master key, because encrypted values stay encrypted.
 * @param to a file that ends in `.tar`, or a folder
 * @param keep how many backups of the same kind (with or without release files) to keep in the folder, including this one;
 *   null to keep all
 * @throws DatabaseMissing, CopyRefused if the disk is too small, and the errors of `beginArchive` and `makeBackup`
 */
export async function backUpTo(
  config: StoreConfig,
  to: string,
  { keep, withFiles }: { keep: number | null; withFiles: boolean },
  watched: Watched,
): Promise<Backed> {
  const [at, started] = [Date.now(), performance.now()];
  const engine = await engineOf(config);
  if (!(await engine.exists())) throw new DatabaseMissing(engine.advice);
  const files = await openArtifacts(config);
  try {
    const archive = leavingSpace(await beginArchive(to, at, withFiles));
    const from = {
      engine: engine.kind,
      latchkey: VERSION,
      at,
      clock: Date.now,
      openSource: () => engine.source(),
      files: withFiles ? files : null,
    };
    const made = await makeBackup(from, archive, watched).finally(archive.close);
    const removed = keep === null ? [] : await outdated(archive.path, at, withFiles, keep);
    for (const path of removed) rmSync(path);
    const seconds = (performance.now() - started) / 1000;
    return { file: archive.path, database: engine.described, made, removed, seconds };
  } finally {
    await files.close();
  }
}

/** Refuses entries that would leave less than `FULL_BYTES` on the disk, which may be the disk of the database. */
function leavingSpace(archive: NewArchive): NewArchive {
  const folder = dirname(archive.path);
  return {
    ...archive,
    async add(name, size, bytes) {
      const { free, total } = await diskSpace(folder);
      // Some network file systems do not know their size: `total` is 0.
      if (total === 0 || free >= size + FULL_BYTES) return archive.add(name, size, bytes);
      throw new CopyRefused(
        'space_missing',
        `the backup would leave less than ${sizeWords(FULL_BYTES)} on the disk of ${folder}, which has ${sizeWords(free)} left. Remove old backups and lower LATCHKEY_BACKUP_KEEP (or --keep), or use another disk`,
      );
    },
  };
}

/**
 * Returns the backups to remove after a new one. Files that are no backups stay. Backups dated in the future stay too, and
 * do not count: a wrong clock named them, and they must not displace others.
 */
async function outdated(made: string, at: number, withFiles: boolean, keep: number): Promise<string[]> {
  const older = findArchives(dirname(made)).filter(
    ({ path, when, hasFiles }) => hasFiles === withFiles && path !== made && when <= at,
  );
  const whole = (await readHeads(older)).filter(({ head }) => head !== null);
  return whole.slice(keep - 1).map(({ path }) => path);
}

export type FoundBackup = FoundArchive & { begunAt: string } & (
    | { head: Head; problem: null }
    | { head: null; problem: string }
  );

/** Returns the newest backup in the folder, as `newestArchive` finds it; null if there is none. */
export async function newestBackup(folder: string): Promise<FoundBackup | null> {
  const found = newestArchive(folder, Date.now());
  const [backup = null] = found ? await readHeads([found]) : [];
  return backup;
}

/** Reads the first entry of each archive. Archives that cannot be read have a `problem` instead. */
export async function readHeads(found: readonly FoundArchive[]): Promise<FoundBackup[]> {
  const backups: FoundBackup[] = [];
  for (const one of found) {
    try {
      const archive = await openTar(one.path);
      const head = await headOf(archive).finally(archive.close);
      backups.push({ ...one, begunAt: head.begun_at, head, problem: null });
    } catch (error) {
      const { message } = error as Error;
      backups.push({ ...one, begunAt: isoTime(one.when), head: null, problem: message });
    }
  }
  return backups;
}

/**
 * Returns the master key from the file or, without a file, from the settings or the data directory; null if there is none.
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

export interface CheckedBackup {
  /** Null when the backup cannot be read at all. */
  head: Head | null;
  verified: Verified | null;
  problems: string[];
  /** Why no license key was decrypted to check it; null if the keys were checked. */
  keysNotOpened: string | null;
}

/**
 * Verifies a backup.
 * @param keyFile a file with the backup's master key; null to use the configured master key, if there is one
 */
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
      const meta = await metaOf(source).catch(() => null);
      const opens = meta && masterKey && opensOf(meta, masterKey);
      const verified = await verifyBackup(backup, stepOf(watched), opens);
      const isWrong = meta !== null && masterKey !== null && !opens;
      const wrong =
        isWrong && keyFile ? [`${keyFile} is not the master key that the backup was made with`] : [];
      let keysNotOpened: string | null = null;
      if (masterKey === null) keysNotOpened = 'no master key is available';
      else if (meta === null) keysNotOpened = 'the table meta cannot be read';
      else if (isWrong) keysNotOpened = 'the available master key is a different one';
      return { head, verified, problems: [...verified.problems, ...wrong], keysNotOpened };
    } finally {
      await archive.close();
    }
  } catch (error) {
    if (!(error instanceof ArchiveDamaged)) throw error;
    return {
      head: null,
      verified: null,
      problems: [error.message],
      keysNotOpened: 'the backup is damaged',
    };
  }
}

/**
 * Returns functions that check the encrypted values of a backup; null if it has another master key, or names none.
 * @throws ArchiveDamaged
 */
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
  /** Whether a sealed text opens, and has this index. @param indexesOf returns the possible indexes of the text */
  const opens = (sealed: Value, index: Value, indexesOf: (text: string) => (Buffer | string)[]) => {
    try {
      const bytes = Buffer.from(index as Uint8Array);
      const text = keyring.open(sealed as Uint8Array, bytes);
      return indexesOf(text).some((one) => Buffer.from(one as Uint8Array).equals(bytes));
    } catch {
      return false;
    }
  };
  return {
    licenses: (row) =>
      opens(row.sealed_key as Value, row.key_hash as Value, (key) => {
        const hash = keyring.hash(key);
        return [hash, keyring.keyIndex(hash)];
      }),
    // In a backup of an earlier version, tokens are not encrypted.
    activations: ({ sealed_token: sealed = null, token }) =>
      sealed === null || opens(sealed, token as Value, (opened) => [keyring.tokenIndex(opened)]),
  };
}
