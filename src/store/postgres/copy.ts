import type { CopySource, CopyTarget, Row } from '../backups/copy.ts';
import { CHUNK, type CopyEngine, copySource, prepareTarget, quoted, quotedAll } from '../sql/backups/copy.ts';
import { bringUpToDate } from '../sql/migrate.ts';
import { StoreUnavailable } from '../store.ts';
import { openConnection, type PostgresConnection, postgresEngine } from './connection.ts';
import { MIGRATION_LOCK } from './store.ts';

/** Milliseconds that a statement may take. */
const STATEMENT_MS = 3_600_000;

/** Lifts the server's limits for a transaction that waits for the other side; only settings that this server knows. */
const WITHOUT_LIMITS = `
  select set_config(name, '0', true) from pg_settings
  where name in ('idle_in_transaction_session_timeout', 'transaction_timeout', 'statement_timeout')`;

/** Selects tables and views, except those that belong to an extension. */
const RELATIONS = `
  select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = current_schema() and c.relkind in ('r', 'p', 'f', 'v', 'm') and not exists (
    select from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** Opens a snapshot of a database: later writes do not change it. @throws StoreUnavailable, CopyRefused */
export const openPostgresSource = (url: string): Promise<CopySource> =>
  withTransaction(url, 'repeatable read, read only', async (connection, close) => ({
    ...(await copySource(copyEngine(connection))),
    close,
  }));

/**
 * Opens an empty database, which stays empty unless the copy is committed.
 * @param migrations migrations of the copy; null for all
 * @param version version of this program
 * @throws StoreUnavailable, CopyRefused
 */
export const openPostgresTarget = (
  url: string,
  migrations: readonly string[] | null,
  version: string,
): Promise<CopyTarget> =>
  withTransaction(url, 'read committed', async (connection, close) => {
    // A server that starts on the empty database waits for this lock.
    const lock = 'select pg_try_advisory_xact_lock($1) as locked';
    const { rows } = await connection.execute(lock, [MIGRATION_LOCK]);
    if (!(rows as { locked: boolean }[])[0]?.locked)
      throw new StoreUnavailable('the database is locked by another process');
    const engine = copyEngine(connection);
    await prepareTarget(engine, migrations);
    return {
      ...(await copySource(engine)),
      async insert({ name, columns }, rows) {
        const places = placesOf(rows.length, columns.length);
        const values = rows.flatMap((row) => columns.map((column) => row[column]));
        await connection.execute(
          `insert into ${quoted(name)} (${quotedAll(columns)}) values ${places}`,
          values,
        );
      },
      async countOnFrom({ name }, lastId) {
        const text = "select setval(pg_get_serial_sequence($1, 'id'), $2)";
        await connection.execute(text, [quoted(name), lastId]);
      },
      migrate: async () => (await bringUpToDate(connection, postgresEngine, version))?.names ?? [],
      commit: () => connection.commit(),
      close,
    };
  });

/** Begins a transaction. Uses only what a pooler supports: one may be in front of either database. */
async function withTransaction<T>(
  url: string,
  isolation: string,
  open: (connection: PostgresConnection, close: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { connection, close } = await openConnection({ url, pooler: true, timeout: STATEMENT_MS });
  try {
    await connection.execute(`begin isolation level ${isolation}`);
    await connection.execute(WITHOUT_LIMITS);
    return await open(connection, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** `($1,$2),($3,$4)` for two rows of two columns. */
function placesOf(rows: number, columns: number): string {
  const rowFrom = (first: number) => Array.from({ length: columns }, (_, i) => `$${first + i}`).join();
  return Array.from({ length: rows }, (_, row) => `(${rowFrom(row * columns + 1)})`).join();
}

const copyEngine = (connection: PostgresConnection): CopyEngine => ({
  engine: postgresEngine,
  connection,
  relations: RELATIONS,
  byBytes: ' collate "C"',
  async *read(query) {
    await connection.execute(`declare rows_of_copy no scroll cursor for ${query}`);
    for (;;) {
      const { rows } = await connection.execute(`fetch ${CHUNK} from rows_of_copy`);
      if (rows.length === 0) break;
      yield rows as Row[];
    }
    await connection.execute('close rows_of_copy');
  },
  async lastId({ name, columns }) {
    if (!columns.includes('id')) return null;
    const find = "select pg_get_serial_sequence($1, 'id') as name";
    const [sequence] = (await connection.execute(find, [quoted(name)])).rows as { name: string | null }[];
    if (!sequence?.name) return null;
    const { rows } = await connection.execute(
      `select greatest((select case when is_called then last_value end from ${sequence.name}),
                       (select max(id) from ${quoted(name)})) as last`,
    );
    return (rows as { last: number | null }[])[0]?.last ?? null;
  },
});
