import type { Migration } from './migration.ts';

/** Repeatable changes of the console, with the values that their answers are made of. */
export const repeatedChanges: Migration = {
  name: '0025-repeated-changes',
  note: 'Creates the table for the Idempotency-Key of the console.',
  up: ({ schema, types, table }) => [
    // No foreign keys: a row outlives its user or records by a day at most.
    schema
      .createTable('repeated_changes')
      .addColumn('user_id', types.bigint, (c) => c.notNull())
      // Keyed hashes of the key and of the request.
      .addColumn('key_hash', 'text', (c) => c.notNull())
      .addColumn('request_hash', 'text', (c) => c.notNull())
      // The values that the answer is made of, as JSON: no keys or secrets. Null until the transaction of the change
      // ends.
      .addColumn('note', 'text')
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addPrimaryKeyConstraint('repeated_changes_key', ['user_id', 'key_hash'])
      .$call(table),
    schema.createIndex('repeated_changes_by_age').on('repeated_changes').column('created_at'),
  ],
};
