import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findLeaks, searchFolder } from './leaks.ts';

/** Folders of the current test file, and folders that later files of this process also use. */
let folders: string[] = [];
const sharedFolders: string[] = [];

/** Creates a folder that is searched for plaintext secrets and removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = makeFolder();
  folders.push(folder);
  return folder;
}

/** Creates such a folder for several test files, which is removed when the process ends. */
export function sharedFolder(): string {
  const folder = makeFolder();
  sharedFolders.push(folder);
  return folder;
}

const makeFolder = () => mkdtempSync(join(tmpdir(), 'latchkey-'));

/**
 * Searches the folders of the test file for plaintext secrets, and removes the folders.
 * @throws Error that names the secrets found there, or earlier in a log
 */
export function closeFolders(): void {
  const closed = folders;
  folders = [];
  for (const folder of closed) closeFolder(folder);
  const found = findLeaks();
  if (found.length > 0)
    throw new Error(`${found.length} plaintext secrets found:\n${found.slice(0, 10).join('\n')}`);
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
