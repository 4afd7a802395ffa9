import { createHash } from 'node:crypto';
import type { Artifacts } from '../../storage/storage.ts';
import { CopyRefused, type CopyTarget, type Row, type Table } from '../../store/backups/copy.ts';
import type { Watched } from './back-up.ts';
import type { BackupFile } from './backup-format.ts';
import { type MoveReport, moveDatabase } from './move-database.ts';
import type { Backup } from './open-backup.ts';

export interface Restored extends MoveReport {
  /** Names of the migrations that brought an earlier schema up to date. */
  migrated: string[];
  /** Null where the backup was made without; those that were there already are among them. */
  files: { count: number; bytes: number } | null;
}

/** Sessions, and links that set a password: of those that have ended since, nothing here knows. */
const ENDED: readonly string[] = ['sessions', 'invitations'];

/**
 * Puts what is in a backup where nothing is. Files come first, so that no row ever refers to one that is not there; the rows
 * come in one transaction, are read back and compared. Where it fails, all that it has put is removed; a crash leaves files
 * that no release has, and a second try goes on with them.
 * @throws ArchiveDamaged, CopyRefused, StoreUnavailable, StorageUnavailable, or what the signal was aborted with
 */
export async function restoreBackup(
  { manifest, source, file: bytesOf }: Backup,
  target: CopyTarget,
  artifacts: Artifacts,
  { signal, onProgress }: Watched,
): Promise<Restored> {
  const files = (manifest.artifacts ?? []).filter((file) => file.in_use);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const put: string[] = [];
  let done = 0;
  async function* told(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      signal.throwIfAborted();
      done += chunk.length;
      onProgress('bytes of files', done, bytes);
      yield chunk;
    }
  }
  try {
    for (const file of files) {
      signal.throwIfAborted();
      if (await isThere(artifacts, file)) continue;
      const received = await artifacts.receive(told(bytesOf(file)), file.size);
      put.push(file.key);
      await artifacts.place({ ...received, key: file.key }).finally(() => artifacts.discard(received));
    }
    let migrated: string[] = [];
    const report = await moveDatabase(
      { ...source, rows: (table) => withoutEnded(table, source.rows(table)), close: async () => {} },
      {
        ...target,
        async commit() {
          migrated = await target.migrate();
          await target.commit();
        },
      },
      // There is no other way to what is in it, and either of the two keys opens that.
      { mayRotate: true, signal, onProgress: (rows, total) => onProgress('rows', rows, total) },
    );
    return { ...report, migrated, files: manifest.artifacts && { count: files.length, bytes } };
  } catch (error) {
    for (const key of put) await artifacts.remove(key).catch(() => {});
    throw error;
  }
}

/** All are read, so that damage is found there, too. */
async function* withoutEnded(
  { name }: Table,
  read: AsyncIterable<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of read) if (!ENDED.includes(name)) yield rows;
}

/** @throws CopyRefused where there is something else */
async function isThere(artifacts: Artifacts, { key, size, sha256 }: BackupFile): Promise<boolean> {
  const found = await artifacts.size(key);
  if (found === null) return false;
  const hash = createHash('sha256');
  if (found === size && size > 0)
    for await (const chunk of await artifacts.open(key, { start: 0, end: size - 1 })) hash.update(chunk);
  if (found === size && hash.digest('hex') === sha256) return true;
  throw new CopyRefused('target_not_empty', `the storage has another file of the name ${key}`);
}
