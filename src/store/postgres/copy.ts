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
import { Pool, type PostgresConnection, postgresDb, postgresMigrationTools } from './connection.ts';
import { MIGRATION_LOCK } from './store.ts';

/** Milliseconds that a statement may take: counting a large table is one. */
const STATEMENT_MS = 3_600_000;

/** Neither side may be cut off while it waits for the other; only the settings that this server knows. */
const WITHOUT_LIMITS = `
  select set_config(name, '0', true) from pg_settings
  where name in ('idle_in_transaction_session_timeout', 'transaction_timeout', 'statement_timeout')`;

const COLUMNS = `
  select c.table_name as "table", c.column_name as "column", coalesce(k.ordinal_position, 0) as place
  from information_schema.columns c
    left join information_schema.table_constraints p
      on p.table_schema = c.table_schema and p.table_name = c.table_name and p.constraint_type = 'PRIMARY KEY'
    left join information_schema.key_column_usage k
      on k.constraint_schema = p.constraint_schema and k.constraint_name = p.constraint_name
        and k.table_name = c.table_name and k.column_name = c.column_name
  where c.table_schema = current_schema()`;

/** But for those that belong to an extension. */
const RELATIONS = `
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema() and c.relkind in ('r', 'p', 'f', 'v', 'm') and not exists (
    select from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/**
 * Everything in a prepared database, as it is now, whatever is written to it afterwards.
 * @throws StoreUnavailable, CopyRefused
 */
export const openPostgresSource = (url: string): Promise<CopySource> =>
  withConnection(url, async (connection, close) => {
    await connection.execute('begin isolation level repeatable read, read only');
    await connection.execute(WITHOUT_LIMITS);
    return { ...(await copySource(copyEngine(connection))), close };
  });

/**
 * An empty database, in which nothing is but what is committed.
 * @param migrations names of those that its tables are to have; null for all
 * @throws StoreUnavailable, CopyRefused
 */
export const openPostgresTarget = (url: string, migrations: readonly string[] | null): Promise<CopyTarget> =>
  withConnection(url, async (connection, close) => {
    await connection.execute('begin isolation level read committed');
    await connection.execute(WITHOUT_LIMITS);
    // Whoever starts on a database that nobody has claimed yet waits for this lock.
    const { rows } = await connection.execute('select pg_try_advisory_xact_lock($1) as locked', [
      MIGRATION_LOCK,
    ]);
    if (!(rows as { locked: boolean }[])[0]?.locked)
      throw new StoreUnavailable('the database is locked by another process');
    const engine = copyEngine(connection);
    await prepareTarget(engine, migrations);
    return {
      ...(await copySource(engine)),
      async insert({ name, columns }, rows) {
        const text = `insert into ${quoted(name)} (${quotedAll(columns)}) values ${placesOf(rows.length, columns.length)}`;
        await connection.execute(
          text,
          rows.flatMap((row) => columns.map((column) => row[column])),
        );
      },
      async countOnFrom({ name }, lastId) {
        await connection.execute("select setval(pg_get_serial_sequence($1, 'id'), $2)", [
          quoted(name),
          lastId,
        ]);
      },
      migrate: () => migrate(connection, engine.db, engine.tools),
      commit: () => connection.commit(),
      close,
    };
  });

/** As behind a pooler, which may be before either side: it takes only what is common to both. */
async function withConnection<T>(
  url: string,
  open: (connection: PostgresConnection, close: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const pool = new Pool({ url, pooler: true, max: 1, timeout: STATEMENT_MS });
  const connection = await pool.connect().catch(async (error) => {
    await pool.end();
    throw error;
  });
  const close = async () => {
    // After a commit it does nothing.
    await connection.execute('rollback').catch(() => {});
    connection.release();
    await pool.end();
  };
  return open(connection, close).catch(async (error) => {
    await close();
    throw error;
  });
}

/** `($1,$2),($3,$4)` for two rows of two columns. */
function placesOf(rows: number, columns: number): string {
  const rowFrom = (first: number) => Array.from({ length: columns }, (_, i) => `$${first + i}`).join();
  return Array.from({ length: rows }, (_, row) => `(${rowFrom(row * columns + 1)})`).join();
}

function copyEngine(connection: PostgresConnection): CopyEngine {
  const ask = asking(connection);
  return {
    db: postgresDb,
    tools: postgresMigrationTools,
    connection,
    columns: () => ask<CatalogColumn>(COLUMNS),
    relations: async () => (await ask<{ name: string }>(RELATIONS)).map(({ name }) => name),
    rows: (table) => rowsOf(connection, table),
    async lastId({ name, columns }) {
      if (!columns.includes('id')) return null;
      const [found] = await ask<{ sequence: string | null }>(
        "select pg_get_serial_sequence($1, 'id') as sequence",
        quoted(name),
      );
      if (!found?.sequence) return null;
      const [row] = await ask<{ last: number | null }>(
        `select greatest((select case when is_called then last_value end from ${found.sequence}),
                         (select max(id) from ${quoted(name)})) as last`,
      );
      return row?.last ?? null;
    },
  };
}

async function* rowsOf(connection: PostgresConnection, table: Table): AsyncGenerator<readonly Row[]> {
  const { name, columns, key } = table;
  const { rows: texts } = await connection.execute(
    `select column_name as name from information_schema.columns
     where table_schema = current_schema() and table_name = $1 and data_type = 'text'`,
    [name],
  );
  const isText = new Set((texts as { name: string }[]).map((column) => column.name));
  // Byte by byte, in whichever language the database sorts.
  const order = key.map((column) => quoted(column) + (isText.has(column) ? ' collate "C"' : ''));
  await connection.execute(
    `declare rows_of_table no scroll cursor for select ${quotedAll(columns)} from ${quoted(name)} order by ${order.join(', ')}`,
  );
  for (;;) {
    const { rows } = await connection.execute(`fetch ${CHUNK} from rows_of_table`);
    if (rows.length === 0) break;
    yield rows as Row[];
  }
  await connection.execute('close rows_of_table');
}
