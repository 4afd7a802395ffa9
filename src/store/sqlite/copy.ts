import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import type { CopySource, CopyTarget, Row, Table } from '../backups/copy.ts';
import {
  asking,
  type CatalogColumn,
  CHUNK,
  type CopyEngine,
  copySource,
  prepareTarget,
  quoted,
  quotedAll,
} from '../sql/backups/copy.ts';
import { migrate } from '../sql/migrate.ts';
import { StoreUnavailable } from '../store.ts';
import { refuseLostLog, SqliteConnection, sqliteDb, sqliteMigrationTools } from './connection.ts';

/** Milliseconds to wait, with this thread stopped, for another process. */
const TIMEOUT_MS = 5_000;

const COLUMNS = `
  select t.name as "table", c.name as "column", c.pk as place
  from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table'`;
const RELATIONS = `
  select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'`;

/**
 * Everything in a prepared database, as it is now, whatever is written to it afterwards.
 * @throws StoreUnavailable, StoreDamaged, CopyRefused
 */
export async function openSqliteSource(file: string): Promise<CopySource> {
  const connection = new SqliteConnection(file, { readOnly: true, timeout: TIMEOUT_MS });
  try {
    // What a transaction sees is settled by what it reads first.
    connection.exec('begin');
    return { ...(await copySource(copyEngine(connection))), close: async () => connection.close() };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/**
 * An empty database, made where it is missing; what is not committed leaves no file.
 * @param migrations names of those that its tables are to have; null for all
 * @throws StoreUnavailable, StoreDamaged, CopyRefused
 */
export async function openSqliteTarget(
  file: string,
  migrations: readonly string[] | null,
): Promise<CopyTarget> {
  refuseLostLog(file);
  const isNew = !existsSync(file);
  if (isNew) closeSync(openSync(file, 'wx', 0o600));
  let committed = false;
  let connection: SqliteConnection | null = null;
  const close = () => {
    connection?.close();
    if (isNew && !committed) for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
  };
  try {
    connection = new SqliteConnection(file, { readOnly: false, timeout: TIMEOUT_MS });
    return await targetOf(connection, migrations, () => {
      committed = true;
    }).then((target) => ({ ...target, close: async () => close() }));
  } catch (error) {
    close();
    throw error;
  }
}

async function targetOf(
  connection: SqliteConnection,
  migrations: readonly string[] | null,
  onCommit: () => void,
): Promise<Omit<CopyTarget, 'close'>> {
  if (!connection.begin()) throw new StoreUnavailable('the database is locked by another process');
  const engine = copyEngine(connection);
  await prepareTarget(engine, migrations);
  return {
    ...(await copySource(engine)),
    async insert({ name, columns }, rows) {
      const places = columns.map(() => '?').join(', ');
      const text = `insert into ${quoted(name)} (${quotedAll(columns)}) values (${places})`;
      for (const row of rows)
        await connection.execute(
          text,
          columns.map((column) => row[column]),
        );
    },
    async countOnFrom({ name }, lastId) {
      await connection.execute('delete from sqlite_sequence where name = ?', [name]);
      await connection.execute('insert into sqlite_sequence (name, seq) values (?, ?)', [name, lastId]);
    },
    migrate: () => migrate(connection, engine.db, engine.tools),
    async commit() {
      connection.exec('commit');
      onCommit();
    },
  };
}

function copyEngine(connection: SqliteConnection): CopyEngine {
  const ask = asking(connection);
  return {
    db: sqliteDb,
    tools: sqliteMigrationTools,
    connection,
    columns: () => ask<CatalogColumn>(COLUMNS),
    relations: async () => (await ask<{ name: string }>(RELATIONS)).map(({ name }) => name),
    async *rows({ name, columns, key }: Table) {
      const text = `select ${quotedAll(columns)} from ${quoted(name)} order by ${quotedAll(key)}`;
      yield* connection.chunks(text, CHUNK) as Iterable<Row[]>;
    },
    async lastId({ name }) {
      const [row] = await ask<{ seq: number }>('select seq from sqlite_sequence where name = ?', name);
      return row?.seq ?? null;
    },
  };
}
