import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, sql } from 'kysely';
import type { Schema } from '../sql/schema.ts';
import { type Connection, type Executed, type Kind, type SqlEngine, statement } from '../sql/statement.ts';
import { StoreDamaged, StoreUnavailable } from '../store.ts';
import { isBusy, rethrowing, translated } from './errors.ts';
import { appendOnly, counting } from './triggers.ts';

/** Compiles the shared queries to SQL. It runs nothing itself. */
export const sqliteDb = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

export const sqliteEngine: SqlEngine = {
  db: sqliteDb,
  schema: sqliteDb.schema,
  statement,
  types: {
    id: 'integer',
    identity: (column) => column.primaryKey().autoIncrement().notNull(),
    // STRICT tables know these types only: INTEGER (64 bits), TEXT, BLOB, REAL.
    bigint: 'integer',
    datetime: 'text',
    bytes: sql`blob`,
  },
  table: (builder) => builder.modifyEnd(sql`strict`),
  scratch: (builder) => builder.modifyEnd(sql`strict`),
  counting,
  lowered: (column) => sql<string>`(lower(${sql.ref(column)}))`,
  // Only one transaction at a time changes the database.
  lockRows: sql``,
  fromJson: (column, name, type) => {
    const value = sql`${sql.ref(column)} ->> ${sql.lit(name)}`;
    return type === 'bytes' ? sql`unhex(${value})` : value;
  },
  advanceIds: () => null,
  appendOnly,
};

/** Page cache of a connection. The system's cache holds the rest, at 2 µs per page (docs/decisions/0009). */
const READER_CACHE_KIB = 12_000;
const WRITER_CACHE_KIB = 4_000;
/**
 * Page cache for a statement that inserts very many rows. Key hashes are random, so it changes pages all over their
 * index and would write the same pages repeatedly with a small cache (100,000 licenses: 0.72 s with 4 MB, 0.47 s with
 * 16 or more).
 */
const SLOW_CACHE_KIB = 16_000;
/** Milliseconds that the truncation of the log may wait for readers. */
const FORGET_MS = 1_000;
/** Maximum number of statements kept prepared. The frequent ones are far fewer; the rest are lists with rare filters. */
const PREPARED_MAX = 200;

/** Opens a file only if it exists; by default, SQLite would create it. */
export const existing = (file: string): string => `${pathToFileURL(file)}?mode=rw`;

/** The path of a file that SQLite keeps beside a database: beside the file itself, not beside a link to it. */
export const beside = (file: string, end: '-wal' | '-shm'): string =>
  (existsSync(file) ? realpathSync(file) : file) + end;

/** Removes a database with the files beside it. */
export function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
}

/** Refuses a log without its database: SQLite would write the log into a new database, or delete it. @throws StoreDamaged */
export function refuseLostLog(file: string): void {
  const log = `${file}-wal`;
  // In this order: a process that starts now creates the file before its log.
  // An empty log holds nothing: reading a database may leave one behind.
  if (!statSync(log, { throwIfNoEntry: false })?.size || existsSync(file)) return;
  throw new StoreDamaged(
    `${log} holds the latest changes of a database that is missing: put ${file} back (if it is gone for good, move the log away)`,
  );
}

/**
 * Refuses a database without tables: one that is being restored, or whose restore was killed. It must not become a new
 * installation. @throws StoreDamaged
 */
export function refuseWithoutTables(connection: SqliteConnection, file: string): void {
  const found = connection.run("select 1 from sqlite_master where name = 'schema_migrations'", []);
  if (found.rows.length > 0) return;
  throw new StoreDamaged(
    `it has no tables of Latchkey, perhaps because a restore or a move has not finished (if it has never held anything, remove ${file} with its -wal and -shm)`,
  );
}

/** Distinguishes a file from another file that later has its name; null if there is no file. */
export function identityOf(file: string): string | null {
  const about = statSync(file, { throwIfNoEntry: false });
  return about ? `${about.dev}:${about.ino}` : null;
}

interface Prepared {
  statement: StatementSync;
  /** Makes a row from its values; null if the statement returns no rows. */
  toRow: ((values: unknown[]) => unknown) | null;
}

/**
 * Returns a function that makes rows from values. The function is generated, so that V8 knows the shape of rows: this
 * takes less time than a loop, and much less than the rows of node:sqlite (decision 16). Columns go by position, and
 * a prepared statement returns more columns after a later version has added some: a query must select other columns
 * before `*`.
 */
function rowMaker(columns: readonly string[]): (values: unknown[]) => unknown {
  const properties = columns.map((name, i) => `${JSON.stringify(name)}:values[${i}]`);
  return new Function('values', `return {${properties.join()}}`) as (values: unknown[]) => unknown;
}

