import { type Connection, type Database, execute } from './statement.ts';

export const FINGERPRINT = 'master_key_fingerprint';
/** Set while unused parts of the database file may hold credentials that a conversion has replaced. */
export const REWRITE_DUE = 'rewrite_due';

/** Returns the fingerprint of the current master key; null if the database has no master key. */
export const readFingerprint = async (connection: Connection, db: Database): Promise<string | null> =>
  (await metaOf(connection, db, [FINGERPRINT])).get(FINGERPRINT) ?? null;

/** Reads the values of some names. */
export async function metaOf(connection: Connection, db: Database, names: readonly string[]) {
  const query = db.selectFrom('meta').select(['name', 'value']).where('name', 'in', names);
  const { rows } = await execute(connection, query);
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Sets the value of a name that has none. */
export async function addMeta(connection: Connection, db: Database, name: string, value: string) {
  const insert = db.insertInto('meta').values({ name, value });
  await execute(
    connection,
    insert.onConflict((c) => c.doNothing()),
  );
}

/** Replaces the value of a name; null removes it. */
export async function setMeta(connection: Connection, db: Database, name: string, value: string | null) {
  await execute(connection, db.deleteFrom('meta').where('name', '=', name), { secret: true });
  if (value !== null) await execute(connection, db.insertInto('meta').values({ name, value }));
}
