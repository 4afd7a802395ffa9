import { type Compilable, sql } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import type { EngineTools } from '../../migrations/migration.ts';
import {
  type Committed,
  type Gone,
  MOVING_KINDS,
  type MovedTotals,
  type MoveFault,
  type MovingKind,
} from '../../moving/moving.ts';
import type { Database, Schema } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';

/** The columns of a staged record, with bytes as base64. `license_id` is the id in the shop. */
export type StagedColumns = Readonly<Record<string, string | number | null>> & { license_id?: number };

interface Move {
  connection: Connection;
  db: Database;
  tools: EngineTools;
  shop: string;
  now: Datetime;
}

interface Kind {
  table: 'generators' | 'api_keys' | 'licenses' | 'license_meta' | 'activations';
  /** The column by which a record is known to exist already. */
  unique: 'key_hash' | 'token' | null;
  ofLicense: boolean;
}
const KINDS: Record<MovingKind, Kind> = {
  generator: { table: 'generators', unique: null, ofLicense: false },
  api_key: { table: 'api_keys', unique: 'key_hash', ofLicense: false },
  license: { table: 'licenses', unique: 'key_hash', ofLicense: false },
  license_meta: { table: 'license_meta', unique: null, ofLicense: true },
  activation: { table: 'activations', unique: 'token', ofLicense: true },
};
const BYTES = new Set(['key_hash', 'sealed_key', 'ending_hash', 'sealed_token', 'secret_hash']);

/** Kinds whose ids programs see. */
const NAMED_BY_ID: ReadonlySet<MovingKind> = new Set(['generator', 'license', 'activation']);

const ROWS_AT_ONCE = 200;
/** Records without a row in the shop have negative ids. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER;
const SLOW = { slow: true };

/** A staged record, ready to be inserted. */
interface Ready {
  sourceId: number;
  digest: Uint8Array;
  columns: Record<string, unknown>;
}
type Moved = Schema['moved_records'];

/** Makes records of what is staged. Every statement works beside other changes: a taken key or id is met by the insert. */
export async function commitMove(move: Move, gone: Gone): Promise<Committed> {
  const totals = {} as MovedTotals;
  const faults: MoveFault[] = [];
  /** Licenses whose activations are counted again. */
  const recounted = new Set<number>();
  for (const kind of MOVING_KINDS) {
    totals[kind] = { created: 0, updated: 0, deleted: 0 };
    const taken: Ready[] = [];
    let after = BEFORE_ALL;
    for (;;) {
      const rows = await nextStaged(move, kind, after);
      const last = rows.at(-1);
      if (!last) break;
      after = last.sourceId;
      await commitRows(move, kind, rows, { totals, faults, recounted, taken });
    }
    if (taken.length > 0) await insertWithNewIds(move, kind, taken, { totals, faults });
    if (totals[kind].created > 0) await advanceIds(move, KINDS[kind].table);
  }
  for (const kind of MOVING_KINDS.toReversed())
    totals[kind].deleted = await deleteGone(move, kind, gone[kind], recounted);
  await recount(move, [...recounted]);
  await execute(move.connection, move.db.deleteFrom('staged_records').where('shop', '=', move.shop), SLOW);
  return { totals, faults };
}

/** Inserts rows whose id is taken, or that have none in the shop. */
async function insertWithNewIds(
  move: Move,
  kind: MovingKind,
  rows: readonly Ready[],
  { totals, faults }: Committed,
): Promise<void> {
  const { table, unique } = KINDS[kind];
  await advanceIds(move, table);
  // Without a unique column, only a row of its own statement is known to have the id that comes back.
  const atOnce = unique ? ROWS_AT_ONCE : 1;
  for (let at = 0; at < rows.length; at += atOnce) {
    const some = rows.slice(at, at + atOnce);
    const inserted = await insert(
      move,
      kind,
      some.map(({ columns }) => columns),
    );
    const ours = new Set(inserted.rows.map(({ id }) => id));
    const ids = unique ? await idsBy(move, kind, unique, some) : null;
    for (const row of some) {
      const recordId = ids && unique ? ids.get(nameOf(row.columns[unique])) : inserted.rows[0]?.id;
      if (recordId === undefined) throw new Error(`a ${kind} was deleted meanwhile: move in again`);
      // The second one with a key finds the first one.
      const isNew = ours.delete(recordId);
      await noteMoved(move, kind, [{ ...row, recordId, merged: isNew ? 0 : 1 }]);
      if (isNew) totals[kind].created++;
      const fault = { kind, sourceId: row.sourceId, recordId };
      if (!isNew) faults.push({ ...fault, code: 'exists' });
      else if (row.sourceId > 0 && NAMED_BY_ID.has(kind)) faults.push({ ...fault, code: 'new_id' });
    }
  }
}

