import { mkdirSync, rmSync } from 'node:fs';
import pg from 'pg';
import { startPostgres } from '../../test/support/postgres/postgres.ts';
import { childrenOf, parentOf } from './cpu.ts';
import { type Database, type Dataset, MARK, making, marking, type Rows, whole } from './dataset.ts';

/** Starts a PostgreSQL server with default settings that lives as long as this process. Its data stay in the folder. */
export async function ownPostgres(
  folder: string,
  database: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = await startPostgres({ kept: folder });
  const { rows } = await server.query(`select 1 from pg_database where datname = '${database}'`);
  if (rows.length === 0) await server.query(`create database ${database}`);
  return { url: server.url(database), stop: () => server.stop() };
}

const NAME = 'postgres';

/** @param folder data directory of the service */
export async function postgresDatabase(url: string, folder: string): Promise<Database> {
  mkdirSync(folder, { recursive: true });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const rows = async (text: string): Promise<Record<string, unknown>[]> => (await pool.query(text)).rows;
  // A server on another machine is not found: a local process would need the same id and this name.
  const [backend] = await rows('select pg_backend_pid() as pid');
  const server = parentOf(Number(backend?.pid), NAME);
  const has = async (table: string) =>
    (await rows(`select to_regclass('${table}') is not null as has`))[0]?.has;
  const mark = async () => {
    if (!(await has('meta'))) return null;
    const [row] = await rows(`select value from meta where name = '${MARK}'`);
    return row ? String(row.value) : null;
  };
  return {
    settings: { LATCHKEY_DATA_DIR: folder, LATCHKEY_DATABASE_URL: url },
    mark,
    async clear() {
      const isUsed = (await has('licenses')) && (await rows('select 1 from licenses limit 1')).length > 0;
      if (isUsed && (await mark()) === null)
        throw new Error('the database has licenses that no benchmark created: use another database');
      await pool.query('drop schema public cascade; create schema public');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    },
    fill: (dataset, licenses) => fill(pool, dataset, licenses),
    async restore(statements) {
      for (const statement of statements) await pool.query(statement);
    },
    // There is nothing to do: PostgreSQL has its own cache, and may be on another machine.
    async readIn() {},
    size: async () =>
      Number((await rows('select pg_database_size(current_database()) as size'))[0]?.size) / 1024 ** 2,
    pids: () => (server === null ? null : [server, ...childrenOf(server, NAME)]),
    close: () => pool.end(),
  };
}

/** Fills the tables, and creates the indexes and the foreign key last, which is several times faster. */
async function fill(pool: pg.Pool, dataset: Dataset, licenses: number): Promise<void> {
  await pool.query(marking(making(licenses)));
  await pool.query("set synchronous_commit = off; set maintenance_work_mem = '512MB'");
  const indexes = await pool.query<{ name: string; sql: string }>(
    `select indexname as name, indexdef as sql from pg_indexes
       where schemaname = 'public' and tablename in ('licenses', 'activations')
         and indexname not in (select conname from pg_constraint)`,
  );
  const references = await pool.query<{ name: string; sql: string }>(
    `select conname as name, pg_get_constraintdef(oid) as sql from pg_constraint
       where conrelid = 'activations'::regclass and contype = 'f'`,
  );
  for (const { name } of indexes.rows) await pool.query(`drop index ${name}`);
  for (const { name } of references.rows) await pool.query(`alter table activations drop constraint ${name}`);
  for (const some of dataset.rows(licenses)) await insert(pool, some);
  for (const { sql } of indexes.rows) await pool.query(sql);
  for (const { name, sql } of references.rows)
    await pool.query(`alter table activations add constraint ${name} ${sql}`);
  await pool.query('vacuum analyze');
  await pool.query(marking(whole(dataset, licenses)));
}

async function insert(pool: pg.Pool, { table, columns, same }: Rows): Promise<void> {
  const names = Object.keys(columns);
  const { rows } = await pool.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = '${table}'::regclass`,
  );
  const types = new Map(rows.map(({ name, type }) => [name, type]));
  const arrays = names.map((name, i) => `$${i + 1}::${types.get(name)}[]`);
  await pool.query(
    `insert into ${table} (${[...names, ...Object.keys(same)]})
       select *, ${Object.values(same)} from unnest(${arrays})`,
    Object.values(columns),
  );
}
