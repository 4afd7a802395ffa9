import { statfs } from 'node:fs/promises';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Bytes on the disk of a folder: those that this user may still write, and all. */
export interface DiskSpace {
  free: number;
  total: number;
}

export async function diskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** `full`: changes fail soon. `low`: less than 1 GiB, or less than a tenth, is free. */
export function diskStatus({ free, total }: DiskSpace): 'ok' | 'low' | 'full' {
  if (free < 100 * MIB) return 'full';
  return free < GIB || free / total < 0.1 ? 'low' : 'ok';
}
