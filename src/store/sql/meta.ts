import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import { type Connection, execute } from './statement.ts';

export const FINGERPRINT = 'master_key_fingerprint';

/** Stores the fingerprint of the first master key. @returns whether it is now the database's fingerprint */
export async function claimFingerprint(
  connection: Connection,
  db: Kysely<Schema>,
  fingerprint: string,
): Promise<boolean> {
  const insert = db.insertInto('meta').values({ name: FINGERPRINT, value: fingerprint });
  await execute(
    connection,
    insert.onConflict((c) => c.doNothing()),
  );
  return (await readFingerprint(connection, db)) === fingerprint;
}

/** Null in a database without a master key. */
export const readFingerprint = async (connection: Connection, db: Kysely<Schema>): Promise<string | null> =>
  (await metaOf(connection, db, [FINGERPRINT])).get(FINGERPRINT) ?? null;

/** Reads the values of some names. */
export async function metaOf(
  connection: Connection,
  db: Kysely<Schema>,
  names: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await execute(
    connection,
    db.selectFrom('meta').select(['name', 'value']).where('name', 'in', names),
  );
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Replaces the value of a name; null removes it. */
export async function setMeta(
  connection: Connection,
  db: Kysely<Schema>,
  name: string,
  value: string | null,
): Promise<void> {
  await execute(connection, db.deleteFrom('meta').where('name', '=', name), { secret: true });
  if (value !== null) await execute(connection, db.insertInto('meta').values({ name, value }));
}
