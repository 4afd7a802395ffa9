import { accessSync, constants, existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { lockFile } from '../disk/lock.ts';

const TRIES = 10;

/**
 * Takes a lock that ends with this process, however that ends.
 * @param file is made, and removed with the lock
 * @throws errors of the system, where it may not be made
 * @returns what lets go of it; null where another process has it
 */
export function takeLock(file: string): (() => void) | null {
  mustBeWritable(file);
  for (let tries = 0; tries < TRIES; tries++) {
    const lock = lockFile(file);
    if (!lock) return null;
    // Whoever had it before may have removed the file between our opening and locking it.
    if (existsSync(file) && !isFree(file)) {
      return () => {
        rmSync(file, { force: true });
        lock.close();
      };
    }
    lock.close();
  }
  return null;
}

/** SQLite would say that it cannot open a database, and not which. @throws an error of the system */
function mustBeWritable(file: string): void {
  accessSync(dirname(file), constants.W_OK);
  try {
    accessSync(file, constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function isFree(file: string): boolean {
  const lock = lockFile(file);
  lock?.close();
  return lock !== null;
}
