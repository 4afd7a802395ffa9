import { sql } from 'kysely';
import { isTokenIndex, type Keyring } from '../../keys/keyring.ts';
import type { Transaction } from '../../store.ts';
import { type Connection, execute, prepare, type SqlEngine } from '../statement.ts';
import { type EndingLease, revoking } from './revocations.ts';
import { trashing } from './trash.ts';

type Queries = Pick<Transaction['activations'], 'forgotten' | 'forget' | 'discard' | 'wasDeleted'>;

interface Ending extends EndingLease {
  license_id: number;
  token: string;
  deactivated_at: string | null;
}

/** Deletes many activations in steps. No statement reads rows that it does not delete, except in an index. */
export function forgottenActivationQueries(
  { db, lockRows }: SqlEngine,
  keyring: Keyring,
  licenses: (connection: Connection) => Pick<Transaction['licenses'], 'freeSeat' | 'lock'>,
) {
  const toTrash = trashing(db);
  const revoke = revoking(db);
  const ofLicense = (licenseId: number) =>
    db.selectFrom('activations').where('license_id', '=', licenseId).where('deactivated_at', 'is not', null);
  const forget = prepare((p: { licenseId: number; keep: number; atMost: number; takeovers: string }) => {
    const newestBeyond = ofLicense(p.licenseId)
      .select(['deactivated_at', 'id'])
      .orderBy('deactivated_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .offset(p.keep);
    const oldest = ofLicense(p.licenseId)
      .select('id')
      .where(sql<boolean>`(deactivated_at, id) <= (${newestBeyond})`)
      .orderBy('deactivated_at')
      .orderBy('id')
      .limit(p.atMost);
    // The condition is repeated: on PostgreSQL, an activation that was reactivated since must stay.
    return db
      .deleteFrom('activations')
      .where('id', 'in', oldest)
      .where('deactivated_at', 'is not', null)
      .where((eb) =>
        eb.or([eb('ended_as', 'is distinct from', 'taken_over'), eb('deactivated_at', '<', p.takeovers)]),
      )
      .returning(['created_at', 'deactivated_at']);
  });

  return (connection: Connection): Queries => ({
    async forgotten(licenseId) {
      const query = db
        .selectFrom('forgotten_activations')
        .select(['activations', 'first_at as firstAt', 'last_at as lastAt'])
        .where('license_id', '=', licenseId);
      return (await execute(connection, query)).rows[0] ?? null;
    },
    async forget(licenseId, keep, atMost, takeovers) {
      const { rows } = await forget(connection, { licenseId, keep, atMost, takeovers });
      if (rows.length === 0) return;
      const created = rows.map((row) => row.created_at).sort();
      const ended = rows.map((row) => row.deactivated_at as string).sort();
      const counted = {
        license_id: licenseId,
        activations: rows.length,
        first_at: created[0] as string,
        last_at: ended.at(-1) as string,
      };
      const sum = db.insertInto('forgotten_activations').values(counted);
      const added = sum.onConflict((c) =>
        c.column('license_id').doUpdateSet({
          activations: sql`forgotten_activations.activations + excluded.activations`,
          first_at: sql`case when excluded.first_at < forgotten_activations.first_at
            then excluded.first_at else forgotten_activations.first_at end`,
          last_at: sql`case when excluded.last_at > forgotten_activations.last_at
            then excluded.last_at else forgotten_activations.last_at end`,
        }),
      );
      await execute(connection, added);
    },
    async discard(licenseIds, atMost, now) {
      if (licenseIds.length === 0) return 0;
      const revoked = await revoke.licenses(connection, licenseIds, now);
      const taken: Ending[] = [];
      const take = async (condition = sql``) => {
        // Locks the rows, so that exactly the rows that were read are moved.
        const query = sql<Ending>`
          select id, license_id, token, deactivated_at, leased_until as "leasedUntil", seat_expires_at as "seatExpiresAt"
          from activations where license_id in (${sql.join(licenseIds)}) ${condition}
          limit ${atMost - taken.length} ${lockRows}`;
        const { rows } = await execute(connection, query.compile(db));
        const ids = rows.map(({ id }) => id);
        if (ids.length > 0) await toTrash.activations(connection, ids, now);
        taken.push(...rows);
      };
      await take(sql`and deactivated_at is not null`);
      await take();
      if (taken.length < atMost) {
        // After the activations, in the order of a deactivation. Takes those made since: from now on no device can
        // activate, so a deletion ends even if devices keep activating.
        await licenses(connection).lock(licenseIds);
        await take();
      }
      const held = taken.filter((row) => row.deactivated_at === null);
      if (held.length > 0) {
        const deleted = held.map(({ token }) => ({
          token: isTokenIndex(token) ? token : keyring.tokenIndex(token),
          deleted_at: now,
        }));
        const insert = db.insertInto('deleted_activations').values(deleted);
        // A move can bring back a token that was deleted before.
        await execute(
          connection,
          insert.onConflict((c) => c.column('token').doNothing()),
        );
      }
      // On PostgreSQL, leases may have been given out since those of the licenses were revoked.
      for (const row of held) await revoke.activation(connection, row, now, revoked.get(row.license_id));
      const seats = Map.groupBy(held, (row) => row.license_id);
      for (const [id, { length }] of seats) await licenses(connection).freeSeat(id, length);
      return taken.length;
    },
    async wasDeleted(token) {
      const index = keyring.tokenIndex(token);
      const query = db.selectFrom('deleted_activations').select('token').where('token', '=', index);
      return (await execute(connection, query)).rows.length > 0;
    },
  });
}
