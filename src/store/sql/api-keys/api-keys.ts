import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { ApiKey } from '../../../domain/api-key.ts';
import { camelCased } from '../../../domain/names.ts';
import type { Transaction } from '../../store.ts';
import { first, parseJson, type RowOf, recordQueries } from '../record.ts';
import { type Connection, type Database, execute, prepare } from '../statement.ts';

const toApiKey = ({ key_hash: _, endpoints, products, ...row }: RowOf<'api_keys'>): ApiKey => ({
  ...camelCased(row),
  endpoints: parseJson(endpoints),
  products: parseJson(products),
});

export function apiKeyQueries(db: Database) {
  const select = () => db.selectFrom('api_keys').selectAll();
  // Selects the next key if none has this hash: a wrong key then reads a row, too, and takes as long as a right one.
  const fromHash = prepare((p: { hash: Uint8Array }) =>
    select().where('key_hash', '>=', p.hash).orderBy('key_hash').limit(sql.lit(1)),
  );
  const byId = prepare((p: { id: number }) => select().where('id', '=', p.id));
  const touch = prepare((p: { id: number; at: string }) =>
    db
      .updateTable('api_keys')
      .set({ last_access_at: p.at })
      .where('id', '=', p.id)
      .where((eb) => eb.or([eb('last_access_at', 'is', null), eb('last_access_at', '<', p.at)])),
  );
  const replacePluginHash = prepare((p: { id: number; hash: Uint8Array }) =>
    db
      .updateTable('api_keys')
      .set({ key_hash: p.hash, hashed_by: 'sha256' })
      .where('id', '=', p.id)
      .where('hashed_by', '=', 'wc-api')
      .where((eb) =>
        eb.not(
          eb.exists(
            eb.selectFrom('api_keys as other').select('other.id').where('other.key_hash', '=', p.hash),
          ),
        ),
      ),
  );
  const apiKeys = recordQueries(db, 'api_keys');

  return (connection: Connection): Transaction['apiKeys'] => ({
    async findByHash(hash) {
      const row = (await fromHash(connection, { hash })).rows[0];
      if (!row) return null;
      const apiKey = toApiKey(row);
      return timingSafeEqual(row.key_hash, hash) ? apiKey : null;
    },
    find: async (id) => first((await byId(connection, { id })).rows, toApiKey),
    list: async () => (await execute(connection, select().orderBy('id', 'desc'))).rows.map(toApiKey),
    insert: (row) => apiKeys.insert(connection, row),
    update: (id, changes) => apiKeys.update(connection, id, changes),
    touch: async (id, at) => void (await touch(connection, { id, at })),
    replacePluginHash: async (id, hash) => void (await replacePluginHash(connection, { id, hash })),
  });
}
