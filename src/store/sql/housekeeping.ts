import { parseDatetime } from '../../domain/datetime.ts';
import type { Transaction } from '../store.ts';
import { metaOf, setMeta } from './meta.ts';
import type { Connection, Database } from './statement.ts';

/** The row of `meta` that holds the time. */
const NAME = 'removes_from';

export const housekeepingQueries =
  (db: Database) =>
  (connection: Connection): Transaction['housekeeping'] => ({
    removesFrom: async () => parseDatetime((await metaOf(connection, db, [NAME])).get(NAME) ?? ''),
    setRemovesFrom: (at) => setMeta(connection, db, NAME, at),
  });
