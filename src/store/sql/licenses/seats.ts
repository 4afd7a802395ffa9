import { sql } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import type { Keyring } from '../../keys/keyring.ts';
import type { Transaction } from '../../store.ts';
import { columnsOf, first, laterOf } from '../record.ts';
import { ACTIVATION_COLUMNS, toActivation } from '../rows.ts';
import { type Connection, execute, oncePer, prepare, type SqlEngine } from '../statement.ts';
import { ENDING_LEASE, revoking } from './revocations.ts';

type Queries = Pick<
  Transaction['activations'],
  | 'deviceOf'
  | 'findByDevice'
  | 'lapsed'
  | 'holders'
  | 'takenOver'
  | 'endLapsed'
  | 'deactivateLapsed'
  | 'endOldest'
  | 'keep'
  | 'keepForGood'
  | 'touch'
>;

/** Makes a seat node-locked. Its leases, which ended with the seat, may last until the seat would have ended. */
const NODE_LOCKED = {
  seat_expires_at: null,
  leased_until: sql<Datetime | null>`case when leased_until < seat_expires_at
    then seat_expires_at else leased_until end`,
};

/** Activations that one statement touches. The number is fixed, so that the statement is prepared once. */
const TOUCHED_AT_ONCE = 100;
const SLOTS = Array.from({ length: TOUCHED_AT_ONCE }, (_, i) => i);

