import { sql } from 'kysely';
import { DISABLED } from '../../../domain/licenses/license.ts';
import {
  type Committed,
  type Gone,
  MOVING_KINDS,
  type MovedTotals,
  type MoveFault,
  type MovingKind,
} from '../../moving/moving.ts';
import { revoking } from '../licenses/revocations.ts';
import { execute } from '../statement.ts';
import { deleteGone, recount } from './finish-move.ts';
import { insertNew } from './insert-new.ts';
import {
  idsBy,
  insert,
  KINDS,
  licensesOf,
  type Move,
  movedBy,
  nameOf,
  nextStaged,
  noteMoved,
  ownRecords,
  RETRIED,
  type Ready,
  ROWS_AT_ONCE,
  reserveIds,
  trashedIds,
} from './move-rows.ts';

/** Kinds whose ids programs see. */
const NAMED_BY_ID: ReadonlySet<MovingKind> = new Set(['generator', 'license', 'activation']);

/** Below all ids: records without a row in the shop have negative ids. */
const BEFORE_ALL = Number.MIN_SAFE_INTEGER;

/** Turns staged records into records. Other changes may commit meanwhile: an insert skips a row whose id or key is taken. */
export async function commitMove(move: Move, gone: Gone): Promise<Committed> {
  const totals = {} as MovedTotals;
  const faults: MoveFault[] = [];
  await forgetMerged(move);
  for (const kind of MOVING_KINDS) {
    await reserveIds(move, kind);
    const created = kind === 'license' || kind === 'activation' ? await insertNew(move, kind) : 0;
    totals[kind] = { created, updated: 0, deleted: 0 };
    const taken: Ready[] = [];
    const orphans = new Set(await ownRecords(move, kind, gone[kind]));
    let trashed: ReadonlySet<number> | undefined;
    let after = BEFORE_ALL;
    for (;;) {
      const rows = await nextStaged(move, kind, after);
      const last = rows.at(-1);
      if (!last) break;
      after = last.sourceId;
      trashed ??= await trashedIds(move, kind);
      await commitRows(move, kind, rows, { totals, faults, taken, trashed, orphans });
    }
    if (taken.length > 0) await insertWithNewIds(move, kind, taken, { totals, faults });
  }
  for (const kind of MOVING_KINDS.toReversed()) {
    // Licenses that are gone have lost their activations. Those that existed here before the move stay, so their
    // seats are recounted while `moved_records` still names them.
    if (kind === 'license') await recount(move);
    totals[kind].deleted = await deleteGone(move, kind, gone[kind]);
  }
  await execute(move.connection, move.db.deleteFrom('staged_records').where('shop', '=', move.shop), {
    slow: true,
  });
  return { totals, faults };
}

/** Forgets which records stood for staged rows, so that the commit treats these rows as new. */
async function forgetMerged({ connection, db, shop }: Move): Promise<void> {
  const staged = db
    .selectFrom('staged_records as staged')
    .select('source_id')
    .where('staged.shop', '=', shop);
  for (const kind of RETRIED) {
    const merged = db.deleteFrom('moved_records').where('shop', '=', shop).where('kind', '=', kind);
    const query = merged.where('merged', '=', 1).where('source_id', 'in', staged.where('kind', '=', kind));
    await execute(connection, query, { slow: true });
  }
}

/** Inserts rows with new ids, because their id is taken or they have none in the shop. */
async function insertWithNewIds(
  move: Move,
  kind: MovingKind,
  rows: readonly Ready[],
  { totals, faults }: Committed,
): Promise<void> {
  const { unique } = KINDS[kind];
  // Without a unique column, a returned id can be matched with a row only if the statement inserts no other row.
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
      // The second row with a key finds the record of the first.
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
  taken: Ready[];
  trashed: ReadonlySet<number>;
  /** Ids of the records of rows that are gone from the shop. The first row with the same key or token takes them over. */
  orphans: Set<number>;
}

