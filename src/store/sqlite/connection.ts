import { existsSync, realpathSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { EngineTools } from '../migrations/migration.ts';
import type { Schema } from '../sql/schema.ts';
import type { Connection, Executed, Kind } from '../sql/statement.ts';
import { StoreDamaged, StoreUnavailable, UniqueViolation } from '../store.ts';
import { appendOnly } from './append-only.ts';
import { counting } from './counting.ts';

/** Compiles the shared queries to SQLite's SQL. It runs nothing itself. */
export const sqliteDb = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export const sqliteMigrationTools: EngineTools = {
  types: {
    id: 'integer',
    identity: (column) => column.primaryKey().autoIncrement().notNull(),
    // STRICT tables know these four names only: INTEGER (64 bits), TEXT, BLOB, REAL.
    bigint: 'integer',
    datetime: 'text',
    bytes: sql`blob`,
  },
  table: (builder) => builder.modifyEnd(sql`strict`),
  scratch: (builder) => builder.modifyEnd(sql`strict`),
  counting,
  lowered: (column) => sql<string>`(lower(${sql.ref(column)}))`,
  appendOnly,
};

/** What a connection keeps of the file; the system keeps the rest, at 2 µs for a page (docs/decisions/0009). */
const READER_CACHE_KIB = 12_000;
const WRITER_CACHE_KIB = 4_000;
/**
 * The same while a statement works on very many rows. Keys come in no order, so that it changes all of an index at once:
 * with a small cache it writes the same pages again and again (measured for 100,000 licenses: 0.72 s with 4 MB, 0.47 with 16, no less with more).
 */
const SLOW_CACHE_KIB = 16_000;
/** Milliseconds that the log's beginning anew may wait for those who read it. */
const FORGET_MS = 1_000;
/** Statements kept prepared; the hot ones are far fewer, the rest are lists with rare filters. */
const PREPARED_MAX = 200;

// https://www.sqlite.org/rescode.html
const BUSY = 5;
/** What to do about it; of the locks, whoever waits knows more. */
const UNAVAILABLE = new Map<number, string | null>([
  [BUSY, null],
  [6 /* LOCKED */, null],
  [
    8 /* READONLY */,
    'make the file, those beside it (-wal, -shm), its folder and the disk writable for the user whom latchkey runs as',
  ],
  [10 /* IOERR */, 'see to the disk: it may be full, failing, or not mounted any more'],
  [13 /* FULL */, 'free some space on the disk'],
  [
    14 /* CANTOPEN */,
    'see that its folder is there and belongs to the user whom latchkey runs as, and that not too many files are open (ulimit -n)',
  ],
]);
const DAMAGED = new Set([11 /* CORRUPT */, 26 /* NOTADB */]);
/** SQLITE_ERROR, as it is said of files whose header or schema is not what it was. */
const SCHEMA_LOST = /^(unsupported file format|no such (table|column)|malformed )/;
const UNIQUE = new Set([1555 /* CONSTRAINT_PRIMARYKEY */, 2067 /* CONSTRAINT_UNIQUE */]);

/** Opens a file only where there is one; else SQLite makes it. */
export const existing = (file: string): string => `${pathToFileURL(file)}?mode=rw`;

/** A file that SQLite keeps beside a database: it does so where that is, and not beside a link to it. */
export const beside = (file: string, end: '-wal' | '-shm'): string =>
  (existsSync(file) ? realpathSync(file) : file) + end;

/**
 * The log of a database that is gone: SQLite would put what is in it into a new one of that name, or remove it.
 * @throws StoreDamaged
 */
export function refuseLostLog(file: string): void {
  const log = `${file}-wal`;
  // In this order: another process that starts now makes the file before its log.
  if (!existsSync(log) || existsSync(file)) return;
  throw new StoreDamaged(
    `${log} holds the latest changes of a database that is missing: put ${file} back (if it is gone for good, move the log away)`,
  );
}

/** Tells a file from another that has taken its name; null where there is none. */
export function identityOf(file: string): string | null {
  const about = statSync(file, { throwIfNoEntry: false });
  return about ? `${about.dev}:${about.ino}` : null;
}

interface Prepared {
  statement: StatementSync;
  /** Makes a row of its values; null where the statement answers none. */
  toRow: ((values: unknown[]) => unknown) | null;
}

/**
 * Returns a function that gives the values of a row the names of its columns. node:sqlite could do so itself, but its
 * rows are objects in dictionary mode, which take twice as long to make and to read.
 * Columns go by position, and a prepared statement may find more of them after a later version has added some: what a
 * query selects besides `*` stands before it.
 */
function rowMaker(columns: readonly string[]): (values: unknown[]) => unknown {
  return (values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i];
    return row;
  };
}

