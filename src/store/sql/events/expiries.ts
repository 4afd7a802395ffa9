import { sql } from 'kysely';
import type { ExpiryMark, ExpiryWrites } from '../../events/events.ts';
import { addMeta, metaOf } from '../meta.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

/** The rows of `meta` that hold the marks: `2026-11-06 21:20:00 17`. */
const nameOf = (days: number): string => `expiries_told_${days}`;
const textOf = ({ at, id }: ExpiryMark): string => `${at} ${id}`;
const MARK = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (\d{1,16})$/;

export function expiryQueries(db: Database) {
  const between = prepare((p: { at: string; id: number; upTo: string; limit: number }) =>
    db
      .selectFrom('licenses')
      .select(['id', 'product_id as productId', 'created_at as createdAt', 'expires_at as expiresAt'])
      .where(sql<boolean>`(expires_at, id) > (${p.at}, ${p.id})`)
      .where('expires_at', '<=', p.upTo)
      .orderBy('expires_at')
      .orderBy('id')
      .limit(p.limit),
  );
  return (connection: Connection): ExpiryWrites => ({
    async mark(days) {
      const text = (await metaOf(connection, db, [nameOf(days)])).get(nameOf(days));
      const [, at, id] = MARK.exec(text ?? '') ?? [];
      return at === undefined ? null : { at, id: Number(id) };
    },
    async move(days, from, to) {
      const name = nameOf(days);
      if (from === null) {
        await execute(
          connection,
          db.deleteFrom('meta').where('name', '=', name).where('value', 'not like', '____-__-__ __:__:__ %'),
        );
        await addMeta(connection, db, name, textOf(to));
        return (await metaOf(connection, db, [name])).get(name) === textOf(to);
      }
      const query = db
        .updateTable('meta')
        .set({ value: textOf(to) })
        .where('name', '=', name);
      return (await execute(connection, query.where('value', '=', textOf(from)))).affected === 1;
    },
    async between({ at, id }, upTo, limit) {
      const { rows } = await between(connection, { at, id, upTo, limit });
      return rows.map((row) => ({ ...row, expiresAt: row.expiresAt as string }));
    },
  });
}
