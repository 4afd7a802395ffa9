import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A journal on disk would be one more file, and stay where the process dies. */
const LOCK_IT = 'pragma journal_mode = memory; begin exclusive';
const TRIES = 10;

/**
 * Takes a lock that the operating system takes back when this process ends, however it ends. It is SQLite's, because
 * Node.js has none of its own.
 * @param file is made, and removed with the lock
 * @returns what lets go of it; null where another process has it
 */
export function takeLock(file: string): (() => void) | null {
  for (let tries = 0; tries < TRIES; tries++) {
    const lock = lockOf(file);
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

function lockOf(file: string): DatabaseSync | null {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    lock.exec(LOCK_IT);
    return lock;
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode === BUSY) return null;
    throw error;
  }
}
const BUSY = 5;

function isFree(file: string): boolean {
  const lock = lockOf(file);
  lock?.close();
  return lock !== null;
}
