import { sql } from 'kysely';
import type { DownloadFilter, Transaction } from '../../store.ts';
import { addingQuery, columnsOf, countRows, type RowOf } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

type Row = Omit<RowOf<'downloads'>, 'id'>;
const COLUMNS = [
  ...(['release_id', 'license_id', 'activation_id', 'ip_address', 'user_agent', 'meta'] as const),
  ...(['created_at', 'once'] as const),
];

export function downloadQueries(db: Database) {
  const insertOnce = prepare((p: Row) =>
    db
      .insertInto('downloads')
      .values(Object.fromEntries(COLUMNS.map((name) => [name, p[name]])) as never)
      .onConflict((c) => c.column('once').where('once', 'is not', null).doNothing()),
  );
  const count = addingQuery(db, 'download_counts', ['release_id', 'day'], ['downloads']);
  const filtered = ({ softwareId, releaseId, from, to }: DownloadFilter) => {
    let query = db
      .selectFrom('download_counts')
      .innerJoin('releases', 'releases.id', 'download_counts.release_id')
      .where('releases.software_id', '=', softwareId);
    if (releaseId !== null) query = query.where('download_counts.release_id', '=', releaseId);
    if (from !== null) query = query.where('day', '>=', from);
    if (to !== null) query = query.where('day', '<=', to);
    return query;
  };

  // In PostgreSQL, a sum of bigint is numeric.
  const sum = sql<number>`cast(sum(downloads) as bigint)`.as('downloads');

  return (connection: Connection): Transaction['downloads'] => ({
    async counts(filter, { offset, limit }) {
      const total = await countRows(connection, filtered(filter));
      const query = filtered(filter)
        .select(['download_counts.release_id as releaseId', 'version', 'day', 'downloads'])
        .orderBy('day', 'desc')
        .orderBy('download_counts.release_id', 'desc');
      return { items: (await execute(connection, query.limit(limit).offset(offset))).rows, total };
    },
    async ofLicense(licenseId, before, limit) {
      const query = db
        .selectFrom('downloads')
        .leftJoin('releases', 'releases.id', 'downloads.release_id')
        .leftJoin('software', 'software.id', 'releases.software_id')
        .select(['downloads.id', 'downloads.created_at as at', 'releases.version'])
        .select(['software.name as softwareName', 'downloads.ip_address as ipAddress'])
        .where('downloads.license_id', '=', licenseId)
        .where('downloads.id', '<', before);
      return (await execute(connection, query.orderBy('downloads.id', 'desc').limit(limit))).rows;
    },
    async byDay(filter) {
      const query = filtered(filter).select(['day', sum]).groupBy('day').orderBy('day');
      return (await execute(connection, query)).rows;
    },
    async byRelease(filter, atMost) {
      const query = filtered(filter)
        .select(['download_counts.release_id as releaseId', 'version', sum])
        .groupBy(['download_counts.release_id', 'version'])
        .orderBy('downloads', 'desc')
        .orderBy('releaseId', 'desc')
        .limit(atMost);
      return (await execute(connection, query)).rows;
    },
    async insert(row) {
      const { affected } = await insertOnce(connection, columnsOf(row) as Row);
      if (affected === 0) return;
      const day = row.createdAt.slice(0, 10);
      await count(connection, { release_id: row.releaseId, day, downloads: 1 });
    },
    async forget(of, keep, atMost) {
      const ids = db.selectFrom('downloads').select('id');
      const kept =
        'licenseId' in of
          ? ids.where('license_id', '=', of.licenseId)
          : ids.where('release_id', '=', of.releaseId).where('license_id', 'is', null);
      const newestBeyond = kept.orderBy('id', 'desc').limit(1).offset(keep);
      const oldest = kept.where('id', '<=', newestBeyond).orderBy('id').limit(atMost);
      await execute(connection, db.deleteFrom('downloads').where('id', 'in', oldest));
    },
    async discard(before, now, atMost) {
      // Looks only at the oldest rows: if these are young enough, so are all others. Rows from when the clock was ahead say
      // nothing about the others.
      const past = db.selectFrom('downloads').select('id').where('created_at', '<=', now);
      const oldest = past.orderBy('id').limit(atMost);
      const query = db.deleteFrom('downloads').where('created_at', '<', before).where('id', 'in', oldest);
      return (await execute(connection, query)).affected;
    },
  });
}
