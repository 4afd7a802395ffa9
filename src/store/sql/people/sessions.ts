import { type Kysely, sql } from 'kysely';
import { camelCased } from '../../../domain/names.ts';
import type { Session } from '../../../domain/session.ts';
import type { Transaction } from '../../store.ts';
import { type RowOf, recordQueries } from '../record.ts';
import type { Schema } from '../schema.ts';
import { type Connection, prepare } from '../statement.ts';

const toSession = ({ token_hash: _, ...row }: RowOf<'sessions'>): Session => ({
  ...camelCased(row),
  secondFactor: row.second_factor === 1,
  pending: row.pending === 1,
});

export function sessionQueries(db: Kysely<Schema>) {
  const byToken = prepare((p: { tokenHash: Uint8Array }) =>
    db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['users.name', 'users.email', 'users.role', 'users.disabled_at as disabledAt'])
      .select(sql<number>`case when users.totp_secret is null then 0 else 1 end`.as('has_totp'))
      .selectAll('sessions')
      .where('token_hash', '=', p.tokenHash),
  );
  const byUser = prepare((p: { userId: number }) =>
    db.selectFrom('sessions').selectAll().where('user_id', '=', p.userId).orderBy('id', 'desc'),
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
  const sessions = recordQueries(db, 'sessions');

  return (connection: Connection): Transaction['sessions'] => ({
    async find(tokenHash) {
      const row = (await byToken(connection, { tokenHash })).rows[0];
      if (!row) return null;
      const { name, email, role, disabledAt, has_totp, ...session } = row;
      const user = { id: row.user_id, name, email, role, disabledAt, hasTotp: has_totp === 1 };
      return { session: toSession(session), user };
    },
    ofUser: async (userId) => (await byUser(connection, { userId })).rows.map(toSession),
    insert: (row) => sessions.insert(connection, { ...row, failures: 0 }),
    delete: async (userId, id) => (await remove(connection, { userId, id })).affected === 1,
    deleteOf: async (userId, except) =>
      (await removeOf(connection, { userId, except: except ?? 0 })).affected,
    noteFailure: async (id) => void (await noteFailure(connection, { id })),
    confirm: (id, at) => sessions.update(connection, id, { confirmedAt: at }),
    touch: async (id, at, before) => void (await touch(connection, { id, at, before })),
    discard: async (now, idleSince) => void (await discard(connection, { now, idleSince })),
  });
}
