import { closeSync, fsyncSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';

// Windows opens no folders, and need not.
const isNeeded = process.platform !== 'win32';

/** What was made, renamed or removed in a folder is so for good only when the folder is on the disk: it is then. */
export async function syncFolder(folder: string): Promise<void> {
  if (!isNeeded) return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The same at once. */
export function syncFolderNow(folder: string): void {
  if (!isNeeded) return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
