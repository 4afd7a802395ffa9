import { sql } from 'kysely';
import type { Keyring } from '../../keys/keyring.ts';
import type { Transaction } from '../../store.ts';
import { columnsOf, first } from '../record.ts';
import { ACTIVATION_COLUMNS, toActivation } from '../rows.ts';
import type { Database } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

type Queries = Pick<
  Transaction['activations'],
  'deviceOf' | 'findByDevice' | 'lapsed' | 'takenOver' | 'endLapsed' | 'endOldest' | 'keep' | 'touch'
>;

/** Queries on devices, and on seats that end by themselves. */
export function seatQueries(
  db: Database,
  keyring: Keyring,
  licenses: (connection: Connection) => Pick<Transaction['licenses'], 'freePlace'>,
) {
  const byDevice = prepare((p: { licenseId: number; device: string }) =>
    db
      .selectFrom('activations')
      .select(ACTIVATION_COLUMNS)
      .where('license_id', '=', p.licenseId)
      .where('device', '=', p.device)
      .where('deactivated_at', 'is', null),
  );
  const touch = prepare((p: { id: number; at: string }) =>
    db
      .updateTable('activations')
      .set({ last_seen_at: p.at })
      .where('id', '=', p.id)
      .where((eb) => eb.or([eb('last_seen_at', 'is', null), eb('last_seen_at', '<', p.at)])),
  );
  const seenAt = sql<string>`coalesce(last_seen_at, created_at)`;

  return (connection: Connection): Queries => ({
    deviceOf: async (licenseId, device) => keyring.deviceTag(licenseId, device),
    findByDevice: async (licenseId, device) =>
      first((await byDevice(connection, { licenseId, device })).rows, (row) => toActivation(row, keyring)),
    async lapsed(licenseIds, now) {
      const query = db
        .selectFrom('activations')
        .select((eb) => ['license_id', eb.fn.countAll<number>().as('seats')])
        .where('license_id', 'in', licenseIds)
        .where('deactivated_at', 'is', null)
        .where('seat_expires_at', '<=', now)
        .groupBy('license_id');
      const { rows } = await execute(connection, query);
      return new Map(rows.map(({ license_id, seats }) => [license_id, seats]));
    },
    async takenOver(licenseId, since) {
      const query = db
        .selectFrom('activations')
        .select((eb) => eb.fn.countAll<number>().as('seats'))
        .where('license_id', '=', licenseId)
        .where('deactivated_at', '>', since)
        .where('ended_as', '=', 'taken_over');
      return (await execute(connection, query)).rows[0]?.seats ?? 0;
    },
    async endLapsed(licenseId, now) {
      const query = db
        .updateTable('activations')
        .set((eb) => ({ deactivated_at: eb.ref('seat_expires_at'), updated_at: now, ended_as: 'lapsed' }))
        .where('license_id', '=', licenseId)
        .where('deactivated_at', 'is', null)
        .where('seat_expires_at', '<=', now);
      const { affected } = await execute(connection, query);
      if (affected > 0) await licenses(connection).freePlace(licenseId, affected);
      return affected;
    },
    async endOldest(licenseId, as, seenBefore, now) {
      let query = db
        .selectFrom('activations')
        .select(ACTIVATION_COLUMNS)
        .where('license_id', '=', licenseId)
        .where('deactivated_at', 'is', null);
      if (seenBefore !== null) query = query.where(seenAt, '<', seenBefore);
      const { rows } = await execute(connection, query.orderBy(seenAt).orderBy('activations.id').limit(1));
      const oldest = first(rows, (row) => toActivation(row, keyring));
      if (!oldest) return null;
      const ended = db
        .updateTable('activations')
        .set({ deactivated_at: now, updated_at: now, ended_as: as })
        .where('id', '=', oldest.id)
        .where('deactivated_at', 'is', null);
      // Somebody has just deactivated it: its place is free.
      if ((await execute(connection, ended)).affected === 1) await licenses(connection).freePlace(licenseId);
      return { ...oldest, deactivatedAt: now, updatedAt: now, endedAs: as };
    },
    async keep(id, changes) {
      const query = db
        .updateTable('activations')
        .set(columnsOf(changes) as never)
        .where('id', '=', id)
        .where('deactivated_at', 'is', null);
      return (await execute(connection, query)).affected === 1;
    },
    async touch(seen) {
      await Promise.all(seen.map((one) => touch(connection, one)));
    },
  });
}
