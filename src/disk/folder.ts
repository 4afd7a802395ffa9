import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

// Windows cannot open folders, and does not need this.
const isNeeded = process.platform !== 'win32';

/** Syncs a folder to disk. Only then are its newly created, renamed or removed files durable. */
export async function syncFolder(folder: string): Promise<void> {
  if (!isNeeded) return;
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/** Like `syncFolder`, but synchronous. */
export function syncFolderNow(folder: string): void {
  if (!isNeeded) return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
