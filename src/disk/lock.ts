import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A journal on disk would be another file, which stays behind if the process dies. */
const LOCK_IT = 'pragma journal_mode = memory; begin exclusive';
const BUSY = 5;

/** A lock that a process holds until it closes it. If the process dies, the operating system releases the lock. */
export interface Lock {
  close(): void;
}

/**
 * Locks a file, and creates it if it does not exist. Uses a lock of SQLite, because Node.js has no file locks.
 * @returns null if another process holds the lock
 * @throws errors of the system and of SQLite
 */
export function lockFile(file: string): Lock | null {
  createPrivate(file);
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

/**
 * Creates a file that only its owner can read, and therefore lock: SQLite itself would create a file that is open to
 * everybody. Leaves an existing file alone, without opening it: closing it would release the locks of this process.
 */
function createPrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
