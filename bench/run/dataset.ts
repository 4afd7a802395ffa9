import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { databaseFile } from '../../src/engines.ts';
import { createKeyring } from '../../src/store/keyring.ts';

export const MASTER_KEY = '07'.repeat(32);
/** Of each license that has any. */
export const ACTIVATIONS = 3;
/** Licenses that have activations, the first ones: more would only fill disks. */
export const activatedOf = (licenses: number): number => Math.min(licenses, 1_000_000);

export const keyOf = (i: number): string => `BENCH-${String(i).padStart(8, '0')}-LATCHKEY`;
export const tokenOf = (i: number, nth: number): string =>
  createHash('sha1').update(`bench ${i} ${nth}`).digest('hex');

const CHUNK = 20_000;
const WHEN = '2026-01-01 00:00:00';

interface Chunk {
  /** Columns: key_hash, sealed_key, product_id. */
  licenses: [Buffer[], Buffer[], number[]];
  /** Columns: license_id, token. */
  activations: [number[], string[]];
}

function* chunks(licenses: number): Generator<Chunk> {
  const keyring = createKeyring(Buffer.from(MASTER_KEY, 'hex'));
  for (let from = 1; from <= licenses; from += CHUNK) {
    const chunk: Chunk = { licenses: [[], [], []], activations: [[], []] };
    for (let i = from; i < from + CHUNK && i <= licenses; i++) {
      chunk.licenses[0].push(keyring.hash(keyOf(i)));
      chunk.licenses[1].push(keyring.seal(keyOf(i)));
      chunk.licenses[2].push(i % 50);
      for (let nth = 0; nth < ACTIVATIONS && i <= activatedOf(licenses); nth++) {
        chunk.activations[0].push(i);
        chunk.activations[1].push(tokenOf(i, nth));
      }
    }
    yield chunk;
  }
}

/**
 * Fills a migrated database, once: a folder that is marked as whole is kept.
 * @param tables makes the tables, where they are not there
 */
export async function makeDataset(
  folder: string,
  licenses: number,
  url: string | null,
  tables: () => Promise<void>,
): Promise<void> {
  const mark = join(folder, 'whole');
  if (existsSync(mark)) return;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await tables();
  console.error(`making ${licenses.toLocaleString('en')} licenses in ${folder}`);
  if (url === null) fillSqlite(join(folder), licenses);
  else await fillPostgres(url, licenses);
  writeFileSync(mark, '');
}

function fillSqlite(dataDir: string, licenses: number): void {
  const database = new DatabaseSync(databaseFile(dataDir));
  database.exec('pragma synchronous = off');
  const license = database.prepare(
    `insert into licenses (key_hash, sealed_key, product_id, valid_for, source, status, times_activated,
       activations_limit, created_at, created_by) values (?, ?, ?, 0, 2, 3, ?, 0, '${WHEN}', 1)`,
  );
  const activation = database.prepare(
    `insert into activations (license_id, token, source, created_at) values (?, ?, 2, '${WHEN}')`,
  );
  let id = 0;
  for (const { licenses: columns, activations } of chunks(licenses)) {
    database.exec('begin');
    columns[0].forEach((hash, i) => {
      const isActivated = ++id <= activatedOf(licenses);
      license.run(hash, columns[1][i] as Buffer, columns[2][i] as number, isActivated ? ACTIVATIONS : 0);
    });
    activations[0].forEach((licenseId, i) => void activation.run(licenseId, activations[1][i] as string));
    database.exec('commit');
  }
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
}

async function fillPostgres(url: string, licenses: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query('set synchronous_commit = off');
  for (const chunk of chunks(licenses)) {
    await client.query(
      `insert into licenses (key_hash, sealed_key, product_id, valid_for, source, status, times_activated,
         activations_limit, created_at, created_by)
       select *, 0, 2, 3, ${ACTIVATIONS}, 0, '${WHEN}', 1 from unnest($1::bytea[], $2::bytea[], $3::bigint[])`,
      chunk.licenses,
    );
    await client.query(
      `insert into activations (license_id, token, source, created_at)
       select *, 2, '${WHEN}' from unnest($1::bigint[], $2::text[])`,
      chunk.activations,
    );
  }
  await client.query('analyze');
  await client.end();
}