export class SqliteConnection implements Connection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  /** Whether secrets were taken away that SQLite's log may hold. */
  #hasSecrets = false;

  /** @param timeout milliseconds to wait for a lock, with this thread stopped */
  constructor(file: string, options: { readOnly: boolean; timeout: number }) {
    this.#database = rethrowing(() => new DatabaseSync(file, options));
    // WAL: readers never wait for the writer, nor it for them. FULL: a commit is on disk before it is answered.
    if (!options.readOnly) this.exec('pragma journal_mode = wal; pragma synchronous = full');
    const cache = options.readOnly ? READER_CACHE_KIB : WRITER_CACHE_KIB;
    this.exec(`pragma foreign_keys = on; pragma cache_size = -${cache}`);
  }

  async execute(text: string, parameters: readonly unknown[], kind?: Kind): Promise<Executed> {
    if (kind?.secret) return this.#runSecretly(text, parameters);
    if (!kind?.slow) return this.run(text, parameters);
    this.exec(`pragma cache_size = -${SLOW_CACHE_KIB}`);
    try {
      return this.run(text, parameters);
    } finally {
      this.exec(`pragma cache_size = -${WRITER_CACHE_KIB}`);
    }
  }

  #runSecretly(text: string, parameters: readonly unknown[]): Executed {
    this.exec('pragma secure_delete = on');
    try {
      return this.run(text, parameters);
    } finally {
      this.exec('pragma secure_delete = off');
      this.#hasSecrets = true;
    }
  }

  /** Has SQLite's log, where it holds what was a secret, begin anew; another process may keep it from that for a while. */
  forgetSecrets(): void {
    if (!this.#hasSecrets) return;
    this.#hasSecrets = false;
    try {
      this.exec(`pragma busy_timeout = ${FORGET_MS}; pragma wal_checkpoint(truncate)`);
    } catch {
      // It does so by itself, later.
    }
    this.exec('pragma busy_timeout = 0');
  }

  /** The same at once. @throws UniqueViolation, StoreUnavailable, StoreDamaged */
  run(text: string, parameters: readonly unknown[]): Executed {
    return rethrowing(() => {
      const { statement, toRow } = this.#prepare(text);
      const values = parameters as SQLInputValue[];
      if (toRow) {
        const rows = (statement.all(...values) as unknown as unknown[][]).map(toRow);
        return { rows, affected: rows.length };
      }
      return { rows: [], affected: Number(statement.run(...values).changes) };
    });
  }

  /** Runs reads that see one moment, and share its locks; where that cannot begin, each finds why by itself. */
  together(reads: () => void): void {
    try {
      this.run('begin', []);
    } catch {
      reads();
      return;
    }
    try {
      reads();
    } finally {
      this.#letGo();
    }
  }

  /** Ends a transaction that has only read. On a damaged file that may fail, which is nothing to those who were answered. */
  #letGo(): void {
    for (const end of ['commit', 'rollback']) {
      try {
        if (this.inTransaction) this.run(end, []);
        return;
      } catch {}
    }
  }

  /** All rows of a query, some at a time. */
  *chunks(text: string, size: number): Generator<unknown[]> {
    let chunk: unknown[] = [];
    const rows = rethrowing(() => this.#database.prepare(text).iterate());
    for (;;) {
      const { done, value } = rethrowing(() => rows.next());
      if (!done) chunk.push(value);
      if (chunk.length === size || (done && chunk.length > 0)) {
        yield chunk;
        chunk = [];
      }
      if (done) return;
    }
  }

  /** Runs statements that answer nothing. */
  exec(text: string): void {
    rethrowing(() => this.#database.exec(text));
  }

  /** Changes with every commit of another connection, of whatever process. https://www.sqlite.org/pragma.html#pragma_data_version */
  dataVersion(): number {
    return (this.run('pragma data_version', []).rows as { data_version: number }[])[0]
      ?.data_version as number;
  }

  /** Begins to write; false while another process does. */
  begin(): boolean {
    try {
      this.#prepare('begin immediate').statement.run();
      return true;
    } catch (error) {
      if (resultCode(error) === BUSY) return false;
      throw translated(error);
    }
  }

  /** False where SQLite has rolled back on its own, as it does when the disk is full or cannot be read. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #prepare(text: string): Prepared {
    let prepared = this.#prepared.get(text);
    if (!prepared) {
      const statement = this.#database.prepare(text);
      // Asked once: it costs more than a look-up by key.
      const columns = statement.columns().map(({ name }) => name);
      statement.setReturnArrays(true);
      prepared = { statement, toRow: columns.length > 0 ? rowMaker(columns) : null };
      if (this.#prepared.size >= PREPARED_MAX)
        this.#prepared.delete(this.#prepared.keys().next().value as string);
      this.#prepared.set(text, prepared);
    }
    return prepared;
  }
}

function rethrowing<T>(run: () => T): T {
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

function translated(error: unknown): unknown {
  const code = resultCode(error);
  if (code === null) return error;
  if (UNIQUE.has((error as { errcode: number }).errcode))
    return new UniqueViolation('unique value exists', { cause: error });
  const isSchemaLost = code === 1 && SCHEMA_LOST.test((error as Error).message);
  if (DAMAGED.has(code) || isSchemaLost) return new StoreDamaged((error as Error).message, { cause: error });
  const advice = UNAVAILABLE.get(code);
  if (advice === undefined) return error;
  const { message } = error as Error;
  return new StoreUnavailable(advice === null ? message : `${message}: ${advice}`, { cause: error });
}
