import { sql } from 'kysely';
import type { Binding } from '../../../domain/lease.ts';
import { DISABLED } from '../../../domain/licenses/license.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { ActivationRow, Transaction } from '../../store.ts';
import { laterOf, parseJson } from '../record.ts';
import { KNOWN_ACTIVATION_COLUMNS, LICENSE_COLUMNS, toLicense, withToken } from '../rows.ts';
import { type Connection, type Database, execute } from '../statement.ts';
import { byTokenQuery } from './key-hashes.ts';

type Queries = Pick<Transaction['activations'], 'findLeasable' | 'bind' | 'noteLease'>;

/** The context under which a binding is encrypted. The blind index stays the same when the token in the row is converted. */
const contextOf = (token: string, keyring: Keyring) => `lease binding ${keyring.tokenIndex(token)}`;

export const sealedBinding = (binding: Binding, token: string, keyring: Keyring): Buffer =>
  keyring.sealSecret(JSON.stringify(binding), contextOf(token, keyring));

const openBinding = (sealed: Uint8Array, token: string, keyring: Keyring): Binding =>
  parseJson(keyring.openSecret(sealed, contextOf(token, keyring)));

/** Removes the fields of leases, which an `Activation` does not have. */
export const withoutLease = ({ binding: _, leasedUntil: __, ...row }: ActivationRow) => row;

/** Queries on the columns that leases depend on. Other look-ups of activations do not read these columns. */
export function leasingQueries(db: Database, keyring: Keyring) {
  const leasable = db
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .select([
      ...LICENSE_COLUMNS,
      ...KNOWN_ACTIVATION_COLUMNS,
      'binding',
      'activations.leased_until as leasedUntil',
    ]);
  const byToken = byTokenQuery(leasable, keyring);
  return (connection: Connection): Queries => ({
    async findLeasable(token) {
      const row = (await byToken(connection, token)).rows[0];
      if (!row) return null;
      return {
        activation: withToken(row, token),
        license: toLicense(row, keyring),
        binding: row.binding && openBinding(row.binding, token, keyring),
        leasedUntil: row.leasedUntil,
      };
    },
    async bind({ id, token }, binding) {
      const sealed = sealedBinding(binding, token, keyring);
      const query = db.updateTable('activations').set({ binding: sealed }).where('id', '=', id);
      await execute(connection, binding.x === null ? query.where('binding', 'is', null) : query);
    },
    async noteLease(id, until) {
      const query = db
        .updateTable('activations')
        .set({ leased_until: laterOf('leased_until', until) })
        .where('id', '=', id)
        .where('deactivated_at', 'is', null)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('licenses')
              .select(sql`1`.as('one'))
              .whereRef('licenses.id', '=', 'activations.license_id')
              .where('status', '!=', DISABLED),
          ),
        );
      return (await execute(connection, query)).affected === 1;
    },
  });
}
