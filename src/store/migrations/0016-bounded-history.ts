import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const boundedHistory: Migration = {
  name: '0016-bounded-history',
  note: 'Adds indexes for licenses with very many activations, and a table that counts deleted activations.',
  up: ({ schema, types, table }) => [
    // A license may have very many deactivated activations: its valid ones, and the oldest deactivated ones, are found
    // without reading the others.
    schema
      .createIndex('activations_valid')
      .on('activations')
      .columns(['license_id', 'id'])
      .where(sql.ref('deactivated_at'), 'is', null),
    schema
      .createIndex('activations_deactivated')
      .on('activations')
      .columns(['license_id', 'deactivated_at', 'id'])
      .where('deactivated_at', 'is not', null),

    // Totals of the oldest deactivated activations of a license, which were deleted.
    schema
      .createTable('forgotten_activations')
      .addColumn('license_id', types.bigint, (c) =>
        c.primaryKey().notNull().references('licenses.id').onDelete('cascade'),
      )
      .addColumn('activations', types.bigint, (c) => c.notNull())
      // When the first of them was created, and the last was deactivated.
      .addColumn('first_at', types.datetime, (c) => c.notNull())
      .addColumn('last_at', types.datetime, (c) => c.notNull())
      .$call(table),

    // The release, the caller and the hour of a partial download, so that it is recorded once. Null for whole files.
    schema.alterTable('downloads').addColumn('once', 'text'),
    schema
      .createIndex('downloads_once')
      .unique()
      .on('downloads')
      .column('once')
      .where('once', 'is not', null),
    // The oldest downloads of public software.
    schema
      .createIndex('downloads_without_license')
      .on('downloads')
      .columns(['release_id', 'id'])
      .where(sql.ref('license_id'), 'is', null),
  ],
};
