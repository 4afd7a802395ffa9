import { hash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../src/installation/engines.ts';
import { firstBundle } from '../../src/store/keys/key-bundle.ts';
import { createKeyring } from '../../src/store/keys/keyring.ts';
import { keyColumnsOf } from '../../src/store/sql/licenses/key-hashes.ts';
import { MARK, MASTER_KEY, marking, whole } from '../run/dataset.ts';
import { startService } from '../run/processes.ts';
import { CREDENTIALS } from '../run/session.ts';

/**
 * Licenses as a vendor has them after years, for what the console does with many: of all states and ends, with orders,
 * customers, and an activation each. All is made of the number of the license, so that any can be asked for.
 */
const PRODUCTS = 20;
const DAYS = 1_000;
const DAY_MS = 86_400_000;

/** 25 characters in chunks of five, that end differently. */
export function keyOf(i: number): string {
  const digits = hash('sha1', `console ${i}`).toUpperCase();
  return [0, 5, 10, 15, 20].map((at) => digits.slice(at, at + 5)).join('-');
}
export const orderOf = (i: number): number => 100_000 + i;
/** A customer has five licenses. */
export const customerOf = (i: number): number => 1 + Math.floor(i / 5);
export const productOf = (i: number): number => 101 + (i % PRODUCTS);
export const labelOf = (i: number): string => `shop-${i.toString(36)}.example`;
export const addressOf = (i: number): string => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;

const at = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
/** Settings with which the service finds the data set. */
export const settingsOf = (folder: string): Record<string, string> => ({
  LATCHKEY_DATA_DIR: folder,
  LATCHKEY_MASTER_KEY: MASTER_KEY,
  ...CREDENTIALS,
});

/** Makes the data set, where it is not there yet. @returns its data directory */
export async function makeDataset(parent: string, licenses: number): Promise<string> {
  const folder = join(parent, `console-${licenses}`);
  if (existsSync(databaseFile(folder)) && isWhole(folder, licenses)) return folder;
  console.error(`making ${licenses.toLocaleString('en')} licenses in ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // It makes the tables.
  const service = await startService(settingsOf(folder), `${folder}.log`);
  await service.stop();
  const database = new DatabaseSync(databaseFile(folder));
  try {
    fill(database, licenses);
  } finally {
    database.close();
  }
  return folder;
}

function isWhole(folder: string, licenses: number): boolean {
  const database = new DatabaseSync(databaseFile(folder));
  try {
    const row = database.prepare('select value from meta where name = ?').get(MARK);
    return row?.value === whole(licenses);
  } finally {
    database.close();
  }
}

/** Without a log on disk, and with the indexes made at the end. */
function fill(database: DatabaseSync, licenses: number): void {
  const indexes = database
    .prepare(
      "select name, sql from sqlite_master where type = 'index' and tbl_name in ('licenses', 'activations') and sql is not null",
    )
    .all();
  for (const { name } of indexes) database.exec(`drop index ${name}`);
  database.exec('pragma journal_mode = memory; pragma synchronous = off; pragma foreign_keys = off');
  database.exec('pragma cache_size = -500000; begin');
  const keyring = createKeyring(firstBundle(Buffer.from(MASTER_KEY, 'hex')));
  const license = database.prepare(
    `insert into licenses (key_hash, sealed_key, ending_hash, order_id, product_id, user_id, expires_at, valid_for, source,
       status, times_activated, activations_limit, created_at, created_by) values (?, ?, ?, ?, ?, ?, ?, 365, 3, ?, 1, 3, ?, 1)`,
  );
  const activation = database.prepare(
    `insert into activations (license_id, token, label, source, ip_address, user_agent, created_at)
       values (?, ?, ?, 2, ?, 'WordPress/6.9', ?)`,
  );
  const now = Date.now();
  const step = (DAYS * DAY_MS) / licenses;
  for (let i = 1; i <= licenses; i++) {
    const key = keyOf(i);
    const created = now - (licenses - i) * step - step;
    const ends = i % 3 === 0 ? null : at(created + 365 * DAY_MS);
    const status = [3, 3, 3, 2, 1, 3, 4, 3, 3, 5][i % 10] as number;
    const { key_hash, sealed_key, ending_hash } = keyColumnsOf(key, keyring);
    license.run(
      key_hash,
      sealed_key,
      ending_hash,
      orderOf(i),
      productOf(i),
      customerOf(i),
      ends,
      status,
      at(created),
    );
    activation.run(i, hash('sha1', `token ${i}`), labelOf(i), addressOf(i), at(created));
  }
  database.exec('commit');
  for (const { sql } of indexes) database.exec(String(sql));
  database.exec(marking(whole(licenses)));
  database.exec('pragma journal_mode = wal');
}
