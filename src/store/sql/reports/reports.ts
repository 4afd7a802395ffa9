import { type SelectQueryBuilder, sql } from 'kysely';
import type { Keyring } from '../../keys/keyring.ts';
import { COUNTED_AT_ONCE, type MadePlace, type Reports, type Span } from '../../store.ts';
import { countRows } from '../record.ts';
import { LICENSE_COLUMNS, toLicenses } from '../rows.ts';
import type { Database, Schema } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';

type Licenses = SelectQueryBuilder<Schema, 'licenses', object>;

/** Counts at most COUNTED_AT_ONCE rows by two steps in an index: to the last of them, or over all where there are fewer. */
async function countPart<Column extends 'created_at' | 'id'>(
  connection: Connection,
  rows: Licenses,
  order: readonly Column[],
) {
  const sorted = rows.select(order).orderBy([...order]);
  const last = (await execute(connection, sorted.limit(1).offset(COUNTED_AT_ONCE - 1))).rows[0];
  return { count: last ? COUNTED_AT_ONCE : await countRows(connection, rows), last };
}

export function reportQueries(db: Database, keyring: Keyring) {
  const licenses = () => db.selectFrom('licenses');
  const createdIn = ({ from, before }: Span, behind: MadePlace | null) => {
    if (behind === null) return licenses().where('created_at', '>=', from).where('created_at', '<', before);
    const { at, id } = behind;
    if (id === null) return licenses().where('created_at', '>', at).where('created_at', '<', before);
    // Not as a pair: SQLite would start at the first row of that time.
    return licenses().where('created_at', '=', at).where('id', '>', id);
  };
  const expiringIn = ({ from, before }: Span) =>
    licenses().where('expires_at', '>=', from).where('expires_at', '<', before);

  return (connection: Connection): Reports => ({
    async licensesMade(span, behind) {
      const { count, last } = await countPart(connection, createdIn(span, behind), ['created_at', 'id']);
      if (last) return { count, last: { at: last.created_at, id: last.id } };
      // All licenses of that time are counted: continue with later ones.
      return { count, last: behind !== null && behind.id !== null ? { at: behind.at, id: null } : null };
    },
    async licensesOfStatus(status, behind) {
      const rows = licenses()
        .where('status', '=', status)
        .where('id', '>', behind ?? 0);
      const { count, last } = await countPart(connection, rows, ['id']);
      return { count, last: last?.id ?? null };
    },
    async expiring(span, limit) {
      const query = expiringIn(span).select(LICENSE_COLUMNS).orderBy('expires_at').orderBy('id').limit(limit);
      return toLicenses((await execute(connection, query)).rows, keyring);
    },
    countExpiring: (span, limit) =>
      countRows(connection, db.selectFrom(expiringIn(span).select('id').limit(limit).as('some'))),
    async downloadsOn(day) {
      const sum = sql<number>`coalesce(sum(downloads), 0)`.as('total');
      const query = db.selectFrom('download_counts').select(sum).where('day', '=', day);
      return (await execute(connection, query)).rows[0]?.total ?? 0;
    },
  });
}
