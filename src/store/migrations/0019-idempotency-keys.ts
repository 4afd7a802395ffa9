import type { Migration } from './migration.ts';

/** Repeatable requests of the client API, with the activations that their answers were about. */
export const idempotencyKeys: Migration = {
  name: '0019-idempotency-keys',
  note: 'Creates the table for the Idempotency-Key of the client API.',
  up: ({ schema, types, table }) => [
    // No foreign keys: a row outlives its license or activation by a day at most.
    schema
      .createTable('idempotency_keys')
      .addColumn('license_id', types.bigint, (c) => c.notNull())
      // Keyed hashes of the key and of the request, like those of devices.
      .addColumn('key_hash', 'text', (c) => c.notNull())
      .addColumn('request_hash', 'text', (c) => c.notNull())
      // Null until the transaction of the request ends.
      .addColumn('activation_id', types.bigint)
      .addColumn('is_new', 'integer', (c) => c.notNull())
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addPrimaryKeyConstraint('idempotency_keys_key', ['license_id', 'key_hash'])
      .$call(table),
    schema.createIndex('idempotency_keys_by_age').on('idempotency_keys').column('created_at'),
  ],
};
