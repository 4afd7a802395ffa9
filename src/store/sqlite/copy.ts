import { closeSync, existsSync, openSync } from 'node:fs';
import type { CopySource, CopyTarget, Row } from '../backups/copy.ts';
import { CHUNK, type CopyEngine, copySource, prepareTarget, quoted, quotedAll } from '../sql/backups/copy.ts';
import { bringUpToDate } from '../sql/migrate.ts';
import { StoreUnavailable } from '../store.ts';
import {
  refuseLostLog,
  refuseWithoutTables,
  removeDatabase,
  SqliteConnection,
  sqliteEngine,
} from './connection.ts';

/** Milliseconds to wait, with this thread stopped, for another process. */
const TIMEOUT_MS = 5_000;

const RELATIONS = `
  select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'`;

/** Opens a snapshot of a database: later writes do not change it. @throws StoreUnavailable, StoreDamaged, CopyRefused */
export async function openSqliteSource(file: string): Promise<CopySource> {
  const connection = new SqliteConnection(file, { readOnly: true, timeout: TIMEOUT_MS });
  try {
    // The first read after this determines what the transaction sees.
    connection.exec('begin');
    refuseWithoutTables(connection, file);
    return { ...(await copySource(copyEngine(connection))), close: async () => connection.close() };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * Opens an empty database. Creates the file, and removes it again unless the copy is committed.
 * @param migrations migrations of the copy; null for all
 * @param version version of this program
 * @throws StoreUnavailable, StoreDamaged, CopyRefused
 */
export async function openSqliteTarget(
  file: string,
  migrations: readonly string[] | null,
  version: string,
): Promise<CopyTarget> {
  refuseLostLog(file);
  let isRemoved = !existsSync(file);
  if (isRemoved) closeSync(openSync(file, 'wx', 0o600));
  let connection: SqliteConnection | null = null;
  const close = async () => {
    connection?.close();
    if (isRemoved) removeDatabase(file);
  };
  try {
    const opened = new SqliteConnection(file, { readOnly: false, timeout: TIMEOUT_MS });
    connection = opened;
    if (!opened.begin()) throw new StoreUnavailable('the database is locked by another process');
    const engine = copyEngine(opened);
    await prepareTarget(engine, migrations);
    return {
      ...(await copySource(engine)),
      async insert({ name, columns }, rows) {
        const places = columns.map(() => '?').join(', ');
        const text = `insert into ${quoted(name)} (${quotedAll(columns)}) values (${places})`;
        const valuesOf = (row: Row) => columns.map((column) => row[column]);
        for (const row of rows) opened.run(text, valuesOf(row));
      },
      async countOnFrom({ name }, lastId) {
        opened.run('delete from sqlite_sequence where name = ?', [name]);
        opened.run('insert into sqlite_sequence (name, seq) values (?, ?)', [name, lastId]);
      },
      migrate: async () => (await bringUpToDate(opened, sqliteEngine, version))?.names ?? [],
      async commit() {
        opened.commit();
        isRemoved = false;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const copyEngine = (connection: SqliteConnection): CopyEngine => ({
  engine: sqliteEngine,
  connection,
  relations: RELATIONS,
  byBytes: '',
  async *read(query) {
    yield* connection.chunks(query, CHUNK) as Iterable<Row[]>;
  },
  async lastId({ name }) {
    const { rows } = connection.run('select seq from sqlite_sequence where name = ?', [name]);
    return (rows as { seq: number }[])[0]?.seq ?? null;
  },
});
