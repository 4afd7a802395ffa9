import { sql } from 'kysely';
import type { MovingKind } from '../../moving/moving.ts';
import { revoking } from '../licenses/revocations.ts';
import { execute } from '../statement.ts';
import { KINDS, type Move, ownRecords, ROWS_AT_ONCE } from './move-rows.ts';

/**
 * Deletes the records of rows that are gone from the shop. A record stays if it existed before the move, or if it
 * also stands for another row of this or another shop: it then belongs to that row. API keys are revoked instead, because
 * the audit trail names them.
 */
export async function deleteGone(
  move: Move,
  kind: MovingKind,
  sourceIds: readonly number[],
): Promise<number> {
  const { connection, db, shop, now } = move;
  const { table } = KINDS[kind];
  let deleted = 0;
  for (let at = 0; at < sourceIds.length; at += ROWS_AT_ONCE) {
    const some = sourceIds.slice(at, at + ROWS_AT_ONCE);
    const records = await ownRecords(move, kind, some);
    const noted = db.deleteFrom('moved_records').where('shop', '=', shop).where('kind', '=', kind);
    await execute(connection, noted.where('source_id', 'in', some));
    const inherited = await passOn(move, kind, records, new Set(sourceIds));
    const ids = records.filter((id) => !inherited.has(id));
    if (ids.length > 0) {
      if (kind === 'license') {
        await forgetBelongings(move, ids);
        await revoking(db).licenses(connection, ids, now);
      }
      if (kind === 'activation') await revoking(db).activations(connection, ids, now);
      const query =
        kind === 'api_key'
          ? db
              .updateTable('api_keys')
              .set({ revoked_at: now })
              .where('id', 'in', ids)
              .where('revoked_at', 'is', null)
          : db.deleteFrom(table).where('id', 'in', ids);
      deleted += (await execute(connection, query)).affected;
    }
  }
  return deleted;
}

/**
 * Forgets the activations and metadata of licenses that are deleted with them. If the shop still has their rows, and gets the
 * licenses back, the next move makes records of them again.
 */
async function forgetBelongings({ connection, db }: Move, licenseIds: readonly number[]): Promise<void> {
  for (const kind of ['activation', 'license_meta'] as const) {
    const records = db.selectFrom(KINDS[kind].table).select('id').where('license_id', 'in', licenseIds);
    const moved = db.deleteFrom('moved_records').where('kind', '=', kind).where('record_id', 'in', records);
    await execute(connection, moved, { slow: true });
  }
}

/**
 * Passes records to the first remaining row that they stand for, unless this move has passed them to a row already.
 * Clears the digest of such a row, so that the next move of its shop takes its values.
 * @returns ids of the records that have such a row
 */
async function passOn(
  { connection, db, shop }: Move,
  kind: MovingKind,
  recordIds: readonly number[],
  gone: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  if (recordIds.length === 0) return new Set();
  const ofKind = db.selectFrom('moved_records').where('kind', '=', kind);
  const query = ofKind
    .select(['shop', 'source_id', 'record_id', 'merged'])
    .where('record_id', 'in', recordIds)
    // A record that was deleted here for good may have had the same id: another shop's own rows do not count.
    .where((eb) => eb.or([eb('shop', '=', shop), eb('merged', '=', 1)]))
    .orderBy('merged')
    .orderBy('source_id');
  const { rows } = await execute(connection, query, { slow: true });
  const passed = new Set<number>();
  for (const row of rows) {
    if (passed.has(row.record_id) || (row.shop === shop && gone.has(row.source_id))) continue;
    passed.add(row.record_id);
    if (row.merged === 0) continue;
    const heir = db
      .updateTable('moved_records')
      .set({ merged: 0, digest: new Uint8Array(0) })
      .where('shop', '=', row.shop)
      .where('kind', '=', kind)
      .where('source_id', '=', row.source_id);
    await execute(connection, heir);
  }
  return passed;
}

/** Corrects how many activations of the shop's licenses are valid. */
export async function recount({ connection, db, engine, shop }: Move): Promise<void> {
  const moved = db
    .selectFrom('moved_records')
    .select('record_id')
    .where('shop', '=', shop)
    .where('kind', '=', 'license');
  const valid = sql<number>`(select count(*) from activations where license_id = licenses.id and deactivated_at is null)`;
  const wrong = db
    .selectFrom('licenses')
    .select('id')
    .where('id', 'in', moved)
    .where('times_activated', '<>', valid)
    .orderBy('id');
  const { rows } = await execute(connection, wrong, { slow: true });
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const ids = rows.slice(at, at + ROWS_AT_ONCE).map(({ id }) => id);
    // Locked in a statement of its own: with the condition above, PostgreSQL would compare the seats that another
    // transaction has changed meanwhile with the activations from before, and could find them right.
    const these = db.selectFrom('licenses').select('id').where('id', 'in', ids).orderBy('id');
    await execute(connection, these.modifyEnd(engine.lockRows), { reads: false });
    // A statement after the lock sees every activation that took a seat before.
    await execute(
      connection,
      db.updateTable('licenses').set({ times_activated: valid }).where('id', 'in', ids),
    );
  }
}
