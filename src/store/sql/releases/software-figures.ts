import { sql } from 'kysely';
import type { SoftwareFigures } from '../../store.ts';
import type { Database } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';

/** Maximum number of installs that are counted. */
const MOST = 10_000;

interface Row {
  id: number;
  latest: string | null;
  installs: number;
}

export function softwareFigures(db: Database) {
  const published = (channel = sql``) => sql`(select version from releases
    where software_id = software.id and status = 'published' ${channel} order by version_order desc limit 1)`;
  return async (connection: Connection, ids: readonly number[]): Promise<SoftwareFigures[]> => {
    if (ids.length === 0) return [];
    const query = sql<Row>`select id, coalesce(${published(sql`and channel = 'stable'`)}, ${published()}) as latest,
      (select count(*) from (select 1 from activations where software_id = software.id and software_id is not null
        and deactivated_at is null limit ${MOST + 1}) as found) as installs
      from software where id in (${sql.join(ids)})`;
    const { rows } = await execute(connection, { compile: () => query.compile(db) }, { reads: true });
    return rows.map(({ id, latest, installs }) => ({
      id,
      latestVersion: latest,
      activeInstalls: Math.min(Number(installs), MOST),
      isMore: Number(installs) > MOST,
    }));
  };
}
