import { type Kysely, sql } from 'kysely';
import type { Keyring } from '../../keys/keyring.ts';
import { COUNTED_AT_ONCE, type MadePlace, type Reports, type Span } from '../../reports/reports.ts';
import { LICENSE_COLUMNS, toLicenses } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

export function reportQueries(db: Kysely<Schema>, keyring: Keyring) {
  // Each part is two steps in an index: to its last one, and, where there are not so many, of all that are left.
  const made = ({ from, before }: Span, behind: MadePlace | null) => {
    const query = db.selectFrom('licenses');
    if (behind === null) return query.where('created_at', '>=', from).where('created_at', '<', before);
    if (behind.id === null) return query.where('created_at', '>', behind.at).where('created_at', '<', before);
    // Not as a pair, for which SQLite would begin at the first of that time.
    return query.where('created_at', '=', behind.at).where('id', '>', behind.id);
  };
  const ofStatus = (status: number, behind: number | null) =>
    db
      .selectFrom('licenses')
      .where('status', '=', status)
      .where('id', '>', behind ?? 0);
  const ending = ({ from, before }: Span) =>
    db.selectFrom('licenses').where('expires_at', '>=', from).where('expires_at', '<', before);
  const downloads = prepare((p: { day: string }) =>
    db
      .selectFrom('download_counts')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('downloads'), sql<number>`0`).as('total'))
      .where('day', '=', p.day),
  );

  return (connection: Connection): Reports => ({
    async licensesMade(span, behind) {
      const one = made(span, behind)
        .select(['created_at as at', 'id'])
        .orderBy('created_at')
        .orderBy('id')
        .limit(1)
        .offset(COUNTED_AT_ONCE - 1);
      const last = (await execute(connection, one)).rows[0];
      if (last) return { count: COUNTED_AT_ONCE, last };
      const rest = made(span, behind).select((eb) => eb.fn.countAll<number>().as('count'));
      const { count = 0 } = (await execute(connection, rest)).rows[0] ?? {};
      return { count, last: behind !== null && behind.id !== null ? { at: behind.at, id: null } : null };
    },
    async licensesOfStatus(status, behind) {
      const one = ofStatus(status, behind)
        .select('id')
        .orderBy('id')
        .limit(1)
        .offset(COUNTED_AT_ONCE - 1);
      const last = (await execute(connection, one)).rows[0];
      if (last) return { count: COUNTED_AT_ONCE, last: last.id };
      const rest = ofStatus(status, behind).select((eb) => eb.fn.countAll<number>().as('count'));
      return { count: (await execute(connection, rest)).rows[0]?.count ?? 0, last: null };
    },
    async expiring(span, limit) {
      const query = ending(span).select(LICENSE_COLUMNS).orderBy('expires_at').orderBy('id').limit(limit);
      return toLicenses((await execute(connection, query)).rows, keyring);
    },
    async countExpiring(span, limit) {
      const query = db
        .selectFrom(ending(span).select('id').limit(limit).as('some'))
        .select((eb) => eb.fn.countAll<number>().as('count'));
      return (await execute(connection, query)).rows[0]?.count ?? 0;
    },
    downloadsOn: async (day) => (await downloads(connection, { day })).rows[0]?.total ?? 0,
  });
}
