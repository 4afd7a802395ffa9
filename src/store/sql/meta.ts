import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';
import { type Connection, execute } from './statement.ts';

const FINGERPRINT = 'master_key_fingerprint';

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
export async function readFingerprint(connection: Connection, db: Kysely<Schema>): Promise<string | null> {
  const { rows } = await execute(
    connection,
    db.selectFrom('meta').select('value').where('name', '=', FINGERPRINT),
  );
  return rows[0]?.value ?? null;
}
