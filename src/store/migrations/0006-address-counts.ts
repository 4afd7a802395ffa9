import type { Migration } from './migration.ts';

export const addressCounts: Migration = {
  name: '0006-address-counts',
  up: ({ schema, types, table }) => [
    // From how many addresses an API key was used in an hour, for some days.
    schema
      .createTable('address_counts')
      .addColumn('api_key_id', types.bigint, (c) => c.notNull().references('api_keys.id').onDelete('cascade'))
      .addColumn('hour', types.datetime, (c) => c.notNull())
      // HyperLogLog of the addresses; they themselves are not kept.
      .addColumn('registers', types.bytes, (c) => c.notNull())
      .addColumn('addresses', 'integer', (c) => c.notNull())
      // 1 where it was warned of in this hour.
      .addColumn('warned', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('address_counts_key', ['api_key_id', 'hour'])
      .$call(table),
  ],
};
