import { type RawBuilder, sql } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import { camelCased } from '../../../domain/names.ts';
import type { Software } from '../../../domain/releases/software.ts';
import type { SoftwareFigures, Transaction } from '../../store.ts';
import { pageOfRows, pageValues } from '../pages.ts';
import { countRows, first, parseJson, type RowOf, recordQueries, rowsQuery } from '../record.ts';
import { totalQuery } from '../reports/record-counts.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

type Row = RowOf<'software'> & { product_ids: string | null };

const toSoftware = ({ product_ids, icons, banners, ...row }: Row): Software => ({
  ...camelCased(row),
  productIds: product_ids === null ? [] : product_ids.split(',').map(Number),
  icons: parseJson(icons),
  banners: parseJson(banners),
});

export function softwareQueries(db: Database) {
  // SQLite has string_agg since 3.44.
  const productIds = sql<string | null>`(
    select string_agg(cast(product_id as text), ',' order by position)
    from software_products where software_id = software.id
  )`.as('product_ids');
  const select = () => db.selectFrom('software').select(productIds).selectAll();
  const byId = prepare((p: { id: number }) => select().where('id', '=', p.id), { lookUp: true });
  const bySlug = prepare((p: { slug: string }) => select().where('slug', '=', p.slug), { lookUp: true });
  const covering = prepare((p: { productId: number | null; limit: number }) =>
    select()
      .where((eb) => {
        const products = eb.selectFrom('software_products').select('software_id');
        const own = products.whereRef('software_products.software_id', '=', 'software.id');
        const named = products.where('product_id', '=', p.productId as number);
        return eb.or([eb.not(eb.exists(own)), eb('id', 'in', named)]);
      })
      .orderBy('id')
      .limit(p.limit),
  );
  const software = recordQueries(db, 'software');
  const products = rowsQuery(db, 'software_products', ['software_id', 'product_id', 'position']);
  const insertProducts = (connection: Connection, id: number, productIds: readonly number[]) => {
    const rows = productIds.map((productId, position) => [id, productId, position]);
    return products(connection, rows);
  };
  const filtered = (products: readonly number[] | null) => {
    const all = db.selectFrom('software');
    if (!products) return all;
    const named = db.selectFrom('software_products').where('product_id', 'in', products);
    return all.where('id', 'in', named.select('software_id'));
  };
  const totalOfAll = totalQuery(db, 'software');
  const figures = softwareFigures(db);
  return (connection: Connection): Transaction['software'] => ({
    find: async (id) => first((await byId(connection, { id })).rows, toSoftware),
    findBySlug: async (slug) => first((await bySlug(connection, { slug })).rows, toSoftware),
    async list(page, products) {
      const total = await (products ? countRows(connection, filtered(products)) : totalOfAll(connection));
      const { upTo, limit, offset } = pageValues(page);
      const query = filtered(products).select(productIds).selectAll('software').where('id', '<=', upTo);
      const { rows } = await execute(connection, query.orderBy('id', 'desc').limit(limit).offset(offset));
      return { ...pageOfRows(rows.map(toSoftware), page), total };
    },
    figures: (ids, now) => figures(connection, ids, now),
    covering: async (productId, limit) =>
      (await covering(connection, { productId, limit })).rows.map(toSoftware),
    async insert({ productIds, ...row }) {
      const id = await software.insert(connection, row);
      await insertProducts(connection, id, productIds);
      return { ...row, productIds, id, updatedAt: null, updatedBy: null };
    },
    async update(id, { productIds, ...changes }) {
      await software.update(connection, id, changes);
      if (!productIds) return;
      await execute(connection, db.deleteFrom('software_products').where('software_id', '=', id));
      await insertProducts(connection, id, productIds);
    },
    delete: (id) => software.delete(connection, id),
  });
}

/** Maximum number of installs that are counted. */
const INSTALLS_MAX = 10_000;

interface FiguresRow {
  id: number;
  latest: string | null;
  installs: number;
}

function softwareFigures(db: Database) {
  const published = (channel = sql``) => sql`(select version from releases
    where software_id = software.id and status = 'published' ${channel} order by version_order desc limit 1)`;
  // One range of the index for each condition: with both in one query, SQLite would read lapsed seats, too.
  const installs = (seat: RawBuilder<unknown>) => sql`select 1 from activations
    where software_id = software.id and software_id is not null and deactivated_at is null and ${seat}`;
  return async (
    connection: Connection,
    ids: readonly number[],
    now: Datetime,
  ): Promise<SoftwareFigures[]> => {
    if (ids.length === 0) return [];
    const query = sql<FiguresRow>`select id, coalesce(${published(sql`and channel = 'stable'`)}, ${published()}) as latest,
      (select count(*) from (${installs(sql`seat_expires_at is null`)}
        union all ${installs(sql`seat_expires_at > ${now}`)} limit ${INSTALLS_MAX + 1}) as found) as installs
      from software where id in (${sql.join(ids)})`;
    const { rows } = await execute(connection, query.compile(db), { reads: true });
    return rows.map(({ id, latest, installs }) => ({
      id,
      latestVersion: latest,
      activeInstalls: Math.min(Number(installs), INSTALLS_MAX),
      isMore: Number(installs) > INSTALLS_MAX,
    }));
  };
}
