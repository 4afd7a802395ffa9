import { DatabaseSync } from 'node:sqlite';

/** A journal on disk would be one more file, and stay where the process dies. */
const LOCK_IT = 'pragma journal_mode = memory; begin exclusive';
const BUSY = 5;

/** What a process holds until it lets go or ends, however it ends: then the operating system takes it from it. */
export interface Lock {
  close(): void;
}

/**
 * Locks a file, which is made where it is missing. The lock is SQLite's, because Node.js has none of its own.
 * @returns null where another process has it
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
