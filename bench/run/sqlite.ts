import { createReadStream, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/installation/engines.ts';
import {
  chunks,
  type Database,
  MARK,
  making,
  marking,
  REST_OF_ACTIVATION,
  REST_OF_LICENSE,
  whole,
} from './dataset.ts';

/** A file of which more than this part is empty, after many licenses were taken back, is no longer of the size it should. */
const LOOSE = 0.2;
const READ_AT_ONCE = 4 * 1024 ** 2;

/** @param folder data directory of the service, which belongs to the benchmark alone */
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
    fill: async (licenses) => opened((database) => fill(database, licenses)),
    restore: async (statements) =>
      opened((database) => {
        // What a crash would lose of this is made again.
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

/** Without a log on disk, and with the indexes made at the end: in the order of their columns, which is several times faster. */
function fill(database: DatabaseSync, licenses: number): void {
  database.exec(marking(making(licenses)));
  const indexes = database
    .prepare(
      "select name, sql from sqlite_master where type = 'index' and tbl_name in ('licenses', 'activations') and sql is not null",
    )
    .all();
  for (const { name } of indexes) database.exec(`drop index ${name}`);
  database.exec('pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off');
  database.exec('pragma cache_size = -500000');
  const license = database.prepare(
    `insert into licenses (key_hash, sealed_key, product_id, ${REST_OF_LICENSE.columns})
       values (?, ?, ?, ${REST_OF_LICENSE.values})`,
  );
  const activation = database.prepare(
    `insert into activations (license_id, token, sealed_token, ${REST_OF_ACTIVATION.columns})
       values (?, ?, ?, ${REST_OF_ACTIVATION.values})`,
  );
  for (const { keyHashes, sealedKeys, productIds, licenseIds, tokenIndexes, sealedTokens } of chunks(
    licenses,
  )) {
    database.exec('begin');
    keyHashes.forEach((hash, i) => void license.run(hash, sealedKeys[i] as Buffer, productIds[i] as number));
    licenseIds.forEach((id, i) => {
      activation.run(id, tokenIndexes[i] as string, sealedTokens[i] as Buffer);
    });
    database.exec('commit');
  }
  for (const { sql } of indexes) database.exec(String(sql));
  database.exec(marking(whole(licenses)));
  database.exec('pragma journal_mode = wal');
}
