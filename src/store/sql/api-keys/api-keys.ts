import { timingSafeEqual } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import type { ApiKey, Permission } from '../../../domain/api-key.ts';
import type { Transaction } from '../../store.ts';
import type { Schema } from '../schema.ts';
import { type Connection, execute, prepare } from '../statement.ts';

function toApiKey(row: Selectable<Schema['api_keys']>): ApiKey {
  return {
    id: row.id,
    userId: row.user_id,
    description: row.description,
    keyEnding: row.key_ending,
    secretHash: row.secret_hash,
    permission: row.permission as Permission,
    endpoints: row.endpoints === null ? null : JSON.parse(row.endpoints),
    products: row.products === null ? null : JSON.parse(row.products),
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastAccessAt: row.last_access_at,
    createdAt: row.created_at,
  };
}

const json = (list: readonly unknown[] | null): string | null => list && JSON.stringify(list);

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
  const expire = prepare((p: { id: number; at: string }) =>
    db
      .updateTable('api_keys')
      .set({ expires_at: p.at })
      .where('id', '=', p.id)
      .where('revoked_at', 'is', null)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', p.at)])),
  );
  const touch = prepare((p: { id: number; at: string }) =>
    db
      .updateTable('api_keys')
      .set({ last_access_at: p.at })
      .where('id', '=', p.id)
      .where((eb) => eb.or([eb('last_access_at', 'is', null), eb('last_access_at', '<', p.at)])),
  );

  return (connection: Connection): Transaction['apiKeys'] => ({
    async findByHash(hash) {
      const row = (await fromHash(connection, { hash })).rows[0];
      if (!row) return null;
      const apiKey = toApiKey(row);
      return timingSafeEqual(row.key_hash, hash) ? apiKey : null;
    },
    async find(id) {
      const row = (await byId(connection, { id })).rows[0];
      return row ? toApiKey(row) : null;
    },
    list: async () => (await all(connection, {})).rows.map(toApiKey),
    async insert(row) {
      const query = db
        .insertInto('api_keys')
        .values({
          user_id: row.userId,
          description: row.description,
          key_hash: row.keyHash,
          key_ending: row.keyEnding,
          secret_hash: row.secretHash,
          permission: row.permission,
          endpoints: json(row.endpoints),
          products: json(row.products),
          expires_at: row.expiresAt,
          created_at: row.createdAt,
        })
        .returning('id');
      return (await execute(connection, query)).rows[0]?.id as number;
    },
    async update(id, changes) {
      const { description, permission, expiresAt } = changes;
      const query = db
        .updateTable('api_keys')
        // Kysely leaves out what is undefined.
        .set({
          ...{ description, permission, expires_at: expiresAt },
          endpoints: changes.endpoints && json(changes.endpoints),
          products: changes.products && json(changes.products),
        })
        .where('id', '=', id)
        .where('revoked_at', 'is', null);
      return (await execute(connection, query)).affected === 1;
    },
    async replaceSecret(id, secretHash) {
      await replaceSecret(connection, { id, secretHash });
    },
    revoke: async (id, now) => (await revoke(connection, { id, now })).affected === 1,
    expire: async (id, at) => {
      await expire(connection, { id, at });
    },
    async touch(id, at) {
      await touch(connection, { id, at });
    },
  });
}
