import { StoreDamaged, StoreUnavailable, UniqueViolation } from '../store.ts';

// https://www.sqlite.org/rescode.html
const BUSY = 5;
const [LOCKED, READONLY, IOERR, FULL, CANTOPEN] = [6, 8, 10, 13, 14];
/** Advice on result codes that the user can act on; null for locks, whose waiters report more. */
const ADVICE: Readonly<Record<number, string | null>> = {
  [BUSY]: null,
  [LOCKED]: null,
  [READONLY]:
    'make the file, its -wal and -shm files, its folder and the disk writable for the user that latchkey runs as',
  [IOERR]: 'check the disk: it may be full, failing, read-only, or no longer mounted',
  [FULL]: 'free some space on the disk',
  [CANTOPEN]:
    'check that its folder exists, belongs to the user that latchkey runs as and is on a writable disk, and that the limit of open files is high enough (ulimit -n)',
};
const DAMAGED = new Set([11 /* CORRUPT */, 26 /* NOTADB */]);
/** Messages of SQLITE_ERROR for a file whose header or schema is damaged. */
const SCHEMA_LOST =
  /^(unsupported file format|no such (table|column|index|collation sequence|function)|malformed |table \S+ has no column|foreign key mismatch|ambiguous column|ON CONFLICT clause does not match)/;
const UNIQUE = new Set([1555 /* CONSTRAINT_PRIMARYKEY */, 2067 /* CONSTRAINT_UNIQUE */]);

/** Runs a function, and throws the store's error for an error of SQLite. */
export function rethrowing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw translated(error);
  }
}

/** The primary result code, or null for an error that is not SQLite's. */
function resultCode(error: unknown): number | null {
  const code = (error as { errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : null;
}

/** Whether another process holds the lock. */
export const isBusy = (error: unknown): boolean => resultCode(error) === BUSY;

/** Returns the store's error for an error of SQLite; any other error as it is. */
export function translated(error: unknown): unknown {
  const code = resultCode(error);
  if (code === null) return error;
  if (UNIQUE.has((error as { errcode: number }).errcode))
    return new UniqueViolation('unique value exists', { cause: error });
  const isSchemaLost = code === 1 && SCHEMA_LOST.test((error as Error).message);
  if (DAMAGED.has(code) || isSchemaLost) return new StoreDamaged((error as Error).message, { cause: error });
  const advice = ADVICE[code];
  if (advice === undefined) return error;
  const { message } = error as Error;
  return new StoreUnavailable(advice === null ? message : `${message}: ${advice}`, { cause: error });
}
