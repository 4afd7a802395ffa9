import { sql } from 'kysely';
import type { DownloadFilter, Transaction } from '../../store.ts';
import { countRows, recordQueries } from '../record.ts';
import type { Database } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

export function downloadQueries(db: Database) {
  const downloads = recordQueries(db, 'downloads');
  const countOne = prepare((p: { releaseId: number; day: string }) =>
    db
      .insertInto('download_counts')
      .values({ release_id: p.releaseId, day: p.day, downloads: 1 })
      .onConflict((c) =>
        c
          .columns(['release_id', 'day'])
          .doUpdateSet((eb) => ({ downloads: eb('download_counts.downloads', '+', 1) })),
      ),
  );
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
      // Concurrently: the database may be a network round trip away.
      await Promise.all([
        downloads.insert(connection, row),
        countOne(connection, { releaseId: row.releaseId, day: row.createdAt.slice(0, 10) }),
      ]);
    },
    async discard(before, atMost) {
      // Of the oldest rows only: where these are young enough, so are all others.
      const oldest = db.selectFrom('downloads').select('id').orderBy('id').limit(atMost);
      const query = db.deleteFrom('downloads').where('created_at', '<', before).where('id', 'in', oldest);
      return (await execute(connection, query, { alone: true })).affected;
    },
  });
}
