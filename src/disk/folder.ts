import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

// Windows cannot open folders, and does not need this.
const isNeeded = process.platform !== 'win32';

/** Writes a folder to the disk. Only then is a file durable that was created, renamed or removed in it. */
export async function syncFolder(folder: string): Promise<void> {
  if (!isNeeded) return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** The same, synchronously. */
export function syncFolderNow(folder: string): void {
  if (!isNeeded) return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