export class SqliteConnection implements Connection {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  /** Whether the log may still hold secrets that were deleted. */
  #hasSecrets = false;
  /** Whether a reader prevented the last truncation of the log. */
  #isHeld = false;
  /** Whether a transaction has begun that neither `commit` nor `rollback` has ended. */
  #hasBegun = false;
  /** Whether SQLite has rolled it back by itself: other statements of a failed job must not run outside a transaction. */
  #isLost = false;

  /** @param timeout milliseconds to wait for a lock, with this thread stopped */
  constructor(file: string, options: { readOnly: boolean; timeout: number }) {
    this.#database = rethrowing(() => new DatabaseSync(file, options));
    // WAL: readers and the writer never wait for each other. FULL: a commit is on disk before its command is answered.
    if (!options.readOnly) this.exec('pragma journal_mode = wal; pragma synchronous = full');
    const cache = options.readOnly ? READER_CACHE_KIB : WRITER_CACHE_KIB;
    // Triggers and views of a file that somebody changed call only functions without side effects, as SQLite advises:
    // https://www.sqlite.org/security.html
    this.exec(`pragma trusted_schema = off; pragma foreign_keys = on; pragma cache_size = -${cache}`);
  }

  async execute(text: string, parameters: readonly unknown[], kind?: Kind): Promise<Executed> {
    if (!kind?.secret && !kind?.slow) return this.run(text, parameters);
    this.#hasSecrets ||= kind.secret === true;
    this.exec(kind.secret ? 'pragma secure_delete = on' : `pragma cache_size = -${SLOW_CACHE_KIB}`);
    try {
      return this.run(text, parameters);
    } finally {
      this.exec(`pragma secure_delete = off; pragma cache_size = -${WRITER_CACHE_KIB}`);
    }
  }

  /**
   * Truncates the log if it may hold deleted secrets. A long read prevents that: the next call tries again, without
   * waiting, so that many changes of secrets during a backup do not stop all writes for a second each.
   */
  forgetSecrets(): void {
    if (!this.#hasSecrets) return;
    this.exec(`pragma busy_timeout = ${this.#isHeld ? 0 : FORGET_MS}`);
    try {
      const [found] = this.run('pragma wal_checkpoint(truncate)', []).rows as [{ busy: number }];
      this.#isHeld = this.#hasSecrets = found.busy !== 0;
    } catch {
      // For example, the disk is full. The next call tries again.
    }
    this.exec('pragma busy_timeout = 0');
  }

  /** Runs a statement synchronously. @throws UniqueViolation, StoreUnavailable, StoreDamaged */
  run(text: string, parameters: readonly unknown[]): Executed {
    if (this.#isLost) throw new StoreUnavailable('the transaction was rolled back');
    try {
      const { statement, toRow } = this.#prepare(text);
      const values = parameters as SQLInputValue[];
      if (toRow) {
        const rows = (statement.all(...values) as unknown as unknown[][]).map(toRow);
        return { rows, affected: rows.length };
      }
      return { rows: [], affected: Number(statement.run(...values).changes) };
    } catch (error) {
      this.#isLost = this.#hasBegun && !this.inTransaction;
      throw translated(error);
    }
  }

  /** Runs reads in one transaction, which shares locks. If the transaction cannot begin, each read fails with the reason. */
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
      this.#endReads();
    }
  }

  /** Ends a read transaction. On a damaged file that may fail, but its reads have been answered. */
  #endReads(): void {
    for (const end of ['commit', 'rollback']) {
      try {
        if (this.inTransaction) this.run(end, []);
        return;
      } catch {}
    }
  }

  /** The rows of a query, in chunks. */
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

  /** Runs statements that return no rows. */
  exec(text: string): void {
    rethrowing(() => this.#database.exec(text));
  }

  /** Changes with every commit of another connection: https://www.sqlite.org/pragma.html#pragma_data_version */
  dataVersion(): number {
    const [row] = this.run('pragma data_version', []).rows as [{ data_version: number }];
    return row.data_version;
  }

  /** Begins a write transaction; false while another process writes. */
  begin(): boolean {
    try {
      this.#prepare('begin immediate').statement.run();
      this.#hasBegun = true;
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw translated(error);
    }
  }

  commit(): void {
    this.run('commit', []);
    this.#hasBegun = false;
  }

  /** Ends the transaction, even if SQLite has rolled it back by itself. */
  rollback(): void {
    this.#hasBegun = this.#isLost = false;
    if (this.inTransaction) this.exec('rollback');
  }

  /** Whether a transaction is open. SQLite rolls back by itself if the disk is full or cannot be read. */
  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #prepare(text: string): Prepared {
    let prepared = this.#prepared.get(text);
    if (!prepared) {
      const statement = this.#database.prepare(text);
      // The columns are read once: this costs more than a look-up by key.
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