interface Tally extends Committed {
  recounted: Set<number>;
  taken: Ready[];
}

async function commitRows(
  move: Move,
  kind: MovingKind,
  rows: readonly Ready[],
  { totals, faults, recounted, taken }: Tally,
): Promise<void> {
  const { unique, ofLicense } = KINDS[kind];
  const fault = ({ sourceId }: Ready, code: MoveFault['code'], recordId: number | null = null) =>
    void faults.push({ kind, sourceId, code, recordId });
  const licenses = ofLicense
    ? await movedBy(
        move,
        'license',
        rows.map(({ columns }) => columns.license_id as number),
      )
    : null;
  const known = await movedBy(
    move,
    kind,
    rows.map(({ sourceId }) => sourceId),
  );
  const fresh: Ready[] = [];
  const changed: Ready[] = [];
  for (const row of rows) {
    if (licenses) {
      const license = licenses.get(row.columns.license_id as number);
      if (!license) {
        fault(row, 'no_license');
        continue;
      }
      row.columns.license_id = license.record_id;
      if (kind === 'activation') recounted.add(license.record_id);
    }
    (known.has(row.sourceId) ? changed : fresh).push(row);
  }

  for (const row of changed) {
    const { record_id: id, merged } = known.get(row.sourceId) as Moved;
    const outcome = merged === 1 ? 'merged' : await update(move, kind, id, row.columns);
    if (outcome === 'updated') totals[kind].updated++;
    else if (outcome === 'merged') fault(row, 'exists', id);
    else fault(row, outcome);
    await noteMoved(move, kind, [{ ...row, recordId: id, merged }]);
  }

  const withId = fresh.filter(({ sourceId }) => sourceId > 0);
  const inserted =
    withId.length === 0
      ? { rows: [] }
      : await insert(
          move,
          kind,
          withId.map(({ sourceId, columns }) => ({ id: sourceId, ...columns })),
        );
  const ids = new Set(inserted.rows.map(({ id }) => id));
  const done = fresh.filter(({ sourceId }) => ids.has(sourceId));
  totals[kind].created += done.length;
  await noteMoved(
    move,
    kind,
    done.map((row) => ({ ...row, recordId: row.sourceId, merged: 0 })),
  );
  if (done.length === fresh.length) return;
  const others = fresh.filter(({ sourceId }) => !ids.has(sourceId));
  const existing = unique ? await idsBy(move, kind, unique, others) : new Map<string, number>();
  for (const row of others) {
    const id = unique && existing.get(nameOf(row.columns[unique]));
    if (!id) taken.push(row);
    else {
      fault(row, 'exists', id);
      await noteMoved(move, kind, [{ ...row, recordId: id, merged: 1 }]);
    }
  }
}

const nameOf = (value: unknown): string =>
  typeof value === 'string' ? value : Buffer.from(value as Uint8Array).toString('latin1');

async function nextStaged({ connection, db, shop }: Move, kind: MovingKind, after: number): Promise<Ready[]> {
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
      BYTES.has(name) && value !== null ? Buffer.from(String(value), 'base64') : value,
    ]);
    return { sourceId, digest, columns: Object.fromEntries(columns) };
  });
}

async function movedBy(
  { connection, db, shop }: Move,
  kind: MovingKind,
  sourceIds: readonly number[],
): Promise<Map<number, Moved>> {
  const query = db.selectFrom('moved_records').selectAll().where('shop', '=', shop).where('kind', '=', kind);
  const { rows } = await execute(connection, query.where('source_id', 'in', [...new Set(sourceIds)]));
  return new Map(rows.map((row) => [row.source_id, row]));
}

