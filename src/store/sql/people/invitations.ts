import type { Kysely } from 'kysely';
import type { InvitationPurpose } from '../../../domain/session.ts';
import type { Transaction } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

export function invitationQueries(db: Kysely<Schema>) {
  const byToken = prepare((p: { tokenHash: Uint8Array }) =>
    db
      .selectFrom('invitations')
      .select(['user_id', 'purpose', 'expires_at'])
      .where('token_hash', '=', p.tokenHash)
      .where('used_at', 'is', null),
  );
  const use = prepare((p: { tokenHash: Uint8Array; now: string }) =>
    db
      .updateTable('invitations')
      .set({ used_at: p.now })
      .where('token_hash', '=', p.tokenHash)
      .where('used_at', 'is', null)
      .where('expires_at', '>', p.now),
  );
  const removeOf = prepare((p: { userId: number }) =>
    db.deleteFrom('invitations').where('user_id', '=', p.userId).where('used_at', 'is', null),
  );
  const discard = prepare((p: { now: string }) =>
    db.deleteFrom('invitations').where('expires_at', '<=', p.now),
  );

  return (connection: Connection): Transaction['invitations'] => ({
    async find(tokenHash) {
      const row = (await byToken(connection, { tokenHash })).rows[0];
      if (!row) return null;
      return { userId: row.user_id, purpose: row.purpose as InvitationPurpose, expiresAt: row.expires_at };
    },
    async replace(row) {
      await removeOf(connection, { userId: row.userId });
      const values = {
        token_hash: row.tokenHash,
        user_id: row.userId,
        purpose: row.purpose,
        created_at: row.createdAt,
        expires_at: row.expiresAt,
      };
      await execute(connection, db.insertInto('invitations').values(values));
    },
    use: async (tokenHash, now) => (await use(connection, { tokenHash, now })).affected === 1,
    async deleteOf(userId) {
      await removeOf(connection, { userId });
    },
    async discard(now) {
      await discard(connection, { now });
    },
  });
}
