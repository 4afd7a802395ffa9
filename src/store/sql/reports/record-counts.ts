import { sql } from 'kysely';
import type { RecordCount } from '../../backups/inspection.ts';
import type { Transaction } from '../../store.ts';
import { type Connection, type Database, execute, prepare, statement } from '../statement.ts';

/** Tables whose rows triggers count. */
const COUNTED = ['licenses', 'generators', 'software'] as const;
type Counted = (typeof COUNTED)[number];

/** Stores the number of rows of a table. Part of migration 0004: never change it. */
export const countText = (table: string): string =>
  `insert into record_counts (counted, shard, records) select '${table}', 0, count(*) from ${table}`;

/** Returns the number of rows of a table without reading them. */
export function totalQuery(db: Database, counted: Counted): (connection: Connection) => Promise<number> {
  const sum = sql<number>`coalesce(sum(records), 0)`.as('total');
  const total = prepare(() => db.selectFrom('record_counts').select(sum).where('counted', '=', counted));
  return async (connection) => (await total(connection, {})).rows[0]?.total ?? 0;
}

export function recordCountQueries(db: Database) {
  return (connection: Connection): Transaction['recordCounts'] => ({
    async recount() {
      await execute(connection, db.deleteFrom('record_counts').where('counted', 'in', COUNTED));
      for (const table of COUNTED) await execute(connection, statement(countText(table)), { slow: true });
    },
  });
}

/** Compares the stored counts with the tables. */
export async function inspectCounts(connection: Connection): Promise<RecordCount[]> {
  const texts = COUNTED.map(
    (table) => `
      select '${table}' as "table", (select count(*) from ${table}) as there,
        (select coalesce(sum(records), 0) from record_counts where counted = '${table}') as counted`,
  );
  return (await connection.execute(texts.join(' union all '), [])).rows as RecordCount[];
}
