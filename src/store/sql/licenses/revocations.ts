import { sql } from 'kysely';
import type { Datetime } from '../../../domain/datetime.ts';
import { type Revocation, revokedUntil } from '../../../domain/lease.ts';
import type { RevocationReads, RevocationWrites } from '../../store.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

/** The lease of an activation that ends. */
export interface EndingLease {
  id: number;
  leasedUntil: Datetime | null;
  seatExpiresAt: Datetime | null;
}
/** The columns of an EndingLease. */
export const ENDING_LEASE = [
  'activations.id',
  'leased_until as leasedUntil',
  'seat_expires_at as seatExpiresAt',
] as const;

/** Writes revocations in the transactions of the changes that void leases. Most activations have no leases. */
export function revoking(db: Database) {
  const insert = (
    connection: Connection,
    kind: Revocation['kind'],
    rows: readonly { id: number; until: Datetime }[],
    now: Datetime,
  ) => {
    const values = rows.map(({ id, until }) => ({ kind, object_id: id, revoked_at: now, until }));
    const query = db.insertInto('revocations').values(values);
    const unlessThere = query.onConflict((c) => c.columns(['kind', 'object_id', 'revoked_at']).doNothing());
    return execute(connection, unlessThere);
  };
  return {
    /**
     * Revokes leases of an activation that has just ended.
     * @param revoked until when leases of its license are revoked already
     */
    async activation(
      connection: Connection,
      ended: EndingLease,
      now: Datetime,
      revoked: Datetime = '',
    ): Promise<void> {
      if (ended.leasedUntil === null) return;
      const until = revokedUntil([ended.leasedUntil, ended.seatExpiresAt], now);
      if (until !== null && until > revoked)
        await insert(connection, 'activation', [{ id: ended.id, until }], now);
    },
    /** Revokes leases of activations that are about to end, except those that have ended already. */
    async activations(connection: Connection, ids: readonly number[], now: Datetime): Promise<void> {
      const query = db
        .selectFrom('activations')
        .select(ENDING_LEASE)
        .where('id', 'in', ids)
        .where('deactivated_at', 'is', null)
        .where('leased_until', 'is not', null);
      for (const ending of (await execute(connection, query)).rows)
        await this.activation(connection, ending, now);
    },
    /** Revokes leases of licenses, and of their valid activations. @returns until when, by license */
    async licenses(
      connection: Connection,
      ids: readonly number[],
      now: Datetime,
    ): Promise<ReadonlyMap<number, Datetime>> {
      const lastOf = (column: 'leased_until' | 'seat_expires_at') =>
        db
          .selectFrom('activations')
          .select((eb) => eb.fn.max(column).as('last'))
          .where('license_id', '=', sql.ref<number>('licenses.id'))
          .where('deactivated_at', 'is', null)
          .where(column, 'is not', null);
      const query = db
        .selectFrom('licenses')
        .where('id', 'in', ids)
        .select(['id', 'leased_until as ofFiles'])
        .select([lastOf('leased_until').as('ofActivations'), lastOf('seat_expires_at').as('ofSeats')]);
      const { rows } = await execute(connection, query);
      const revoked = rows.flatMap(({ id, ofFiles, ofActivations, ofSeats }) => {
        const until = revokedUntil([ofFiles, ofActivations, ofActivations && ofSeats], now);
        return until === null ? [] : [{ id, until }];
      });
      if (revoked.length > 0) await insert(connection, 'license', revoked, now);
      return new Map(revoked.map(({ id, until }) => [id, until]));
    },
  };
}

export function revocationQueries(db: Database) {
  const state = prepare(() =>
    db
      .selectFrom('revocations')
      .select((eb) => [
        eb.fn.coalesce(eb.fn.max('id'), eb.val(0)).as('latest'),
        eb.fn.countAll<number>().as('count'),
      ]),
  );
  return (connection: Connection): RevocationReads & RevocationWrites => ({
    async state() {
      const { latest = 0, count = 0 } = (await state(connection, {})).rows[0] ?? {};
      return { latest, count };
    },
    async list(atMost) {
      const newest = db
        .selectFrom('revocations')
        .select(['kind', 'object_id as objectId', 'revoked_at as revokedAt'])
        .orderBy('id', 'desc')
        .limit(atMost);
      // Customers can end any number of activations. The separate query keeps these from pushing licenses out of the
      // list, and has the same limit.
      const [licenses, all] = await Promise.all([
        execute(connection, newest.where('kind', '=', 'license')),
        execute(connection, newest),
      ]);
      const latest = new Map<string, Revocation>();
      for (const one of [...licenses.rows, ...all.rows]) {
        const name = `${one.kind} ${one.objectId}`;
        const known = latest.get(name);
        if (!known) latest.set(name, one);
        else if (known.revokedAt < one.revokedAt) known.revokedAt = one.revokedAt;
      }
      return [...latest.values()].slice(0, atMost);
    },
    async discard(before, atMost) {
      const old = db.selectFrom('revocations').select('id').where('until', '<', before).orderBy('until');
      const query = db.deleteFrom('revocations').where('id', 'in', old.limit(atMost));
      return (await execute(connection, query)).affected;
    },
  });
}
