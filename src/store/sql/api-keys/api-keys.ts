import { timingSafeEqual } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { ApiKey } from '../../../domain/api-key.ts';
import { camelCased, snakeCased } from '../../../domain/names.ts';
import type { Transaction } from '../../store.ts';
import { first, type RowOf, recordQueries } from '../record.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

const parsed = (json: string | null) => (json === null ? null : JSON.parse(json));
const json = (list: readonly unknown[] | null | undefined) => list && JSON.stringify(list);

const toApiKey = ({ key_hash: _, endpoints, products, ...row }: RowOf<'api_keys'>): ApiKey => ({
  ...camelCased(row),
  endpoints: parsed(endpoints),
  products: parsed(products),
});

const withJson = <Row extends Partial<Pick<ApiKey, 'endpoints' | 'products'>>>(row: Row) => ({
  ...row,
  endpoints: json(row.endpoints),
  products: json(row.products),
});

export function apiKeyQueries(db: Kysely<Schema>) {
  // The next one where there is none of this hash: a wrong key costs a row, too, and takes as long as a right one.
  const fromHash = prepare((p: { hash: Uint8Array }) =>
    db
      .selectFrom('api_keys')
      .selectAll()
      .where('key_hash', '>=', p.hash)
      .orderBy('key_hash')
      .limit(sql.lit(1)),
  );
  const byId = prepare((p: { id: number }) => db.selectFrom('api_keys').selectAll().where('id', '=', p.id));
  const all = prepare(() => db.selectFrom('api_keys').selectAll().orderBy('id', 'desc'));
  const replaceSecret = prepare((p: { id: number; secretHash: Uint8Array }) =>
    db.updateTable('api_keys').set({ secret_hash: p.secretHash }).where('id', '=', p.id),
  );
  const revoke = prepare((p: { id: number; now: string }) =>
    db
      .updateTable('api_keys')
      .set({ revoked_at: p.now })
      .where('id', '=', p.id)
      .where('revoked_at', 'is', null),
  );
  const replace = prepare((p: { id: number; by: number; at: string }) =>
    db.updateTable('api_keys').set({ replaced_by: p.by, expires_at: p.at }).where('id', '=', p.id),
  );
  const touch = prepare((p: { id: number; at: string }) =>
    db
      .updateTable('api_keys')
      .set({ last_access_at: p.at })
      .where('id', '=', p.id)
      .where((eb) => eb.or([eb('last_access_at', 'is', null), eb('last_access_at', '<', p.at)])),
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
    list: async () => (await all(connection, {})).rows.map(toApiKey),
    insert: (row) => apiKeys.insert(connection, withJson(row)),
    async update(id, changes) {
      const query = db
        .updateTable('api_keys')
        .set(snakeCased(withJson(changes)))
        .where('id', '=', id)
        .where('revoked_at', 'is', null);
      return (await execute(connection, query)).affected === 1;
    },
    async replaceSecret(id, secretHash) {
      await replaceSecret(connection, { id, secretHash });
    },
    revoke: async (id, now) => (await revoke(connection, { id, now })).affected === 1,
    async replace(id, by, at) {
      await replace(connection, { id, by, at });
    },
    async touch(id, at) {
      await touch(connection, { id, at });
    },
  });
}
