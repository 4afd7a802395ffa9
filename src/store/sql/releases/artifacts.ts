import type { Kysely } from 'kysely';
import type { ArtifactRow, Transaction } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

export function artifactQueries(db: Kysely<Schema>) {
  const columns = ['id', 'size', 'sha256', 'sha512', 'storage_key as key'] as const;
  const byKey = prepare((p: { key: string }) =>
    db.selectFrom('artifacts').select('id').where('storage_key', '=', p.key),
  );
  const all = prepare(() => db.selectFrom('artifacts').select(columns).orderBy('id'));
  // One statement that locks the row on either engine: between two, PostgreSQL would let another transaction drop it.
  const findOrInsert = prepare((p: ArtifactRow) =>
    db
      .insertInto('artifacts')
      .values({
        sha256: p.sha256,
        sha512: p.sha512,
        size: p.size,
        storage_key: p.key,
        created_at: p.createdAt,
      })
      .onConflict((c) => c.column('sha256').doUpdateSet((eb) => ({ sha256: eb.ref('excluded.sha256') })))
      .returning(columns),
  );
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
    async findOrInsert(row) {
      const [found] = (await findOrInsert(connection, row)).rows;
      if (!found) throw new Error('an artifact that was just written is not there');
      return found;
    },
    dropUnused: async () => (await dropUnused(connection, {})).rows.map((row) => row.storage_key),
  });
}
