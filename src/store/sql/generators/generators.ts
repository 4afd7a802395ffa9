import type { Generator } from '../../../domain/generator.ts';
import { camelCased } from '../../../domain/names.ts';
import { TERMS_DEFAULTS } from '../../../domain/terms.ts';
import type { Transaction } from '../../store.ts';
import { type PageQuery, pageOfRows, pageValues } from '../pages.ts';
import { first, type RowOf, recordQueries } from '../record.ts';
import { totalQuery } from '../reports/record-counts.ts';
import { type Connection, type Database, prepare } from '../statement.ts';
import { termsOf, withTermsColumn } from '../terms.ts';

const toGenerator = ({ seat_policy, ...row }: RowOf<'generators'>): Generator => ({
  ...camelCased(row),
  ...termsOf({ seat_policy }),
});

export function generatorQueries(db: Database) {
  const select = () => db.selectFrom('generators').selectAll();
  const byId = prepare((p: { id: number }) => select().where('id', '=', p.id));
  const newest = prepare((p: PageQuery) =>
    select().where('id', '<=', p.upTo).orderBy('id', 'desc').limit(p.limit).offset(p.offset),
  );
  const totalOfAll = totalQuery(db, 'generators');
  const generators = recordQueries(db, 'generators');

  return (connection: Connection): Transaction['generators'] => ({
    find: async (id) => first((await byId(connection, { id })).rows, toGenerator),
    async list(page) {
      const total = await totalOfAll(connection);
      const { rows } = await newest(connection, pageValues(page));
      return { ...pageOfRows(rows.map(toGenerator), page), total };
    },
    async insert(row) {
      const id = await generators.insert(connection, withTermsColumn(row));
      return { ...TERMS_DEFAULTS, ...row, id, updatedAt: null, updatedBy: null };
    },
    update: ({ id, ...before }, changes) =>
      generators.update(connection, id, withTermsColumn(changes, before)),
    delete: (id) => generators.delete(connection, id),
  });
}
