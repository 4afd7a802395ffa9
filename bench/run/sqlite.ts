import { createReadStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/installation/engines.ts';
import { type Database, type Dataset, MARK, making, marking, type Rows, whole } from './dataset.ts';

/**
 * Vacuum a file if more than this part of it is empty, as after removing many licenses: its size must stay comparable.
 */
const LOOSE = 0.2;
const READ_AT_ONCE = 4 * 1024 ** 2;

/** @param folder data directory of the service, which only the benchmark uses */
export function sqliteDatabase(folder: string): Database {
  const file = databaseFile(folder);
  const opened = <T>(work: (database: DatabaseSync) => T): T => {
    const database = new DatabaseSync(file);
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  return {
    settings: { LATCHKEY_DATA_DIR: folder },
    async mark() {
      if (!existsSync(file)) return null;
      return opened((database) => {
        if (!database.prepare("select 1 from sqlite_master where name = 'meta'").get()) return null;
        const row = database.prepare('select value from meta where name = ?').get(MARK);
        return row ? String(row.value) : null;
      });
    },
    async clear() {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
    },
    fill: async (dataset, licenses) => opened((database) => fill(database, dataset, licenses)),
    restore: async (statements) =>
      opened((database) => {
        // No syncs: the next run repeats whatever a crash loses.
        database.exec('pragma synchronous = off');
        for (const statement of statements) database.exec(statement);
        const number = (pragma: string) =>
          Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0]);
        if (number('freelist_count') > number('page_count') * LOOSE) database.exec('vacuum');
        database.exec('pragma wal_checkpoint(truncate)');
      }),
    async readIn() {
      for await (const _ of createReadStream(file, { highWaterMark: READ_AT_ONCE }));
    },
    async size() {
      const files = [file, `${file}-wal`].map((name) => statSync(name, { throwIfNoEntry: false })?.size ?? 0);
      return files.reduce((a, b) => a + b, 0) / 1024 ** 2;
    },
    pids: () => null,
    async close() {},
  };
}

/**
 * Fills the tables without a log on disk, and creates the indexes last: inserting in the order of their columns is
 * several times faster.
 */
function fill(database: DatabaseSync, dataset: Dataset, licenses: number): void {
  database.exec(marking(making(licenses)));
  const indexes = database
    .prepare(
      "select name, sql from sqlite_master where type = 'index' and tbl_name in ('licenses', 'activations') and sql is not null",
    )
    .all();
  for (const { name } of indexes) database.exec(`drop index ${name}`);
  database.exec('pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off');
  database.exec('pragma cache_size = -500000');
  for (const some of dataset.rows(licenses)) {
    database.exec('begin');
    insert(database, some);
    database.exec('commit');
  }
  for (const { sql } of indexes) database.exec(String(sql));
  database.exec(marking(whole(dataset, licenses)));
  database.exec('pragma journal_mode = wal');
}

function insert(database: DatabaseSync, { table, columns, same }: Rows): void {
  const values = Object.values(columns);
  const statement = database.prepare(
    `insert into ${table} (${[...Object.keys(columns), ...Object.keys(same)]})
       values (${[...values.map(() => '?'), ...Object.values(same)]})`,
  );
  const count = values[0]?.length ?? 0;
  for (let i = 0; i < count; i++) statement.run(...values.map((column) => column[i] ?? null));
}
