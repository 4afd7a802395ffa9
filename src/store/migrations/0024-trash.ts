import type { Migration } from './migration.ts';

/**
 * Deleted licenses and their activations, until housekeeping removes them (docs/decisions/0033-trash.md). They have
 * tables of their own, so that queries on licenses need not exclude deleted ones. The tables have the columns of
 * licenses and activations.
 */
export const trash: Migration = {
  name: '0024-trash',
  note: 'Creates the tables that keep deleted licenses and their activations for a time.',
  up: ({ schema, types, table }) => [
    schema
      .createTable('trashed_licenses')
      // Ids ascend in the order of deletions.
      .addColumn('id', types.id, types.identity)
      .addColumn('license_id', types.bigint, (c) => c.notNull())
      .addColumn('key_hash', types.bytes, (c) => c.notNull())
      .addColumn('sealed_key', types.bytes, (c) => c.notNull())
      .addColumn('ending_hash', types.bytes)
      .addColumn('order_id', types.bigint)
      .addColumn('product_id', types.bigint)
      .addColumn('user_id', types.bigint)
      .addColumn('expires_at', types.datetime)
      .addColumn('valid_for', 'integer', (c) => c.notNull())
      .addColumn('source', 'integer', (c) => c.notNull())
      .addColumn('status', 'integer', (c) => c.notNull())
      .addColumn('times_activated', 'integer', (c) => c.notNull())
      .addColumn('activations_limit', 'integer', (c) => c.notNull())
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('created_by', types.bigint, (c) => c.notNull())
      .addColumn('updated_at', types.datetime)
      .addColumn('updated_by', types.bigint)
      .addColumn('seat_policy', 'text')
      .addColumn('leased_until', types.datetime)
      .addColumn('deleted_at', types.datetime, (c) => c.notNull())
      .addColumn('deleted_by', types.bigint, (c) => c.notNull())
      // JSON: the rows of other tables that belonged to the license.
      .addColumn('belongings', 'text')
      .$call(table),
    schema.createIndex('trashed_licenses_by_license').unique().on('trashed_licenses').column('license_id'),
    schema.createIndex('trashed_licenses_by_key_hash').on('trashed_licenses').column('key_hash'),
    schema.createIndex('trashed_licenses_by_age').on('trashed_licenses').column('deleted_at'),
    schema
      .createTable('trashed_activations')
      .addColumn('id', types.bigint, (c) => c.primaryKey().notNull())
      .addColumn('license_id', types.bigint, (c) => c.notNull())
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('sealed_token', types.bytes)
      .addColumn('software_id', types.bigint)
      .addColumn('label', 'text')
      .addColumn('source', 'integer', (c) => c.notNull())
      .addColumn('ip_address', 'text')
      .addColumn('user_agent', 'text')
      .addColumn('meta', 'text')
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('updated_at', types.datetime)
      .addColumn('deactivated_at', types.datetime)
      .addColumn('ended_as', 'text')
      .addColumn('device', 'text')
      .addColumn('seat_expires_at', types.datetime)
      .addColumn('last_seen_at', types.datetime)
      .addColumn('binding', types.bytes)
      .addColumn('leased_until', types.datetime)
      .addColumn('deleted_at', types.datetime, (c) => c.notNull())
      .$call(table),
    schema
      .createIndex('trashed_activations_by_license')
      .on('trashed_activations')
      .columns(['license_id', 'id']),
    schema.createIndex('trashed_activations_by_age').on('trashed_activations').column('deleted_at'),
  ],
};
