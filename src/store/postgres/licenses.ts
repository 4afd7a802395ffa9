import type { Keyring } from '../keys/keyring.ts';
import { hashOfRef } from '../sql/licenses/key-hashes.ts';
import { ACTIVATION_COLUMNS, LICENSE_COLUMNS, toActivation, toLicense } from '../sql/rows.ts';
import { type Connection, prepare } from '../sql/statement.ts';
import { ACTIVATIONS_AT_ONCE, type Reads } from '../store.ts';
import { postgresDb } from './connection.ts';

const withActivations = prepare((p: { hash: Uint8Array }) =>
  postgresDb
    .selectFrom('licenses')
    .leftJoin('activations', (join) =>
      join.onRef('activations.license_id', '=', 'licenses.id').on('activations.deactivated_at', 'is', null),
    )
    .select([...LICENSE_COLUMNS, ...ACTIVATION_COLUMNS])
    .where('licenses.key_hash', '=', p.hash)
    .orderBy('activations.id', 'desc')
    .limit(ACTIVATIONS_AT_ONCE),
);

/** Both in one statement: one connection, one way to the server, one moment. */
export const findWithActivations =
  (connection: Connection, keyring: Keyring): Reads['licenses']['findWithActivations'] =>
  async (ref) => {
    const hash = hashOfRef(ref, keyring);
    const rows = hash ? (await withActivations(connection, { hash })).rows : [];
    if (!rows[0]) return null;
    return {
      license: toLicense(rows[0], keyring),
      activations: rows.flatMap((row) => (row.a_id === null ? [] : [toActivation(row)])),
    };
  };
