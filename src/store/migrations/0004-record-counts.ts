import type { Migration } from './migration.ts';

export const recordCounts: Migration = {
  name: '0004-record-counts',
  note: 'Counts licenses, generators and software once, and keeps their totals from then on.',
  up: ({ schema, types, table, counting }) => [
    // The number of rows of a table is the sum over its shards. Shards avoid waiting between writers.
    schema
      .createTable('record_counts')
      .addColumn('counted', 'text', (c) => c.notNull())
      .addColumn('shard', 'integer', (c) => c.notNull())
      // Negative in a shard that has counted more deletes than inserts.
      .addColumn('records', types.bigint, (c) => c.notNull())
      .addPrimaryKeyConstraint('record_counts_key', ['counted', 'shard'])
      .$call(table),
    ...counting(['licenses', 'generators', 'software']),
  ],
};