async function commitRows(
  move: Move,
  kind: MovingKind,
  rows: readonly Ready[],
  { totals, faults, taken, trashed, orphans }: Tally,
): Promise<void> {
  const { unique, ofLicense } = KINDS[kind];
  const fault = ({ sourceId }: Ready, code: MoveFault['code'], recordId: number | null = null) =>
    void faults.push({ kind, sourceId, code, recordId });
  const licenses = ofLicense
    ? await licensesOf(
        move,
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
      row.columns.license_id = license;
    }
    (known.has(row.sourceId) ? changed : fresh).push(row);
  }

  const noted: (Ready & { recordId: number; merged: number })[] = [];
  /** Updates the record of a row. Leaves a record that only stands for the row as it is. */
  const settle = async (row: Ready, recordId: number, merged: number) => {
    const outcome = merged === 1 ? 'exists' : await update(move, kind, recordId, row.columns);
    if (outcome === 'updated') totals[kind].updated++;
    else fault(row, outcome, merged === 1 ? recordId : null);
    // The next move tries the others again: the key or token may be free then, or the record restored from the trash.
    if (outcome === 'updated' || outcome === 'exists') noted.push({ ...row, recordId, merged });
  };
  for (const row of changed) {
    const { record_id: recordId, merged } = known.get(row.sourceId) as { record_id: number; merged: number };
    await settle(row, recordId, merged);
  }

  const withId = fresh.filter(({ sourceId }) => sourceId > 0 && !trashed.has(sourceId));
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
  noted.push(...done.map((row) => ({ ...row, recordId: row.sourceId, merged: 0 })));
  const others = fresh.filter(({ sourceId }) => !ids.has(sourceId));
  const existing =
    unique && others.length > 0 ? await idsBy(move, kind, unique, others) : new Map<string, number>();
  for (const row of others) {
    const id = unique && existing.get(nameOf(row.columns[unique]));
    if (!id) {
      taken.push(row);
      continue;
    }
    const inherits = orphans.delete(id);
    await settle(row, id, inherits ? 0 : 1);
    if (inherits && NAMED_BY_ID.has(kind)) fault(row, 'new_id', id);
  }
  await noteMoved(move, kind, noted);
}

/**
 * Columns of an API key that a move updates from the shop. The others are set here: the hash at the first use, and
 * products, expiry and compatibility, which the plugins do not have.
 */
const OF_SHOP: ReadonlySet<string> = new Set([
  ...['description', 'permission', 'endpoints', 'secret_hash', 'lmfwc_version'],
]);

async function update(
  move: Move,
  kind: MovingKind,
  id: number,
  columns: Ready['columns'],
): Promise<'updated' | 'key_taken' | 'deleted_here'> {
  const { connection, db, now } = move;
  const { table, unique } = KINDS[kind];
  // A shop that does not know a customer's email address does not remove a stored one.
  const isOfShop = ([name, value]: [string, unknown]) =>
    kind === 'api_key' ? OF_SHOP.has(name) : name !== 'customer_email' || value !== null;
  const values = {
    ...Object.fromEntries(Object.entries(columns).filter(isOfShop)),
    ...(kind === 'activation' && {
      // The shop decides whether an activation has ended, and knows no way to end other than deactivation.
      ended_as: null,
      // Only the token that the binding is sealed under opens it.
      binding: sql`case when token = ${columns.token} then binding end`,
    }),
  };
  if (unique && unique in values) {
    const owner = (await idsBy(move, kind, unique, [{ columns } as Ready])).get(nameOf(columns[unique]));
    if (owner !== undefined && owner !== id) return 'key_taken';
  }
  if (kind === 'license' && columns.status === DISABLED) {
    const enabled = db
      .selectFrom('licenses')
      .select('id')
      .where('id', '=', id)
      .where('status', '!=', DISABLED);
    if ((await execute(connection, enabled)).rows.length > 0)
      await revoking(db).licenses(connection, [id], now);
  }
  if (kind === 'activation' && columns.deactivated_at !== null)
    await revoking(db).activations(connection, [id], now);
  const query = db
    .updateTable(table)
    .set(values as never)
    .where('id', '=', id);
  return (await execute(connection, query)).affected === 1 ? 'updated' : 'deleted_here';
}
