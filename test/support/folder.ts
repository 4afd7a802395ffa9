import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLeaks, searchFolder } from './leaks.ts';

/** Folders of the test file that runs now, and those that later files of this process use, too. */
let folders: string[] = [];
const sharedFolders: string[] = [];

/** A folder that is searched for secrets in clear and removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = makeFolder();
  folders.push(folder);
  return folder;
}

/** The same, removed when the process ends: for what several test files share. */
export function sharedFolder(): string {
  const folder = makeFolder();
  sharedFolders.push(folder);
  return folder;
}

const makeFolder = () => mkdtempSync(join(tmpdir(), 'latchkey-'));

/**
 * Searches the folders of the test file for secrets in clear, and removes them.
 * @throws Error that names what was found there, or earlier in a log
 */
export function closeFolders(): void {
  const closed = folders;
  folders = [];
  for (const folder of closed) closeFolder(folder);
  const found = findLeaks();
  if (found.length > 0)
    throw new Error(`${found.length} secrets in clear:\n${found.slice(0, 10).join('\n')}`);
}

function closeFolder(folder: string): void {
  searchFolder(folder);
  rmSync(folder, { recursive: true, force: true });
}

process.on('exit', () => {
  for (const folder of sharedFolders) closeFolder(folder);
  try {
    closeFolders();
  } catch (error) {
    process.exitCode = 1;
    console.error((error as Error).message);
  }
});
