import { sql } from 'kysely';
import { UNSEEN } from '../../../domain/activation.ts';
import { MAX_REFERENCE } from '../../../domain/fields.ts';
import type { Keyring } from '../../keys/keyring.ts';
import { ACTIVATIONS_AT_ONCE, type Transaction } from '../../store.ts';
import { first, recordQueries } from '../record.ts';
import {
  ACTIVATION_COLUMNS,
  KNOWN_ACTIVATION_COLUMNS,
  LICENSE_COLUMNS,
  toActivation,
  toLicense,
  withToken,
} from '../rows.ts';
import { type Connection, execute, prepare, type SqlEngine } from '../statement.ts';
import { activationSearchOf } from './activation-search.ts';
import { forgottenActivationQueries } from './forgotten-activations.ts';
import { byTokenQuery, tokenColumnsOf } from './key-hashes.ts';
import { leasingQueries, sealedBinding, withoutLease } from './leasing.ts';
import { ENDING_LEASE, revoking } from './revocations.ts';
import { seatQueries } from './seats.ts';

/** Later than every stored time. */
const LATEST = '9999-12-31 23:59:59';

export function activationQueries(
  engine: SqlEngine,
  keyring: Keyring,
  licenses: (connection: Connection) => Pick<Transaction['licenses'], 'takeSeat' | 'freeSeat' | 'lock'>,
) {
  const { db } = engine;
  const search = activationSearchOf(engine, keyring);
  const forgotten = forgottenActivationQueries(engine, keyring, licenses);
  const seats = seatQueries(engine, keyring, licenses);
  const leasing = leasingQueries(db, keyring);
  const withLicense = db
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .select(LICENSE_COLUMNS);
  const byToken = byTokenQuery(withLicense.select(KNOWN_ACTIVATION_COLUMNS), keyring);
  const byId = prepare((p: { id: number }) =>
    withLicense.select(ACTIVATION_COLUMNS).where('activations.id', '=', p.id),
  );
  type Licensed = Parameters<typeof toActivation>[0] & Parameters<typeof toLicense>[0];
  const licensed = (row: Licensed) => ({
    activation: toActivation(row, keyring),
    license: toLicense(row, keyring),
  });

  const before = prepare((p: { licenseId: number; id: number }) =>
    db
      .selectFrom('activations')
      .select(ACTIVATION_COLUMNS)
      .where('license_id', '=', p.licenseId)
      .where('activations.id', '<', p.id)
      .where('deactivated_at', 'is', null)
      .orderBy('activations.id', 'desc')
      .limit(ACTIVATIONS_AT_ONCE),
  );
  const changed = prepare((p: { licenseId: number; at: string; id: number; limit: number }) =>
    db
      .selectFrom('activations')
      .leftJoin('software', 'software.id', 'activations.software_id')
      .select([...ACTIVATION_COLUMNS, 'software.name as software_name'])
      .where('activations.license_id', '=', p.licenseId)
      .where('activations.updated_at', 'is not', null)
      .where(sql<boolean>`(activations.updated_at, activations.id) < (${p.at}, ${p.id})`)
      .orderBy('activations.updated_at', 'desc')
      .orderBy('activations.id', 'desc')
      .limit(p.limit),
  );
  const activations = recordQueries(db, 'activations');
  const deactivate = prepare((p: { id: number; now: string }) =>
    db
      .updateTable('activations')
      .set({ deactivated_at: p.now, updated_at: p.now })
      .where('id', '=', p.id)
      .where('deactivated_at', 'is', null)
      .returning(ENDING_LEASE),
  );
  const revoke = revoking(db);
  return (connection: Connection): Transaction['activations'] => ({
    ...forgotten(connection),
    ...seats(connection),
    ...leasing(connection),
    before: async (licenseId, id) =>
      (await before(connection, { licenseId, id })).rows.map((row) => toActivation(row, keyring)),
    async findByToken(token) {
      const { rows } = await byToken(connection, token);
      return first(rows, (row) => ({
        activation: withToken(row, token),
        license: toLicense(row, keyring),
      }));
    },
    find: async (id) => first((await byId(connection, { id })).rows, licensed),
    async insertWithSeat(license, row) {
      const timesActivated = await licenses(connection).takeSeat(license);
      if (timesActivated === null) return null;
      const binding = row.binding && { binding: sealedBinding(row.binding, row.token, keyring) };
      const columns = { ...row, ...tokenColumnsOf(row.token, keyring), ...binding };
      const id = await activations.insert(connection, columns);
      return { activation: { ...UNSEEN, ...withoutLease(row), id }, timesActivated };
    },
    async changed(licenseId, before, limit) {
      const { at, id } = before ?? { at: LATEST, id: MAX_REFERENCE };
      const { rows } = await changed(connection, { licenseId, at, id, limit });
      return rows.map((row) => ({ activation: toActivation(row, keyring), softwareName: row.software_name }));
    },
    search: (filter, page) => search(connection, filter, page),
    async delete(id, now) {
      const query = db
        .deleteFrom('activations')
        .where('id', '=', id)
        .returning(['deactivated_at as deactivatedAt', ...ENDING_LEASE]);
      const row = (await execute(connection, query)).rows[0];
      if (!row) return null;
      if (row.deactivatedAt === null) await revoke.activation(connection, row, now);
      return row;
    },
    async deactivate(id, now) {
      const row = (await deactivate(connection, { id, now })).rows[0];
      if (row) await revoke.activation(connection, row, now);
      return row !== undefined;
    },
    async deactivateAndFreeSeat({ id, licenseId }, now) {
      const row = (await deactivate(connection, { id, now })).rows[0];
      if (!row) return null;
      await revoke.activation(connection, row, now);
      return licenses(connection).freeSeat(licenseId);
    },
    async reactivate(id, now, seatExpiresAt, as) {
      const query = db.updateTable('activations').set({
        deactivated_at: null,
        ended_as: null,
        updated_at: now,
        last_seen_at: now,
        seat_expires_at: seatExpiresAt,
      });
      const ended = query.where('id', '=', id).where('deactivated_at', 'is not', null);
      const these = as === undefined ? ended : ended.where('ended_as', '=', as);
      return (await execute(connection, these)).affected === 1;
    },
  });
}