/** Queries on devices, and on seats that end by themselves. */
export function seatQueries(
  { db, lockRows }: SqlEngine,
  keyring: Keyring,
  licenses: (connection: Connection) => Pick<Transaction['licenses'], 'freeSeat'>,
) {
  const byDevice = prepare((p: { licenseId: number; device: string }) =>
    db
      .selectFrom('activations')
      .select(ACTIVATION_COLUMNS)
      .where('license_id', '=', p.licenseId)
      .where('device', '=', p.device)
      .where('deactivated_at', 'is', null),
  );
  const touch = prepare((p: readonly [at: string, ...ids: number[]]) =>
    db
      .updateTable('activations')
      .set({ last_seen_at: p[0] })
      .where(
        'id',
        'in',
        SLOTS.map((i) => p[i + 1] as number),
      )
      .where((eb) => eb.or([eb('last_seen_at', 'is', null), eb('last_seen_at', '<', p[0])])),
  );
  const revoke = revoking(db);
  const seenAt = sql<string>`coalesce(last_seen_at, created_at)`;
  const timesActivated = sql<number>`(select times_activated from licenses
    where licenses.id = activations.license_id)`.as('timesActivated');
  const keeping = oncePer((columns) =>
    prepare((p: Readonly<Record<string, unknown>> & { id: number }) => {
      const { last_seen_at, seat_expires_at, ...changes } = Object.fromEntries(
        columns.map((name) => [name, p[name]]),
      ) as Record<string, Datetime>;
      return db
        .updateTable('activations')
        .set({
          ...(changes as object),
          ...(last_seen_at && { last_seen_at: laterOf('last_seen_at', last_seen_at, seenAt) }),
          ...(seat_expires_at
            ? { seat_expires_at: laterOf('seat_expires_at', seat_expires_at) }
            : NODE_LOCKED),
        })
        .where('id', '=', p.id)
        .where('deactivated_at', 'is', null)
        .returning(['last_seen_at as lastSeenAt', 'seat_expires_at as seatExpiresAt', timesActivated]);
    }),
  );
  const held = (licenseId: number) =>
    db.selectFrom('activations').where('license_id', '=', licenseId).where('deactivated_at', 'is', null);

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
    async holders(licenseId, now, lapsesBy, atMost) {
      const ofNow = held(licenseId).where((eb) =>
        eb.or([eb('seat_expires_at', 'is', null), eb('seat_expires_at', '>', now)]),
      );
      const newest = ofNow
        .select(['label', seenAt.as('lastSeenAt')])
        .orderBy('id', 'desc')
        .limit(atMost);
      const lapsing = sql<Datetime | null>`min(seat_expires_at)`;
      const oldest = sql<Datetime | null>`min(case when seat_expires_at > ${lapsesBy} then null else ${seenAt} end)`;
      const ends = ofNow.select([lapsing.as('firstEnd'), oldest.as('oldestSeenAt')]);
      const [devices, all] = await Promise.all([execute(connection, newest), execute(connection, ends)]);
      return { devices: devices.rows, ...(all.rows[0] ?? { firstEnd: null, oldestSeenAt: null }) };
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
    async endLapsed(licenseId, now, atMost) {
      // Locks in the order of ids, as other commands do.
      const lapsed = held(licenseId).select('id').where('seat_expires_at', '<=', now).orderBy('id');
      const query = db
        .updateTable('activations')
        .set((eb) => ({ deactivated_at: eb.ref('seat_expires_at'), updated_at: now, ended_as: 'lapsed' }))
        .where('id', 'in', lapsed.limit(atMost).modifyEnd(lockRows))
        .returning(ENDING_LEASE);
      const { rows } = await execute(connection, query);
      if (rows.length > 0) await licenses(connection).freeSeat(licenseId, rows.length);
      // Only a lease from before the license floated outlasts its seat.
      for (const row of rows) await revoke.activation(connection, row, now);
      return rows.map(({ id }) => id);
    },
    async deactivateLapsed(id, now) {
      const query = db
        .updateTable('activations')
        .set({ deactivated_at: now, ended_as: null, updated_at: now })
        .where('id', '=', id)
        .where('ended_as', '=', 'lapsed');
      return (await execute(connection, query)).affected === 1;
    },
    async endOldest(licenseId, as, { seenBefore, lapsesBy, not: device }, now) {
      let oldest = held(licenseId).select('id').orderBy(seenAt).orderBy('id').limit(1);
      if (seenBefore !== null) oldest = oldest.where(seenAt, '<', seenBefore);
      if (lapsesBy !== null)
        oldest = oldest.where((eb) =>
          eb.or([eb('seat_expires_at', 'is', null), eb('seat_expires_at', '<=', lapsesBy)]),
        );
      if (device !== null) oldest = oldest.where('device', 'is distinct from', device);
      const query = db
        .updateTable('activations')
        .set({ deactivated_at: now, updated_at: now, ended_as: as })
        .where('id', '=', oldest.modifyEnd(lockRows))
        .returning([...ACTIVATION_COLUMNS, ...ENDING_LEASE]);
      const row = (await execute(connection, query)).rows[0];
      if (!row) return null;
      const timesActivated = await licenses(connection).freeSeat(licenseId);
      await revoke.activation(connection, row, now);
      return { activation: toActivation(row, keyring), timesActivated };
    },
    async keep(id, changes, seen, end) {
      const values = {
        ...columnsOf(changes),
        ...(seen !== null && { last_seen_at: seen }),
        ...(end !== null && { seat_expires_at: end }),
      };
      const { rows } = await keeping(Object.keys(values))(connection, { ...values, id });
      return first(rows, ({ timesActivated, ...times }) => ({ times, timesActivated }));
    },
    async keepForGood(licenseId) {
      const query = db
        .updateTable('activations')
        .set(NODE_LOCKED)
        .where('id', 'in', held(licenseId).select('id').where('seat_expires_at', 'is not', null));
      await execute(connection, query);
    },
    async touch(seen) {
      // Statements for each second, not for each device: less than half of the work on PostgreSQL. Two nodes that record
      // the same devices in several seconds may deadlock; one of them then retries.
      for (const [at, some] of Map.groupBy(seen, (one) => one.at))
        for (let from = 0; from < some.length; from += TOUCHED_AT_ONCE) {
          // Repeats an id in the slots that are left.
          const ids = SLOTS.map((i) => (some[from + i] ?? some[from])?.id as number);
          await touch(connection, [at, ...ids]);
        }
    },
  });
}
