import { sql } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import type { MovingKind } from '../../moving/moving.ts';
import { belongingsOf } from '../licenses/belongings.ts';
import type { Schema } from '../schema.ts';
import { type Connection, type Database, execute, type SqlEngine } from '../statement.ts';

/** The columns of a staged record, with bytes as hex. `license_id` is the id in the shop. */
export type StagedColumns = Readonly<Record<string, string | number | null>> & { license_id?: number };

export interface Move {
  connection: Connection;
  db: Database;
  engine: SqlEngine;
  shop: string;
  now: Datetime;
}

interface Kind {
  table: 'generators' | 'api_keys' | 'licenses' | 'license_meta' | 'activations';
  /** The column that shows whether a record exists already; null if the kind has none. */
  unique: 'key_hash' | 'token' | null;
  ofLicense: boolean;
}
export const KINDS = {
  generator: { table: 'generators', unique: null, ofLicense: false },
  api_key: { table: 'api_keys', unique: 'key_hash', ofLicense: false },
  license: { table: 'licenses', unique: 'key_hash', ofLicense: false },
  license_meta: { table: 'license_meta', unique: null, ofLicense: true },
  activation: { table: 'activations', unique: 'token', ofLicense: true },
} as const satisfies Record<MovingKind, Kind>;

/**
 * Kinds of which each move retries the rows that another record stands for: the key or token may be free by now. API keys are
 * not retried: their first use changes the hash here, so the row would no longer find its record.
 */
export const RETRIED: readonly MovingKind[] = ['license', 'activation'];
const BYTES = new Set(['key_hash', 'sealed_key', 'ending_hash', 'sealed_token', 'secret_hash']);

/** Maximum number of rows in one statement. */
export const ROWS_AT_ONCE = 200;

/** A staged record, ready to be inserted. */
export interface Ready {
  sourceId: number;
  digest: Uint8Array;
  columns: Record<string, unknown>;
}
type Moved = Schema['moved_records'];

export const nameOf = (value: unknown): string =>
  typeof value === 'string' ? value : Buffer.from(value as Uint8Array).toString('latin1');

export async function nextStaged(
  { connection, db, shop }: Move,
  kind: MovingKind,
  after: number,
): Promise<Ready[]> {
  const query = db
    .selectFrom('staged_records')
    .select(['source_id', 'digest', 'record'])
    .where('shop', '=', shop)
    .where('kind', '=', kind)
    .where('source_id', '>', after)
    .orderBy('source_id')
    .limit(ROWS_AT_ONCE);
  const { rows } = await execute(connection, query);
  return rows.map(({ source_id: sourceId, digest, record }) => {
    const entries = Object.entries(JSON.parse(record) as StagedColumns);
    const columns = entries.map(([name, value]) => [
      name,
      BYTES.has(name) && value !== null ? Buffer.from(String(value), 'hex') : value,
    ]);
    return { sourceId, digest, columns: Object.fromEntries(columns) };
  });
}

export async function movedBy(
  { connection, db, shop }: Move,
  kind: MovingKind,
  sourceIds: readonly number[],
): Promise<Map<number, Moved>> {
  const query = db.selectFrom('moved_records').selectAll().where('shop', '=', shop).where('kind', '=', kind);
  const { rows } = await execute(connection, query.where('source_id', 'in', [...new Set(sourceIds)]));
  return new Map(rows.map((row) => [row.source_id, row]));
}

/** Ids of the records that some rows of the shop have become, without records that only stand for a row. */
export async function ownRecords(
  move: Move,
  kind: MovingKind,
  sourceIds: readonly number[],
): Promise<number[]> {
  const records: number[] = [];
  for (let at = 0; at < sourceIds.length; at += ROWS_AT_ONCE) {
    const moved = await movedBy(move, kind, sourceIds.slice(at, at + ROWS_AT_ONCE));
    for (const { merged, record_id } of moved.values()) if (merged === 0) records.push(record_id);
  }
  return records;
}

