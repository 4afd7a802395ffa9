import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lockFile } from '../disk/lock.ts';

/**
 * Tells uploads that are under way from those that a crash has cut short, at once and for certain. Each process that
 * takes in files has a name of its own, and while it lives holds a lock on a file of that name.
 */
export interface Owner {
  /** Hex digits. */
  readonly name: string;
  /** Lets go in order. */
  close(): void;
}

const LOCK = '.lock';
const UNNAMED = '.new';
const TRIES = 100;

/** @param folder is made where it is missing, and the one that it is in; not the data directory, which may have been moved away */
export function becomeOwner(folder: string): Owner {
  for (const one of [dirname(folder), folder]) {
    try {
      mkdirSync(one, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  for (let tries = 1; ; tries++) {
    try {
      return lockNew(folder);
    } catch (error) {
      // `forgetOwners` of another process may take the file for a dead one's before it is locked.
      if (tries === TRIES) throw error;
    }
  }
}

function lockNew(folder: string): Owner {
  const name = randomBytes(6).toString('hex');
  const file = join(folder, name + LOCK);
  // It gets its name when it is locked: without the lock it would be a dead owner's.
  const unnamed = file + UNNAMED;
  const lock = lockFile(unnamed);
  try {
    if (!lock) throw new Error(`${unnamed} is locked by another process`);
    renameSync(unnamed, file);
  } catch (error) {
    lock?.close();
    rmSync(unnamed, { force: true });
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

/** What is known of the owners that left a lock file: those that live, and those that ended without order. */
export async function knownOwners(folder: string): Promise<{ alive: Set<string>; dead: Set<string> }> {
  const owners = { alive: new Set<string>(), dead: new Set<string>() };
  const files = await readdir(folder).catch(() => []);
  for (const file of files.filter((one) => one.endsWith(LOCK))) {
    const name = file.slice(0, -LOCK.length);
    (isLocked(join(folder, file)) ? owners.alive : owners.dead).add(name);
  }
  return owners;
}

/** Removes what dead owners have left of themselves: these, and those that died before they had a name. */
export async function forgetOwners(folder: string, names: Iterable<string>): Promise<void> {
  for (const name of names) rmSync(join(folder, name + LOCK), { force: true });
  const files = await readdir(folder).catch(() => []);
  for (const file of files.filter((one) => one.endsWith(LOCK + UNNAMED)).map((one) => join(folder, one)))
    if (!isLocked(file)) rmSync(file, { force: true });
}

/** So is what cannot be looked at. */
function isLocked(file: string): boolean {
  try {
    const lock = lockFile(file);
    lock?.close();
    return lock === null;
  } catch {
    return true;
  }
}
