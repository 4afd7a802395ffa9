import { statfsSync } from 'node:fs';
import type { Head, Manifest } from '../app/backups/backup-format.ts';
import { openBackup } from '../app/backups/open-backup.ts';
import { type Restored, restoreBackup } from '../app/backups/restore-backup.ts';
import type { Watched } from '../app/backups/rows.ts';
import { openTar } from '../archive/tar.ts';
import { CopyRefused } from '../store/backups/copy.ts';
import { fingerprintOf } from '../store/keys/key-bundle.ts';
import { masterKeyFile } from '../store/keys/master-key.ts';
import { findMasterKey } from './backing-up.ts';
import { openTarget } from './moving.ts';
import { openArtifacts, type StoreConfig } from './service.ts';

export interface RestoredBackup extends Restored {
  head: Head;
  manifest: Manifest;
  /** A description of the database, for messages; without the password. */
  to: string;
  /** The master key file, if it was created as a copy of `keyFile`. */
  madeMasterKey: string | null;
}

/**
 * Restores a backup to the configured database, which must be empty, and to the configured storage. Checks the master key
 * before it changes anything. If it fails, nothing stays.
 * @param keyFile the master key file to copy into the data directory; null if the key is already there or in the settings
 * @throws CopyRefused, OwnedByAnother, MasterKeyUnreadable, and the errors of `restoreBackup`
 */
export async function restoreFile(
  config: StoreConfig,
  file: string,
  keyFile: string | null,
  watched: Watched,
): Promise<RestoredBackup> {
  const archive = await openTar(file);
  try {
    const backup = await openBackup(archive);
    const { head, manifest } = backup;
    const masterKey = rightMasterKey(config, keyFile, manifest.master_keys);
    const { target, to, madeMasterKey } = await openTarget(config, masterKey, manifest.migrations);
    try {
      const artifacts = await openArtifacts(config);
      const guarded = config.databaseUrl === null ? keepingRoom(config.dataDir, watched) : watched;
      const restored = await restoreBackup(backup, target, artifacts, guarded).finally(artifacts.close);
      return { ...restored, head, manifest, to, madeMasterKey };
    } finally {
      await target.close();
    }
  } finally {
    await archive.close();
  }
}

/**
 * Stops once the rows take half of the free space, because SQLite writes them to its log first, and then again to its file.
 * The rows of a crafted backup can take a thousand times the size of the backup, and would fill the disk.
 */
function keepingRoom(dataDir: string, watched: Watched): Watched {
  const free = () => {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize;
  };
  let before: number | null = null;
  return {
    ...watched,
    onProgress(what, amount) {
      watched.onProgress(what, amount);
      if (what !== 'rows') return;
      before ??= free();
      if (free() >= before / 2) return;
      const message = `its rows need more space than the ${before} bytes that were free in ${dataDir}`;
      throw new CopyRefused('space_missing', message);
    },
  };
}

/**
 * Returns the master key that opens the backup.
 * @param fingerprints the master keys that open the backup; none if no master key has been used yet
 */
function rightMasterKey(
  config: StoreConfig,
  file: string | null,
  fingerprints: readonly string[],
): Uint8Array {
  const masterKey = findMasterKey(config, file);
  const own = masterKeyFile(config.dataDir);
  if (!masterKey) {
    throw new CopyRefused(
      'master_key_missing',
      `there is no master key. Put the one that the backup was made with into ${own}, set LATCHKEY_MASTER_KEY to it, or name the file with --master-key-file`,
    );
  }
  if (file && config.masterKey && !Buffer.from(masterKey).equals(config.masterKey))
    throw new CopyRefused('master_key_differs', `${file} and LATCHKEY_MASTER_KEY hold different master keys`);
  if (fingerprints.length > 0 && !fingerprints.includes(fingerprintOf(masterKey))) {
    const where = file ?? (config.masterKey ? 'LATCHKEY_MASTER_KEY' : own);
    const message = `${where} is not the master key that the backup was made with: it opens no license key of it`;
    throw new CopyRefused('master_key_differs', message);
  }
  return masterKey;
}