/** License ids here, keyed by license ids in the shop. Licenses that were deleted here since are missing. */
export async function licensesOf(
  { connection, db, shop }: Move,
  sourceIds: readonly number[],
): Promise<Map<number, number>> {
  const query = db
    .selectFrom('moved_records')
    .innerJoin('licenses', 'licenses.id', 'moved_records.record_id')
    .select(['source_id', 'licenses.id'])
    .where('shop', '=', shop)
    .where('kind', '=', 'license')
    .where('source_id', 'in', [...new Set(sourceIds)]);
  const { rows } = await execute(connection, query);
  return new Map(rows.map(({ source_id, id }) => [source_id, id]));
}

/** Finds whether the id of a staged row belongs to a record in the trash. A restored record has its id again. */
export const TRASHED = {
  license: sql`select 1 from trashed_licenses where license_id = staged.source_id`,
  activation: sql`select 1 from trashed_activations where id = staged.source_id`,
} as const;

/** Ids of records in the trash: at least those that staged rows have, too. */
export async function trashedIds(
  { connection, db, shop }: Move,
  kind: MovingKind,
): Promise<ReadonlySet<number>> {
  if (kind === 'license_meta') return belongingsOf(db).metaIds(connection);
  if (kind !== 'license' && kind !== 'activation') return new Set();
  const query = db
    .selectFrom('staged_records as staged')
    .select('source_id')
    .where('shop', '=', shop)
    .where('kind', '=', kind)
    .where(sql<boolean>`exists (${TRASHED[kind]})`);
  const { rows } = await execute(connection, query, { slow: true });
  return new Set(rows.map((row) => row.source_id));
}

/** Inserts the rows whose id and unique column are free. @returns their ids */
export const insert = ({ connection, db }: Move, kind: MovingKind, rows: readonly object[]) =>
  execute(
    connection,
    db
      .insertInto(KINDS[kind].table)
      .values(rows as never)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id'),
  );

/** Ids of the records that have the unique values of some rows. */
export async function idsBy(
  { connection, db }: Move,
  kind: MovingKind,
  unique: 'key_hash' | 'token',
  rows: readonly Ready[],
): Promise<Map<string, number>> {
  // Kysely cannot follow a table that depends on a value.
  const query = db.selectFrom(KINDS[kind].table as 'api_keys').select(['id', unique as 'key_hash']);
  const values = rows.map(({ columns }) => columns[unique] as Uint8Array);
  const found = await execute(connection, query.where(unique as 'key_hash', 'in', values));
  return new Map(found.rows.map((row) => [nameOf(row[unique as 'key_hash']), row.id]));
}

export async function noteMoved(
  { connection, db, shop }: Move,
  kind: MovingKind,
  rows: readonly (Ready & { recordId: number; merged: number })[],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ sourceId, digest, recordId, merged }) => ({
    shop,
    kind,
    source_id: sourceId,
    digest,
    record_id: recordId,
    merged,
  }));
  const query = db.insertInto('moved_records').values(values);
  const upsert = query.onConflict((conflict) =>
    conflict
      .columns(['shop', 'kind', 'source_id'])
      .doUpdateSet({ digest: (eb) => eb.ref('excluded.digest') }),
  );
  await execute(connection, upsert);
}

/**
 * Keeps the ids of staged rows from new records of others, before the move inserts them: others see its rows only after
 * its commit.
 */
export async function reserveIds({ connection, db, engine, shop }: Move, kind: MovingKind): Promise<void> {
  const staged = db.selectFrom('staged_records').where('shop', '=', shop).where('kind', '=', kind);
  const query = staged.select(({ fn }) => fn.max('source_id').as('highest'));
  const highest = (await execute(connection, query)).rows[0]?.highest ?? 0;
  const advance = engine.advanceIds(KINDS[kind].table, highest);
  if (advance) await execute(connection, advance.compile(db));
}
