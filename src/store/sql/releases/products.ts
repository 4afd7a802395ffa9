import { type RawBuilder, sql } from 'kysely';
import { NAMES_MAX, type Reads } from '../../store.ts';
import { type Connection, type Database, execute } from '../statement.ts';

export function productQueries(db: Database) {
  /** Steps through the index from each product to the next: one step for each product, not for each row. */
  const distinct = (table: 'licenses' | 'software_products', atMost: number) => {
    const next = (after: RawBuilder<unknown>) =>
      sql`(select product_id from ${sql.table(table)} where product_id > ${after} order by product_id limit 1)`;
    return sql<{ id: number }>`
      with recursive known (id, step) as (
        select ${next(sql.lit(-1))}, 1
        union all
        select ${next(sql`known.id`)}, step + 1 from known where known.id is not null and step < ${atMost}
      )
      select id from known where id is not null`;
  };
  const name = (nth: number) => sql`(
    select software.name from software_products inner join software on software.id = software_id
    where product_id = wanted.id order by software_id limit 1 offset ${sql.lit(nth)}
  ) as ${sql.ref(`name_${nth}`)}`;
  const names = (ids: readonly number[]) => sql<{ id: number } & Record<string, string | null>>`
    with wanted (id) as (values ${sql.join(ids.map((id) => sql`(cast(${id} as bigint))`))})
    select id, ${sql.join(Array.from({ length: NAMES_MAX }, (_, nth) => name(nth)))} from wanted`;

  const idsOf = async (connection: Connection, query: RawBuilder<{ id: number }>) => {
    const { rows } = await execute(connection, query.compile(db), { reads: true });
    return rows.map(({ id }) => id).sort((one, other) => one - other);
  };

  return (connection: Connection): Reads['products'] => ({
    ofLicenses: (atMost) => idsOf(connection, distinct('licenses', atMost)),
    ofSoftware: (atMost) => idsOf(connection, distinct('software_products', atMost)),
    async names(ids) {
      if (ids.length === 0) return new Map();
      const { rows } = await execute(connection, names(ids).compile(db), { reads: true });
      const found = rows.map(
        ({ id, ...named }) => [id, Object.values(named).filter((one) => one !== null)] as const,
      );
      return new Map(found.filter(([, named]) => named.length > 0));
    },
  });
}
