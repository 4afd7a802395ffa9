import { sql } from 'kysely';
import type { Transaction } from '../../store.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

const MINUTE_MS = 60_000;

type Leased = { address: string } & Record<'now' | 'begun' | 'later' | 'limit' | 'first' | 'lasts', number>;

export function requestCountQueries(db: Database) {
  const lease = prepare((p: Leased) => {
    // A count has also ended if it starts further ahead than clocks of nodes differ: it is from before a clock was
    // set back.
    const isOver = sql`(request_counts.started <= ${p.begun} or request_counts.started > ${p.later})`;
    // A tenth of the remaining requests, so that few stay unused on a node; the last ones are leased one by one. The
    // cast is for node:sqlite, which binds every number as a REAL.
    const next = sql`case
      when request_counts.taken >= ${p.limit} then 0
      when ${p.limit} - request_counts.taken < 20 then 1
      else (cast(${p.limit} as integer) - request_counts.taken) / 10 end`;
    return db
      .insertInto('request_counts')
      .values({ address: p.address, started: p.now, taken: p.first, lease: p.first, lasts: p.lasts })
      .onConflict((c) =>
        c.column('address').doUpdateSet({
          started: sql<number>`case when ${isOver} then excluded.started else request_counts.started end`,
          lease: sql<number>`case when ${isOver} then excluded.lease else ${next} end`,
          taken: sql<number>`case when ${isOver} then excluded.taken else request_counts.taken + ${next} end`,
        }),
      )
      .returning(['started', 'lease', 'taken']);
  });

  return (connection: Connection): Transaction['requestCounts'] => ({
    async lease(address, limit, now, lasts) {
      const window = { begun: now - lasts, later: now + MINUTE_MS };
      const values = { address, limit, now, lasts, ...window, first: Math.ceil(limit / 10) };
      const row = (await lease(connection, values)).rows[0];
      if (!row) throw new Error('the request count was not written');
      // The clock of the node that started the count may be ahead.
      const until = Math.min(row.started, now) + lasts;
      return { requests: row.lease, beyond: Math.max(0, limit - row.taken), until };
    },
    async forget(now) {
      const query = db.deleteFrom('request_counts').where((eb) => {
        const ends = eb('started', '+', eb.fn.coalesce('lasts', sql.lit(MINUTE_MS)));
        return eb.or([eb(ends, '<=', now), eb('started', '>', now + MINUTE_MS)]);
      });
      await execute(connection, query);
    },
  });
}
