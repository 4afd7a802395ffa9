import type { Kysely } from 'kysely';
import type { ArtifactRow, Transaction } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

export function artifactQueries(db: Kysely<Schema>) {
  const columns = ['id', 'size', 'sha256', 'sha512', 'storage_key as key'] as const;
  const byKey = prepare((p: { key: string }) =>
    db.selectFrom('artifacts').select('id').where('storage_key', '=', p.key),
  );
  const all = prepare(() => db.selectFrom('artifacts').select(columns).orderBy('id'));
  const dropUnused = prepare(() =>
    db
      .deleteFrom('artifacts')
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(selectFrom('releases').select('id').whereRef('releases.artifact_id', '=', 'artifacts.id')),
        ),
      )
      .returning('storage_key'),
  );

  return (connection: Connection): Transaction['artifacts'] => ({
    isUsed: async (key) => (await byKey(connection, { key })).rows.length > 0,
    list: async () => (await all(connection, {})).rows,
    async findOrInsert({ key, createdAt, ...row }: ArtifactRow) {
      // One statement, which locks the row on either engine: between two, PostgreSQL could let a transaction delete it.
      const query = db
        .insertInto('artifacts')
        .values({ ...row, storage_key: key, created_at: createdAt })
        .onConflict((c) => c.column('sha256').doUpdateSet((eb) => ({ sha256: eb.ref('excluded.sha256') })))
        .returning(columns);
      const [found] = (await execute(connection, query)).rows;
      if (!found) throw new Error('the artifact was not inserted');
      return found;
    },
    dropUnused: async () => (await dropUnused(connection, {})).rows.map((row) => row.storage_key),
  });
}
