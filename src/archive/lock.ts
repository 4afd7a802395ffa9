import { existsSync, rmSync } from 'node:fs';
import { lockFile } from '../disk/lock.ts';

const TRIES = 10;

/**
 * Takes a lock that ends with this process, however that ends.
 * @param file is made, and removed with the lock
 * @returns what lets go of it; null where another process has it
 */
export function takeLock(file: string): (() => void) | null {
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

function isFree(file: string): boolean {
  const lock = lockFile(file);
  lock?.close();
  return lock !== null;
}
