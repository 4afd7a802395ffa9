import { sql } from 'kysely';
import type { MovingKind } from '../../moving/moving.ts';
import { execute } from '../statement.ts';
import { KINDS, type Move, movedBy, ROWS_AT_ONCE } from './move-rows.ts';

/** Deletes what records that are gone became, unless it existed before. API keys are revoked: the audit trail names them. */
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
    const moved = [...(await movedBy(move, kind, some)).values()].filter(({ merged }) => merged === 0);
    const ids = moved.map((row) => row.record_id);
    if (ids.length > 0) {
      const query =
        kind === 'api_key'
          ? db.updateTable('api_keys').set({ revoked_at: now }).where('id', 'in', ids)
          : db.deleteFrom(table).where('id', 'in', ids);
      deleted += (await execute(connection, query)).affected;
    }
    const noted = db.deleteFrom('moved_records').where('shop', '=', shop).where('kind', '=', kind);
    await execute(connection, noted.where('source_id', 'in', some));
  }
  return deleted;
}

/** Corrects how many activations of the shop's licenses are valid. */
export async function recount({ connection, db, tools, shop }: Move): Promise<void> {
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
  const { rows } = await execute(connection, wrong.modifyEnd(tools.lockRows), { reads: false, slow: true });
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const ids = rows.slice(at, at + ROWS_AT_ONCE).map(({ id }) => id);
    // A statement after the lock sees every activation that took a seat before.
    await execute(
      connection,
      db.updateTable('licenses').set({ times_activated: valid }).where('id', 'in', ids),
    );
  }
}
