import type { Migration } from './migration.ts';

export const addressCounts: Migration = {
  name: '0006-address-counts',
  note: 'Creates the table that counts the addresses of each API key.',
  up: ({ schema, types, table }) => [
    // The number of addresses that an API key was used from in an hour.
    schema
      .createTable('address_counts')
      .addColumn('api_key_id', types.bigint, (c) => c.notNull().references('api_keys.id').onDelete('cascade'))
      .addColumn('hour', types.datetime, (c) => c.notNull())
      // HyperLogLog of the addresses.
      .addColumn('registers', types.bytes, (c) => c.notNull())
      .addColumn('addresses', 'integer', (c) => c.notNull())
      // 1 after a warning in this hour.
      .addColumn('warned', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('address_counts_key', ['api_key_id', 'hour'])
      .$call(table),
  ],
};
