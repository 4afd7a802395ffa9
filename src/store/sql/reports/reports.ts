import { type SelectQueryBuilder, sql } from 'kysely';
import type { Keyring } from '../../keys/keyring.ts';
import { COUNTED_AT_ONCE, type MadePlace, type SeatPlace, type Span, type Transaction } from '../../store.ts';
import { addingQuery, countRows, sumRows } from '../record.ts';
import { LICENSE_COLUMNS, toLicenses } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { type Connection, type Database, execute } from '../statement.ts';

/**
 * Counts at most COUNTED_AT_ONCE rows in an index: looks for the last of them, and counts only if there are fewer.
 * @param sorted the same rows, in the order of the index
 */
async function countPart<Table extends keyof Schema, Row>(
  connection: Connection,
  rows: SelectQueryBuilder<Schema, Table, object>,
  sorted: SelectQueryBuilder<Schema, Table, Row>,
) {
  const last = (await execute(connection, sorted.limit(1).offset(COUNTED_AT_ONCE - 1))).rows[0];
  return { count: last ? COUNTED_AT_ONCE : await countRows(connection, rows), last };
}

export function reportQueries(db: Database, keyring: Keyring) {
  const licensesOf = (productId: number | null) => {
    const licenses = db.selectFrom('licenses');
    return productId === null ? licenses : licenses.where('product_id', '=', productId);
  };
  const createdIn = ({ from, before }: Span, behind: MadePlace | null, productId: number | null) => {
    const licenses = licensesOf(productId);
    if (behind === null) return licenses.where('created_at', '>=', from).where('created_at', '<', before);
    const { at, id } = behind;
    if (id === null) return licenses.where('created_at', '>', at).where('created_at', '<', before);
    // Not compared as a pair: SQLite would start at the first row of that time.
    return licenses.where('created_at', '=', at).where('id', '>', id);
  };
  const seatsBehind = (behind: SeatPlace | null) => {
    const taken = db.selectFrom('activations').where('deactivated_at', 'is', null);
    const { licenseId, id } = behind ?? { licenseId: 0, id: null };
    if (id === null) return taken.where('license_id', '>', licenseId);
    return taken.where('license_id', '=', licenseId).where('id', '>', id);
  };
  // In the order of the index of seats that may lapse: without it, SQLite would read the row of each activation.
  const lapsing = seatsBehind(null)
    .where('seat_expires_at', 'is not', null)
    .select('seat_expires_at')
    .orderBy('license_id')
    .orderBy('seat_expires_at');
  const expiringIn = ({ from, before }: Span, productId: number | null) =>
    licensesOf(productId).where('expires_at', '>=', from).where('expires_at', '<', before);
  const releasesOf = (productId: number) =>
    db
      .selectFrom('software_products')
      .innerJoin('releases', 'releases.software_id', 'software_products.software_id')
      .select('releases.id')
      .where('product_id', '=', productId);
  const ofProduct = (table: 'download_counts' | 'version_checks', productId: number | null) => {
    // Kysely cannot follow a table that is one of several.
    const counts = db.selectFrom(table as 'download_counts');
    return productId === null ? counts : counts.where('release_id', 'in', releasesOf(productId));
  };
  const most = async <Column extends 'downloads' | 'checks'>(
    connection: Connection,
    counts: ReturnType<typeof ofProduct>,
    column: Column,
    limit: number,
  ) => {
    const query = counts
      .select(sql<number>`release_id + 0`.as('releaseId'))
      .select(sql<number>`cast(sum(${sql.ref(column)}) as bigint)`.as(column))
      // Not by the plain column: SQLite would read all days of each release.
      .groupBy(sql`release_id + 0`)
      .orderBy(sql.ref(column), 'desc')
      .orderBy('releaseId', 'desc')
      .limit(limit);
    return (await execute(connection, query)).rows;
  };
  const countChecks = addingQuery(db, 'version_checks', ['release_id', 'day'], ['checks'], { last: true });
  const countRenewals = addingQuery(db, 'renewal_counts', ['day', 'product_id'], ['renewals'], {
    last: true,
  });

  return (connection: Connection): Transaction['reports'] => ({
    async licensesMade(span, behind, productId) {
      const rows = createdIn(span, behind, productId);
      const sorted = rows.select(['created_at', 'id']).orderBy('created_at').orderBy('id');
      const { count, last } = await countPart(connection, rows, sorted);
      if (last) return { count, last: { at: last.created_at, id: last.id } };
      // All licenses of that time are counted: continue with later ones.
      return { count, last: behind !== null && behind.id !== null ? { at: behind.at, id: null } : null };
    },
    async licensesOf(which, behind) {
      const all =
        'status' in which ? licensesOf(null).where('status', '=', which.status) : licensesOf(which.productId);
      const rows = all.where('id', '>', behind ?? 0);
      const { count, last } = await countPart(connection, rows, rows.select('id').orderBy('id'));
      return { count, last: last?.id ?? null };
    },
    async seatsTaken(behind) {
      const rows = seatsBehind(behind);
      const sorted = rows.select(['license_id', 'id']).orderBy('license_id').orderBy('id');
      const { count, last } = await countPart(connection, rows, sorted);
      if (last) return { count, last: { licenseId: last.license_id, id: last.id } };
      return { count, last: behind !== null && behind.id !== null ? { ...behind, id: null } : null };
    },
    seatsLapsed(now, licenseId, atMost) {
      const some = lapsing.where('license_id', '<=', licenseId).limit(atMost).as('lapsing');
      return countRows(connection, db.selectFrom(some).where('seat_expires_at', '<=', now));
    },
    async expiring(span, limit, productId) {
      const rows = expiringIn(span, productId).select(LICENSE_COLUMNS);
      const query = rows.orderBy('expires_at').orderBy('id').limit(limit);
      return toLicenses((await execute(connection, query)).rows, keyring);
    },
    countExpiring: (span, limit, productId) =>
      countRows(connection, db.selectFrom(expiringIn(span, productId).select('id').limit(limit).as('some'))),
    mostDownloaded: (since, limit, productId) =>
      most(connection, ofProduct('download_counts', productId).where('day', '>=', since), 'downloads', limit),
    mostChecked: (since, limit, productId) =>
      most(connection, ofProduct('version_checks', productId).where('day', '>=', since), 'checks', limit),
    checksSince: (since, productId) =>
      sumRows(connection, ofProduct('version_checks', productId).where('day', '>=', since), 'checks'),
    downloadsOn: (day, productId) =>
      sumRows(connection, ofProduct('download_counts', productId).where('day', '=', day), 'downloads'),
    renewalsOn(day, productId) {
      const ofDay = db.selectFrom('renewal_counts').where('day', '=', day);
      const query = productId === null ? ofDay : ofDay.where('product_id', '=', productId);
      return sumRows(connection, query, 'renewals');
    },
    async countRenewals(counts) {
      for (const { day, productId, renewals } of counts)
        await countRenewals(connection, { day, product_id: productId ?? 0, renewals });
    },
    async countChecks(day, counts) {
      for (const { releaseId, checks } of counts)
        await countChecks(connection, { release_id: releaseId, day, checks });
    },
  });
}
