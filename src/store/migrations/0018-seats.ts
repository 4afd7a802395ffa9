import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Seats that know their device, lapse and are reclaimed (docs/decisions/0026-seats.md). */
export const seats: Migration = {
  name: '0018-seats',
  note: 'Adds columns for seats to licenses, generators and activations, two indexes to activations, and a table.',
  up: ({ schema, types, table }) => [
    // JSON; null for the defaults: most licenses have none.
    ...['licenses', 'generators', 'staged_licenses'].map((table) =>
      schema.alterTable(table).addColumn('seat_policy', 'text'),
    ),
    schema.alterTable('activations').addColumn('device', 'text'),
    schema.alterTable('activations').addColumn('seat_expires_at', types.datetime),
    schema.alterTable('activations').addColumn('last_seen_at', types.datetime),
    schema.alterTable('activations').addColumn('ended_as', 'text'),
    schema
      .createIndex('activations_by_device')
      .unique()
      .on('activations')
      .columns(['license_id', 'device'])
      .where(sql<boolean>`deactivated_at is null and device is not null`),
    // Seats that lapse and were not ended.
    schema
      .createIndex('activations_lapsing')
      .on('activations')
      .columns(['license_id', 'seat_expires_at'])
      .where(sql<boolean>`deactivated_at is null and seat_expires_at is not null`),

    // Blind indexes of the tokens that were valid when their license was deleted, so that their programs can be told.
    schema
      .createTable('deleted_activations')
      .addColumn('token', 'text', (c) => c.primaryKey())
      .addColumn('deleted_at', types.datetime, (c) => c.notNull())
      .$call(table),
  ],
};
