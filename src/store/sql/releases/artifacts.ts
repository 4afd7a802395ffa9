import type { ArtifactRow, Transaction } from '../../store.ts';
import { type Connection, type Database, execute } from '../statement.ts';

export function artifactQueries(db: Database) {
  const columns = ['id', 'size', 'sha256', 'sha512', 'storage_key as key'] as const;
  return (connection: Connection): Transaction['artifacts'] => ({
    async isUsed(key) {
      const query = db.selectFrom('artifacts').select('id').where('storage_key', '=', key);
      return (await execute(connection, query)).rows.length > 0;
    },
    async list() {
      return (await execute(connection, db.selectFrom('artifacts').select(columns).orderBy('id'))).rows;
    },
    async findOrInsert({ key, createdAt, ...row }: ArtifactRow) {
      // One statement, which locks the row on either engine: between two statements, another transaction on
      // PostgreSQL could delete the row.
      const query = db
        .insertInto('artifacts')
        .values({ ...row, storage_key: key, created_at: createdAt })
        .onConflict((c) => c.column('sha256').doUpdateSet((eb) => ({ sha256: eb.ref('excluded.sha256') })))
        .returning(columns);
      const [found] = (await execute(connection, query)).rows;
      if (!found) throw new Error('the artifact was not inserted');
      return found;
    },
    async dropUnused() {
      const unused = db.deleteFrom('artifacts').where(({ not, exists, selectFrom }) => {
        const releases = selectFrom('releases').select('id');
        return not(exists(releases.whereRef('releases.artifact_id', '=', 'artifacts.id')));
      });
      const { rows } = await execute(connection, unused.returning('storage_key'));
      return rows.map((row) => row.storage_key);
    },
  });
}
