import type { Migration } from './migration.ts';

export const recordCounts: Migration = {
  name: '0004-record-counts',
  up: ({ schema, types, table, counting }) => [
    // How many records a table has: the sum over its shards, of which each is written by few at a time.
    schema
      .createTable('record_counts')
      .addColumn('counted', 'text', (c) => c.notNull())
      .addColumn('shard', 'integer', (c) => c.notNull())
      // Below zero in a shard that has seen more records go than come.
      .addColumn('records', types.bigint, (c) => c.notNull())
      .addPrimaryKeyConstraint('record_counts_key', ['counted', 'shard'])
      .$call(table),
    ...counting(['licenses', 'generators', 'software']),
  ],
};
