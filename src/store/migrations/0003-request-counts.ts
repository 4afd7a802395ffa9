import type { Migration } from './migration.ts';

export const requestCounts: Migration = {
  name: '0003-request-counts',
  note: 'Creates the table in which nodes count requests.',
  up: ({ schema, types, scratch }) => [
    // Requests of an address in the current minute, counted by nodes that share a limit.
    schema
      .createTable('request_counts')
      .addColumn('address', 'text', (c) => c.primaryKey())
      // Milliseconds since the epoch.
      .addColumn('started', types.bigint, (c) => c.notNull())
      .addColumn('taken', 'integer', (c) => c.notNull())
      // Number of requests that the last node was given.
      .addColumn('lease', 'integer', (c) => c.notNull())
      .$call(scratch),
  ],
};
