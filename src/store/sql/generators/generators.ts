import type { Kysely, Selectable } from 'kysely';
import type { Generator } from '../../../domain/generator.ts';
import type { Transaction } from '../../store.ts';
import { type Asked, askedOf, pageOf } from '../pages.ts';
import { totalQuery } from '../reports/record-counts.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

function toGenerator(row: Selectable<Schema['generators']>): Generator {
  return {
    id: row.id,
    name: row.name,
    charset: row.charset,
    chunks: row.chunks,
    chunkLength: row.chunk_length,
    activationsLimit: row.activations_limit,
    separator: row.separator,
    prefix: row.prefix,
    suffix: row.suffix,
    expiresIn: row.expires_in,
    createdAt: row.created_at,
    createdBy: row.created_by,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

const toColumns = (row: Partial<Generator>) => ({
  name: row.name,
  charset: row.charset,
  chunks: row.chunks,
  chunk_length: row.chunkLength,
  activations_limit: row.activationsLimit,
  separator: row.separator,
  prefix: row.prefix,
  suffix: row.suffix,
  expires_in: row.expiresIn,
  created_at: row.createdAt,
  created_by: row.createdBy,
  updated_at: row.updatedAt,
  updated_by: row.updatedBy,
});

export function generatorQueries(db: Kysely<Schema>) {
  const byId = prepare((p: { id: number }) => db.selectFrom('generators').selectAll().where('id', '=', p.id));
  const totalOfAll = totalQuery(db, 'generators');
  const newest = prepare((p: Asked) =>
    db
      .selectFrom('generators')
      .selectAll()
      .where('id', '<=', p.upTo)
      .orderBy('id', 'desc')
      .limit(p.limit)
      .offset(p.offset),
  );
  const remove = prepare((p: { id: number }) => db.deleteFrom('generators').where('id', '=', p.id));

  return (connection: Connection): Transaction['generators'] => ({
    async find(id) {
      const row = (await byId(connection, { id })).rows[0];
      return row ? toGenerator(row) : null;
    },
    async list(page) {
      const total = await totalOfAll(connection);
      const { rows } = await newest(connection, askedOf(page));
      return { ...pageOf(rows.map(toGenerator), page), total };
    },
    async insert(row) {
      const query = db
        .insertInto('generators')
        .values(toColumns(row) as never)
        .returning('id');
      const id = (await execute(connection, query)).rows[0]?.id as number;
      return { ...row, id, updatedAt: null, updatedBy: null };
    },
    async update(id, changes) {
      await execute(
        connection,
        db
          .updateTable('generators')
          .set(toColumns(changes) as never)
          .where('id', '=', id),
      );
    },
    async delete(id) {
      await remove(connection, { id });
    },
  });
}
