import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, openSync, rmSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';

export const MIB = 1024 ** 2;
const GIB = 1024 ** 3;
/** With less free space, changes fail soon. */
export const FULL_BYTES = 100 * MIB;

/** The bytes on the disk of a folder: what this user may still write, and the size of the disk. */
export interface DiskSpace {
  free: number;
  total: number;
}

export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

export const sizeWords = (bytes: number): string =>
  bytes >= GIB ? `${(bytes / GIB).toFixed(1)} GiB` : `${Math.floor(bytes / MIB)} MiB`;

/** `full`: less than `FULL_BYTES` is free. `low`: less than 1 GiB, or less than a tenth, is free. */
export function diskStatus({ free, total }: DiskSpace): 'ok' | 'low' | 'full' {
  if (free < FULL_BYTES) return 'full';
  return free < GIB || free / total < 0.1 ? 'low' : 'ok';
}

/**
 * Returns an error code if no file can be created in a folder; null if one can be. Creates a file to find out: after a disk
 * error, a file system refuses changes although its permissions and mount options still allow them.
 */
export function writeFault(folder: string): string | null {
  try {
    ownerOfNewFiles(folder);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

/** Creates a file in a folder, and removes it. Returns the user id of its owner. @throws system errors */
export function ownerOfNewFiles(folder: string): number {
  // If a crash leaves the file behind, its name looks like that of an unfinished database.
  const file = join(folder, `latchkey.db.${randomBytes(6).toString('hex')}`);
  const opened = openSync(file, 'wx', 0o600);
  try {
    return fstatSync(opened).uid;
  } finally {
    closeSync(opened);
    rmSync(file);
  }
}
