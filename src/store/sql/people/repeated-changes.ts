import type { Keyring } from '../../keys/keyring.ts';
import type { RepeatedChangeWrites } from '../../store.ts';
import type { Database } from '../schema.ts';
import { type Connection, execute } from '../statement.ts';

export function repeatedChangeQueries(db: Database, keyring: Keyring) {
  const hashOf = (userId: number, key: string) => keyring.deviceTag(userId, `u${key}`);
  const named = (userId: number, key: string) => ({ user_id: userId, key_hash: hashOf(userId, key) });

  return (connection: Connection): RepeatedChangeWrites => ({
    async begin(userId, { key, digest }, before, now) {
      const begun = {
        ...{ note: null, created_at: now },
        request_hash: keyring.deviceTag(userId, `v${digest}`),
      };
      // Waits for another transaction with the same key.
      const unlessKnown = db
        .insertInto('repeated_changes')
        .values({ ...named(userId, key), ...begun })
        .onConflict((c) =>
          c
            .columns(['user_id', 'key_hash'])
            .doUpdateSet(begun)
            .where('repeated_changes.created_at', '<=', before),
        )
        .returning('user_id');
      if ((await execute(connection, unlessKnown)).rows.length > 0) return null;
      const query = db
        .selectFrom('repeated_changes')
        .select(['request_hash', 'note'])
        .where('user_id', '=', userId)
        .where('key_hash', '=', hashOf(userId, key));
      const earlier = (await execute(connection, query)).rows[0];
      return earlier
        ? { isSame: earlier.request_hash === begun.request_hash, note: JSON.parse(earlier.note ?? 'null') }
        : null;
    },
    async end(userId, key, note) {
      const query = db
        .updateTable('repeated_changes')
        .set({ note: JSON.stringify(note) })
        .where('user_id', '=', userId)
        .where('key_hash', '=', hashOf(userId, key));
      await execute(connection, query);
    },
    async discard(before, atMost) {
      const old = db
        .selectFrom('repeated_changes')
        .select(['user_id', 'key_hash'])
        .where('created_at', '<=', before)
        .orderBy('created_at')
        .limit(atMost);
      const query = db
        .deleteFrom('repeated_changes')
        .where(({ eb, refTuple }) =>
          eb(refTuple('user_id', 'key_hash'), 'in', old.$asTuple('user_id', 'key_hash')),
        )
        .where('created_at', '<=', before);
      return (await execute(connection, query, { alone: true })).affected;
    },
  });
}
