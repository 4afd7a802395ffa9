import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Leases and their revocation (docs/decisions/0029-leases.md). */
export const leases: Migration = {
  name: '0021-leases',
  note: 'Adds columns for leases to licenses and activations, an index to activations, and the table of revocations.',
  up: ({ schema, types, table }) => [
    // What leases are bound to, as sealed JSON.
    schema.alterTable('activations').addColumn('binding', types.bytes),
    schema.alterTable('activations').addColumn('leased_until', types.datetime),
    // For license files, which belong to no activation.
    schema.alterTable('licenses').addColumn('leased_until', types.datetime),
    schema
      .createIndex('activations_leased')
      .on('activations')
      .columns(['license_id', 'leased_until'])
      .where(sql<boolean>`deactivated_at is null and leased_until is not null`),

    // No foreign keys: a row outlives its license or activation.
    schema
      .createTable('revocations')
      .addColumn('id', types.id, types.identity)
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('object_id', types.bigint, (c) => c.notNull())
      .addColumn('revoked_at', types.datetime, (c) => c.notNull())
      // When the last of the revoked leases would end by itself.
      .addColumn('until', types.datetime, (c) => c.notNull())
      .$call(table),
    schema
      .createIndex('revocations_by_object')
      .unique()
      .on('revocations')
      .columns(['kind', 'object_id', 'revoked_at']),
    schema.createIndex('revocations_by_end').on('revocations').column('until'),
  ],
};
