import type { Kysely } from 'kysely';
import { camelCased } from '../../../domain/names.ts';
import type { Transaction } from '../../store.ts';
import { columnsOf, first } from '../record.ts';
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
    find: async (tokenHash) => first((await byToken(connection, { tokenHash })).rows, camelCased),
    async replace(row) {
      await removeOf(connection, { userId: row.userId });
      await execute(connection, db.insertInto('invitations').values(columnsOf(row) as never));
    },
    use: async (tokenHash, now) => (await use(connection, { tokenHash, now })).affected === 1,
    deleteOf: async (userId) => void (await removeOf(connection, { userId })),
    discard: async (now) => void (await discard(connection, { now })),
  });
}
