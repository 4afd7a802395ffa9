import { camelCased } from '../../../domain/names.ts';
import type { Transaction } from '../../store.ts';
import { columnsOf, first } from '../record.ts';
import { type Connection, type Database, execute } from '../statement.ts';

export function invitationQueries(db: Database) {
  return (connection: Connection): Transaction['invitations'] => {
    const deleteOf = async (userId: number) => {
      const query = db.deleteFrom('invitations').where('user_id', '=', userId);
      await execute(connection, query.where('used_at', 'is', null));
    };
    return {
      async find(tokenHash) {
        const query = db.selectFrom('invitations').select(['user_id', 'purpose', 'expires_at']);
        const unused = query.where('token_hash', '=', tokenHash).where('used_at', 'is', null);
        return first((await execute(connection, unused)).rows, camelCased);
      },
      async replace(row) {
        await deleteOf(row.userId);
        await execute(connection, db.insertInto('invitations').values(columnsOf(row) as never));
      },
      async use(tokenHash, now) {
        const query = db.updateTable('invitations').set({ used_at: now }).where('token_hash', '=', tokenHash);
        const usable = query.where('used_at', 'is', null).where('expires_at', '>', now);
        return (await execute(connection, usable)).affected === 1;
      },
      deleteOf,
      async discard(now) {
        await execute(connection, db.deleteFrom('invitations').where('expires_at', '<=', now));
      },
    };
  };
}
