import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import { type Connection, execute } from './statement.ts';

export const FINGERPRINT = 'master_key_fingerprint';

/**
 * Writes down which master key the database belongs to, the first time; afterwards only compares.
 * @returns whether the fingerprint is the database's own
 */
export async function claimFingerprint(
  connection: Connection,
  db: Kysely<Schema>,
  fingerprint: string,
): Promise<boolean> {
  const row = { name: FINGERPRINT, value: fingerprint };
  await execute(
    connection,
    db
      .insertInto('meta')
      .values(row)
      .onConflict((c) => c.doNothing()),
  );
  return (await readFingerprint(connection, db)) === fingerprint;
}

/** Null in a database that has no master key yet. */
export const readFingerprint = async (connection: Connection, db: Kysely<Schema>): Promise<string | null> =>
  (await metaOf(connection, db, [FINGERPRINT])).get(FINGERPRINT) ?? null;

/** What is written under some names. */
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

/** Writes it down, in the place of what was there; null removes it. */
export async function setMeta(
  connection: Connection,
  db: Kysely<Schema>,
  name: string,
  value: string | null,
): Promise<void> {
  await execute(connection, db.deleteFrom('meta').where('name', '=', name), { secret: true });
  if (value !== null) await execute(connection, db.insertInto('meta').values({ name, value }));
}
