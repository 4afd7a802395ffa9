import { sql } from 'kysely';
import { camelCased } from '../../../domain/names.ts';
import type { Session } from '../../../domain/session.ts';
import type { Transaction } from '../../store.ts';
import { type RowOf, recordQueries } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

const toSession = ({ token_hash: _, ...row }: RowOf<'sessions'>): Session => ({
  ...camelCased(row),
  secondFactor: row.second_factor === 1,
  pending: row.pending === 1,
});

export function sessionQueries(db: Database) {
  const byToken = prepare((p: { tokenHash: Uint8Array }) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['users.name', 'users.email', 'users.role', 'users.disabled_at as disabledAt'])
      .select(sql<number>`case when users.totp_secret is null then 0 else 1 end`.as('has_totp'))
      .selectAll('sessions')
      .where('token_hash', '=', p.tokenHash),
  );
  const removeOf = (userId: number) => db.deleteFrom('sessions').where('user_id', '=', userId);
  const touch = prepare((p: { id: number; at: string; before: string }) =>
    db
      .updateTable('sessions')
      .set({ last_seen_at: p.at })
      .where('id', '=', p.id)
      .where('last_seen_at', '<', p.before),
  );
  const sessions = recordQueries(db, 'sessions');

  return (connection: Connection): Transaction['sessions'] => ({
    async find(tokenHash) {
      const row = (await byToken(connection, { tokenHash })).rows[0];
      if (!row) return null;
      const { name, email, role, disabledAt, has_totp, ...session } = row;
      const user = { id: row.user_id, name, email, role, disabledAt, hasTotp: has_totp === 1 };
      return { session: toSession(session), user };
    },
    async ofUser(userId) {
      const query = db.selectFrom('sessions').selectAll().where('user_id', '=', userId).orderBy('id', 'desc');
      return (await execute(connection, query)).rows.map(toSession);
    },
    insert: (row) => sessions.insert(connection, { ...row, failures: 0 }),
    async delete(userId, id) {
      return (await execute(connection, removeOf(userId).where('id', '=', id))).affected === 1;
    },
    async deleteOf(userId, except) {
      return (await execute(connection, removeOf(userId).where('id', '<>', except ?? 0))).affected;
    },
    async noteFailure(id) {
      const query = db.updateTable('sessions').set((eb) => ({ failures: eb('failures', '+', sql.lit(1)) }));
      await execute(connection, query.where('id', '=', id));
    },
    confirm: (id, at) => sessions.update(connection, id, { confirmedAt: at }),
    touch: async (id, at, before) => void (await touch(connection, { id, at, before })),
    async discard(now, idleSince) {
      const query = db
        .deleteFrom('sessions')
        .where((eb) => eb.or([eb('expires_at', '<=', now), eb('last_seen_at', '<', idleSince)]));
      await execute(connection, query);
    },
  });
}
