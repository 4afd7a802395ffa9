import type { Kysely } from 'kysely';
import type { Transaction } from '../store.ts';
import type { Schema } from './schema.ts';
import { type Connection, execute, prepare } from './statement.ts';

export function userQueries(db: Kysely<Schema>) {
  const byId = prepare((p: { id: number }) => db.selectFrom('users').select('id').where('id', '=', p.id));
  const insert = prepare((p: { id: number; name: string; createdAt: string }) =>
    db.insertInto('users').values({ id: p.id, name: p.name, created_at: p.createdAt }),
  );

  return (connection: Connection): Transaction['users'] => ({
    exists: async (id) => (await byId(connection, { id })).rows.length > 0,
    async names(ids) {
      if (ids.length === 0) return new Map();
      const query = db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids);
      return new Map((await execute(connection, query)).rows.map(({ id, name }) => [id, name]));
    },
    async insert(row) {
      await insert(connection, row);
    },
  });
}
