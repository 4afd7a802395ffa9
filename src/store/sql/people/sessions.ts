import { type Kysely, type Selectable, sql } from 'kysely';
import type { Session } from '../../../domain/session.ts';
import type { Role } from '../../../domain/user.ts';
import type { Transaction } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

const COLUMNS = [
  'sessions.id',
  'sessions.user_id',
  'sessions.created_at',
  'sessions.last_seen_at',
  'sessions.expires_at',
  'sessions.ip_address',
  'sessions.user_agent',
  'sessions.second_factor',
  'sessions.pending',
  'sessions.failures',
  'sessions.confirmed_at',
] as const;

const toSession = (row: Omit<Selectable<Schema['sessions']>, 'token_hash'>): Session => ({
  id: row.id,
  userId: row.user_id,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
  expiresAt: row.expires_at,
  ipAddress: row.ip_address,
  userAgent: row.user_agent,
  secondFactor: row.second_factor === 1,
  pending: row.pending === 1,
  failures: row.failures,
  confirmedAt: row.confirmed_at,
});

export function sessionQueries(db: Kysely<Schema>) {
  const byToken = prepare((p: { tokenHash: Uint8Array }) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(COLUMNS)
      .select(['users.name', 'users.email', 'users.role', 'users.disabled_at'])
      .select(sql<number>`case when users.totp_secret is null then 0 else 1 end`.as('has_totp'))
      .where('token_hash', '=', p.tokenHash),
  );
  const byUser = prepare((p: { userId: number }) =>
    db.selectFrom('sessions').select(COLUMNS).where('user_id', '=', p.userId).orderBy('id', 'desc'),
  );
  const remove = prepare((p: { userId: number; id: number }) =>
    db.deleteFrom('sessions').where('user_id', '=', p.userId).where('id', '=', p.id),
  );
  const removeOf = prepare((p: { userId: number; except: number }) =>
    db.deleteFrom('sessions').where('user_id', '=', p.userId).where('id', '<>', p.except),
  );
  const noteFailure = prepare((p: { id: number }) =>
    db
      .updateTable('sessions')
      .set((eb) => ({ failures: eb('failures', '+', sql.lit(1)) }))
      .where('id', '=', p.id),
  );
  const confirm = prepare((p: { id: number; at: string }) =>
    db.updateTable('sessions').set({ confirmed_at: p.at }).where('id', '=', p.id),
  );
  const touch = prepare(
    (p: { id: number; at: string; before: string }) =>
      db
        .updateTable('sessions')
        .set({ last_seen_at: p.at })
        .where('id', '=', p.id)
        .where('last_seen_at', '<', p.before),
    { alone: true },
  );
  const discard = prepare((p: { now: string; idleSince: string }) =>
    db
      .deleteFrom('sessions')
      .where((eb) => eb.or([eb('expires_at', '<=', p.now), eb('last_seen_at', '<', p.idleSince)])),
  );

  return (connection: Connection): Transaction['sessions'] => ({
    async find(tokenHash) {
      const row = (await byToken(connection, { tokenHash })).rows[0];
      if (!row) return null;
      const { name, email, role, disabled_at: disabledAt } = row;
      const user = { id: row.user_id, name, email, role: role as Role | null, disabledAt };
      return { session: toSession(row), user: { ...user, hasTotp: row.has_totp === 1 } };
    },
    ofUser: async (userId) => (await byUser(connection, { userId })).rows.map(toSession),
    async insert(row) {
      const query = db
        .insertInto('sessions')
        .values({
          token_hash: row.tokenHash,
          user_id: row.userId,
          created_at: row.createdAt,
          last_seen_at: row.lastSeenAt,
          expires_at: row.expiresAt,
          ip_address: row.ipAddress,
          user_agent: row.userAgent,
          second_factor: row.secondFactor ? 1 : 0,
          pending: row.pending ? 1 : 0,
          failures: 0,
          confirmed_at: row.confirmedAt,
        })
        .returning('id');
      return (await execute(connection, query)).rows[0]?.id as number;
    },
    delete: async (userId, id) => (await remove(connection, { userId, id })).affected === 1,
    deleteOf: async (userId, except) =>
      (await removeOf(connection, { userId, except: except ?? 0 })).affected,
    async noteFailure(id) {
      await noteFailure(connection, { id });
    },
    async confirm(id, at) {
      await confirm(connection, { id, at });
    },
    async touch(id, at, before) {
      await touch(connection, { id, at, before });
    },
    async discard(now, idleSince) {
      await discard(connection, { now, idleSince });
    },
  });
}
