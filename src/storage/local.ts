import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { syncFolder } from '../disk/folder.ts';
import { translated, translating } from './disk-errors.ts';
import { type ByteRange, type ByteStore, type Bytes, BytesMissing, STORAGE_KEY } from './storage.ts';

/**
 * Do not follow symbolic links. We never create one in place of a file, and a command that may read more than the owner of
 * the folder would show the target of the link. Windows does not have the flag.
 */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

/** Stores bytes as files of a folder on the file system of the incoming files. */
export function createLocalStore(folder: string): ByteStore {
  // Inside the folder: `artifacts.ts` lets only well-formed keys through.
  const pathOf = (key: string): string => resolve(folder, key);
  return {
    put: translating(async (key: string, file: string) => {
      const path = pathOf(key);
      const shard = dirname(path);
      // Do not create the folders above it: if they are gone, the disk may not be mounted.
      await mkdir(shard, { mode: 0o700 }).catch(unlessThere);
      await rename(file, path);
      await syncFolder(shard);
      // Sync even if the shard existed: the upload that created it may not have synced the folder yet.
      await syncFolder(folder);
    }),
    open: translating(async (key: string, range: ByteRange) => {
      // Open the file before the first read, so that a missing file is reported before the answer begins.
      const file = await open(pathOf(key), READ).catch(async (error: NodeJS.ErrnoException) => {
        const isLost =
          error.code === 'ELOOP' || (error.code === 'ENOENT' && (await stat(folder).catch(absent)) !== null);
        throw isLost ? new BytesMissing(`no file at ${pathOf(key)}`) : error;
      });
      return bytesOf(file, range);
    }),
    signedUrl: async () => null,
    size: translating(async (key: string) => {
      const found = await lstat(pathOf(key)).catch(absent);
      return found === null || found.isSymbolicLink() ? null : found.size;
    }),
    remove: translating(async (key: string) => {
      const path = pathOf(key);
      await rm(path, { force: true });
      // Sync: if the file came back after a power cut, nobody would remove it again.
      await syncFolder(dirname(path)).catch(absent);
    }),
    async *keys() {
      try {
        const shards = await opendir(folder).catch(absent);
        if (!shards) return;
        for await (const shard of shards) {
          if (!shard.isDirectory() || !SHARD.test(shard.name)) continue;
          for await (const { name } of await opendir(join(folder, shard.name))) {
            const key = `${shard.name}/${name}`;
            const found = STORAGE_KEY.test(key) && (await stat(pathOf(key)).catch(absent));
            if (found) yield { key, since: found.mtimeMs };
          }
        }
      } catch (error) {
        throw translated(error);
      }
    },
  };
}

/** The buffer size of a download, in bytes. */
const READ_BYTES = 64 * 1024;
/** The buffer size of the first `LARGE_READS` concurrent downloads, which halves their processor time. */
const LARGE_READ_BYTES = 256 * 1024;
const LARGE_READS = 64;
let largeReads = 0;

/** Reads into one buffer again and again: a new buffer for each chunk would pile up until it is collected. */
function bytesOf(file: FileHandle, { start, end }: ByteRange): Bytes {
  async function* read(): AsyncGenerator<Uint8Array> {
    const isLarge = largeReads < LARGE_READS;
    if (isLarge) largeReads++;
    try {
      const most = isLarge ? LARGE_READ_BYTES : READ_BYTES;
      const buffer = Buffer.allocUnsafeSlow(Math.min(most, end - start + 1));
      for (let at = start; at <= end; ) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, end - at + 1), at);
        if (bytesRead === 0) throw new BytesMissing('a file ends before it should');
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    } finally {
      if (isLarge) largeReads--;
      await file.close();
    }
  }
  return { [Symbol.asyncIterator]: read, destroy: () => void file.close().catch(() => {}) };
}

const SHARD = /^[0-9a-f]{2}$/;

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
