import { sql } from 'kysely';
import { camelCased } from '../../../domain/names.ts';
import { StoreDamaged } from '../../errors.ts';
import { type Keyring, UnknownSealingKey } from '../../keys/keyring.ts';
import type { Transaction } from '../../store.ts';
import { columnsOf } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

/** The context under which a private half is encrypted, so that it cannot be decrypted in another row. */
export const privateHalfContext = (kid: string): string => `signing key ${kid}`;

export function signingKeyQueries(db: Database, keyring: Keyring) {
  const all = prepare(() =>
    db
      .selectFrom('signing_keys')
      .select(['kid', 'role', 'state', 'x', 'certificate', 'created_at', 'retired_at'])
      .select(sql<number>`case when private_half is null then 0 else 1 end`.as('has_private_half'))
      .orderBy('created_at')
      .orderBy('kid'),
  );
  const half = prepare((p: { kid: string }) =>
    db.selectFrom('signing_keys').select('private_half').where('kid', '=', p.kid),
  );

  return (connection: Connection): Transaction['signingKeys'] => ({
    list: async () =>
      (await all(connection, {})).rows.map((row) => ({
        ...camelCased(row),
        hasPrivateHalf: row.has_private_half === 1,
      })),
    async privateHalf(kid) {
      const sealed = (await half(connection, { kid })).rows[0]?.private_half ?? null;
      try {
        return sealed && keyring.openSecret(sealed, privateHalfContext(kid));
      } catch (cause) {
        if (cause instanceof UnknownSealingKey) throw cause;
        const message = `the private half of the key ${kid} in signing_keys was changed, or moved from another row`;
        throw new StoreDamaged(message, { cause });
      }
    },
    async insert(key, privateHalf) {
      const sealed = { privateHalf: keyring.sealSecret(privateHalf, privateHalfContext(key.kid)) };
      const values = columnsOf({ ...key, ...sealed }) as never;
      await execute(connection, db.insertInto('signing_keys').values(values));
    },
    async activate(kid) {
      await execute(
        connection,
        db.updateTable('signing_keys').set({ state: 'active' }).where('kid', '=', kid),
      );
    },
    async end(kid, state, now) {
      const query = db.updateTable('signing_keys').set({ state, retired_at: now, private_half: null });
      await execute(connection, query.where('kid', '=', kid), { secret: true });
    },
    async deletePrivateHalf(kid) {
      const query = db.updateTable('signing_keys').set({ private_half: null }).where('kid', '=', kid);
      const there = query.where('private_half', 'is not', null);
      return (await execute(connection, there, { secret: true })).affected === 1;
    },
  });
}
