import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolderNow } from '../disk/folder.ts';
import { lockFile } from '../disk/lock.ts';

/**
 * A process that receives files. Each has its own name, and holds a lock on a file of that name while it lives. So other
 * processes can tell its uploads in progress from those that a crash has interrupted.
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
 * @param folder is created if it is missing, and so is its parent; the data directory above is not, because it may have
 *   been moved away
 */
export function becomeOwner(folder: string): Owner {
  for (const one of [dirname(folder), folder]) {
    try {
      mkdirSync(one, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    // Even if it was there: whoever created it may not have got to this.
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
    // After a power cut, uploads whose owner is unknown would stay until `latchkey doctor --fix` removes them.
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

/** The owners with a lock file: those that are alive, and those that have died. */
export async function knownOwners(folder: string): Promise<{ alive: Set<string>; dead: Set<string> }> {
  const owners = { alive: new Set<string>(), dead: new Set<string>() };
  const files = await readdir(folder).catch(() => []);
  for (const file of files.filter((one) => one.endsWith(LOCK))) {
    const name = file.slice(0, -LOCK.length);
    (isLocked(join(folder, file)) ? owners.alive : owners.dead).add(name);
  }
  return owners;
}

/** Removes the lock files of these dead owners, and of those that died before they had a name. */
export async function forgetOwners(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) rmSync(join(folder, name + LOCK), { force: true });
  const files = await readdir(folder).catch(() => []);
  for (const file of files.filter((one) => one.endsWith(LOCK + UNNAMED)).map((one) => join(folder, one)))
    if (!isLocked(file)) rmSync(file, { force: true });
}

/** A file that cannot be opened counts as locked. */
function isLocked(file: string): boolean {
  try {
    const lock = lockFile(file);
    lock?.close();
    return lock === null;
  } catch {
    return true;
  }
}
