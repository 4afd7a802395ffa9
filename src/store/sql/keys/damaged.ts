import { sql } from 'kysely';
import type { DamagedText } from '../../backups/inspection.ts';
import { StoreDamaged } from '../../errors.ts';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import { type Connection, type Database, execute } from '../statement.ts';
import { SEALED } from './rewrite.ts';

const ROWS_AT_ONCE = 1_000;

/**
 * Finds the license keys and tokens that cannot be decrypted because they were changed. Reads all of them: 5 s per
 * million.
 */
export async function findDamaged(
  connection: Connection,
  db: Database,
  keyring: Keyring,
): Promise<DamagedText[]> {
  const found: DamagedText[] = [];
  for (const table of ['licenses', 'activations', 'trashed_licenses', 'trashed_activations'] as const) {
    const { sealed, index } = SEALED[table];
    let after = 0;
    for (;;) {
      const query = sql<{ id: number; sealed: Uint8Array | null; index: Uint8Array | string }>`
        select id, ${sql.ref(sealed)} as sealed, ${sql.ref(index)} as "index" from ${sql.table(table)}
        where id > ${after} order by id limit ${ROWS_AT_ONCE}`;
      const { rows } = await execute(connection, query.compile(db));
      for (const row of rows)
        if (row.sealed && isDamaged(keyring, row.sealed, row.index)) found.push({ table, id: row.id });
      const last = rows.at(-1);
      if (!last) break;
      after = last.id;
    }
  }
  return found;
}

function isDamaged(keyring: Keyring, sealed: Uint8Array, index: Uint8Array | string): boolean {
  try {
    keyring.open(sealed, Buffer.from(index as Uint8Array));
    return false;
  } catch (error) {
    // The keyring has every key that the database ever had: an unknown one is damage, too.
    return error instanceof StoreDamaged || error instanceof UnknownSealingKey;
  }
}
