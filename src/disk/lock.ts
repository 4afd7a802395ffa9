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
 * @throws errors of SQLite
 */
export function lockFile(file: string): Lock | null {
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
