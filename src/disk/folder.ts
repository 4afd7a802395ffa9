import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

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

/**
 * Makes a folder, and those above it, for this user only. `mkdirSync` with `recursive` would never return from a place that
 * exists and takes no folders: a working folder that was deleted, or /proc.
 * @returns the topmost folder that was made; undefined if the folder exists
 */
export function makeFolder(folder: string): string | undefined {
  const path = resolve(folder);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const above = dirname(path);
  const made = above === path ? undefined : makeFolder(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
    return made;
  }
  return made ?? path;
}
