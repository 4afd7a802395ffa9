import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolderNow } from '../disk/folder.ts';
import { lockFile } from '../disk/lock.ts';

/**
 * A process that receives files. Each owner has a unique name, and holds a lock on a file of that name while it lives. So
 * other processes can tell uploads in progress from uploads that a crash interrupted.
 */
export interface Owner {
  /** Hex digits. */
  readonly name: string;
  /** Releases the lock and removes its file. */
  close(): void;
}

const LOCK = '.lock';
const UNNAMED = '.new';
const TRIES = 100;

/**
 * Becomes an owner of files in the folder.
 * @param folder created if it is missing, like its parent. The data directory above is not created, because it may have
 *   been moved away
 */
export function becomeOwner(folder: string): Owner {
  for (const one of [dirname(folder), folder]) {
    try {
      mkdirSync(one, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    // Sync even if the folder existed: the process that created it may not have synced it yet.
    syncFolderNow(dirname(one));
  }
  for (let tries = 1; ; tries++) {
    try {
      return lockNew(folder);
    } catch (error) {
      // `forgetOwners` of another process may remove the file before it is locked.
      if (tries === TRIES) throw error;
    }
  }
}

function lockNew(folder: string): Owner {
  const name = randomBytes(6).toString('hex');
  const file = join(folder, name + LOCK);
  // Rename the file after locking it: without the lock it would look like the file of a dead owner.
  const unnamed = file + UNNAMED;
  const lock = lockFile(unnamed);
  try {
    if (!lock) throw new Error(`${unnamed} is locked by another process`);
    renameSync(unnamed, file);
    // Sync: if the lock file were lost in a power cut, uploads would have an unknown owner, and stay until `latchkey doctor
    // --fix` removes them.
    syncFolderNow(folder);
  } catch (error) {
    lock?.close();
    for (const one of [unnamed, file]) rmSync(one, { force: true });
    throw error;
  }
  return {
    name,
    close() {
      lock.close();
      rmSync(file, { force: true });
    },
  };
}

/** Returns the owners that have a lock file: the living ones, and the dead ones. */
export async function knownOwners(folder: string): Promise<{ alive: Set<string>; dead: Set<string> }> {
  const owners = { alive: new Set<string>(), dead: new Set<string>() };
  const files = await readdir(folder).catch(() => []);
  for (const file of files.filter((one) => one.endsWith(LOCK))) {
    const name = file.slice(0, -LOCK.length);
    (isLocked(join(folder, file)) ? owners.alive : owners.dead).add(name);
  }
  return owners;
}

/** Removes the lock files of these dead owners, and of owners that died before their file was renamed. */
export async function forgetOwners(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) rmSync(join(folder, name + LOCK), { force: true });
  const files = await readdir(folder).catch(() => []);
  for (const file of files.filter((one) => one.endsWith(LOCK + UNNAMED)).map((one) => join(folder, one)))
    if (!isLocked(file)) rmSync(file, { force: true });
}

/** Whether a process holds the lock. A file that cannot be opened counts as locked. */
function isLocked(file: string): boolean {
  try {
    const lock = lockFile(file);
    lock?.close();
    return lock === null;
  } catch {
    return true;
  }
}