/** Inserts the rows whose id and unique column are free. @returns their ids */
const insert = ({ connection, db }: Move, kind: MovingKind, rows: readonly object[]) =>
  execute(
    connection,
    db
      .insertInto(KINDS[kind].table)
      .values(rows as never)
      .onConflict((conflict) => conflict.doNothing())
      .returning('id'),
    SLOW,
  );

/** Ids of the records that have the unique values of some rows. */
async function idsBy(
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

async function update(
  move: Move,
  kind: MovingKind,
  id: number,
  columns: Ready['columns'],
): Promise<'updated' | 'key_taken' | 'deleted_here'> {
  const { connection, db } = move;
  const { table, unique } = KINDS[kind];
  // A key that was used since is stored by another hash, which stays.
  const { key_hash: _, hashed_by: __, created_at: ___, ...ofApiKey } = columns;
  const values = kind === 'api_key' ? ofApiKey : columns;
  if (kind === 'license') {
    const owner = (await idsBy(move, kind, 'key_hash', [{ columns } as Ready])).get(
      nameOf(columns[unique as string]),
    );
    if (owner !== undefined && owner !== id) return 'key_taken';
  }
  const query = db
    .updateTable(table)
    .set(values as never)
    .where('id', '=', id);
  return (await execute(connection, query)).affected === 1 ? 'updated' : 'deleted_here';
}

async function noteMoved(
  { connection, db, shop }: Move,
  kind: MovingKind,
  rows: readonly (Ready & { recordId: number; merged: number })[],
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ sourceId, digest, recordId, merged }) => ({
    ...{ shop, kind, source_id: sourceId, digest, record_id: recordId, merged },
  }));
  const query = db.insertInto('moved_records').values(values);
  const upsert = query.onConflict((conflict) =>
    conflict
      .columns(['shop', 'kind', 'source_id'])
      .doUpdateSet({ digest: (eb) => eb.ref('excluded.digest') }),
  );
  await execute(connection, upsert, SLOW);
}

/** Deletes what records that are gone became, unless it existed before. API keys are revoked: the audit trail names them. */
async function deleteGone(
  move: Move,
  kind: MovingKind,
  sourceIds: readonly number[],
  recounted: Set<number>,
): Promise<number> {
  const { connection, db, shop, now } = move;
  const { table } = KINDS[kind];
  let deleted = 0;
  for (let at = 0; at < sourceIds.length; at += ROWS_AT_ONCE) {
    const some = sourceIds.slice(at, at + ROWS_AT_ONCE);
    const moved = [...(await movedBy(move, kind, some)).values()].filter(({ merged }) => merged === 0);
    const ids = moved.map((row) => row.record_id);
    if (ids.length > 0) {
      const query =
        kind === 'api_key'
          ? db.updateTable('api_keys').set({ revoked_at: now }).where('id', 'in', ids)
          : db
              .deleteFrom(table)
              .where('id', 'in', ids)
              .$if(kind === 'activation', (one) => one.returning('license_id' as never));
      const { rows, affected } = await execute(
        connection,
        query as Compilable<{ license_id?: number }>,
        SLOW,
      );
      for (const { license_id: id } of rows) if (id !== undefined) recounted.add(id);
      deleted += Math.max(affected, rows.length);
    }
    const noted = db.deleteFrom('moved_records').where('shop', '=', shop).where('kind', '=', kind);
    await execute(connection, noted.where('source_id', 'in', some));
  }
  return deleted;
}

/** Counts the valid activations of licenses again. */
async function recount({ connection, db, tools }: Move, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE) {
    const some = ids.slice(at, at + ROWS_AT_ONCE);
    // A statement after the lock sees every activation that took a seat before.
    const lock = db.selectFrom('licenses').select('id').where('id', 'in', some).orderBy('id');
    await execute(connection, lock.modifyEnd(tools.lockRows), { reads: false });
    const valid = sql<number>`(select count(*) from activations where license_id = licenses.id and deactivated_at is null)`;
    const update = db.updateTable('licenses').set({ times_activated: valid }).where('id', 'in', some);
    await execute(connection, update.where('times_activated', '<>', valid), SLOW);
  }
}

/** PostgreSQL does not advance a sequence when a row brings its own id. */
async function advanceIds({ connection, tools }: Move, table: string): Promise<void> {
  const advance = tools.advanceIds(table);
  if (advance) await execute(connection, advance, SLOW);
}
