import { createHash } from 'node:crypto';
import type { Artifacts } from '../../storage/storage.ts';
import { CopyRefused, type CopyTarget } from '../../store/backups/copy.ts';
import type { BackupFile } from './backup-format.ts';
import { type CopyReport, copyDatabase, isRotating } from './copy-database.ts';
import type { Backup } from './open-backup.ts';
import { type Step, stepOf, type Watched } from './rows.ts';

export interface Restored extends CopyReport {
  /** Names of the migrations that brought an older schema up to date. */
  migrated: string[];
  /** Null if the backup was made without files. */
  files: { count: number; bytes: number } | null;
  /** Whether the master key was being rotated when the backup was made. */
  isRotating: boolean;
}

/** Tables restored empty: the backup cannot tell which sessions and links have ended since. */
const ENDED: readonly string[] = ['sessions', 'invitations'];

/**
 * Restores a backup into an empty database and storage: first the files, so that no row refers to a missing file, then the
 * rows. A failed restore removes the files it has stored. A crash leaves them, and the next restore accepts them.
 * @throws ArchiveDamaged, CopyRefused, StoreUnavailable, StorageUnavailable, and the reason of the signal
 */
export async function restoreBackup(
  backup: Backup,
  target: CopyTarget,
  artifacts: Artifacts,
  watched: Watched,
): Promise<Restored> {
  const { manifest, source } = backup;
  const step = stepOf(watched);
  const files = (manifest.artifacts ?? []).filter((file) => file.in_use);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const wasRotating = await isRotating(source);
  const put: string[] = [];
  try {
    for (const file of files) {
      if (await isThere(artifacts, file)) continue;
      const received = await artifacts.receive(bytesOf(backup, file, step), file.size);
      put.push(file.key);
      await artifacts.place({ ...received, key: file.key }).finally(() => artifacts.discard(received));
    }
    let migrated: string[] = [];
    const report = await copyDatabase(
      {
        ...source,
        async *rows(table) {
          // Read the rows of ended tables too, to find damage.
          for await (const rows of source.rows(table)) if (!ENDED.includes(table.name)) yield rows;
        },
      },
      {
        ...target,
        async commit() {
          migrated = await target.migrate();
          await target.commit();
        },
      },
      step,
    );
    return {
      ...report,
      migrated,
      isRotating: wasRotating,
      files: manifest.artifacts && { count: files.length, bytes },
    };
  } catch (error) {
    for (const key of put) await artifacts.remove(key).catch(() => {});
    throw error;
  }
}

async function* bytesOf(backup: Backup, file: BackupFile, step: Step): AsyncGenerator<Uint8Array> {
  for await (const chunk of backup.file(file)) {
    await step('bytes of files', chunk.length);
    yield chunk;
  }
}

/** Whether the storage already has the file. @throws CopyRefused if the storage has different content under the key */
async function isThere(artifacts: Artifacts, { key, size, sha256 }: BackupFile): Promise<boolean> {
  const found = await artifacts.size(key);
  if (found === null) return false;
  const hash = createHash('sha256');
  if (found === size && size > 0)
    for await (const chunk of await artifacts.open(key, { start: 0, end: size - 1 })) hash.update(chunk);
  if (found === size && hash.digest('hex') === sha256) return true;
  throw new CopyRefused('target_not_empty', `the storage has a different file named ${key}`);
}
