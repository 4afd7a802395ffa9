import type { Migration } from './migration.ts';

export const audit: Migration = {
  name: '0005-audit',
  note: 'Creates the tables of the audit trail and of usage counts.',
  up: ({ schema, types, table, appendOnly }) => [
    // Who changed what, when, from where.
    schema
      .createTable('audit_entries')
      .addColumn('id', types.id, types.identity)
      .addColumn('at', types.datetime, (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('user_id', types.bigint, (c) => c.notNull())
      .addColumn('via', 'text', (c) => c.notNull())
      .addColumn('api_key_id', types.bigint)
      .addColumn('origin', 'text')
      .addColumn('subject_type', 'text', (c) => c.notNull())
      .addColumn('subject_id', types.bigint)
      .addColumn('details', 'text', (c) => c.notNull())
      // A random nonce, then the HMAC of the nonce and all columns but the id.
      .addColumn('mac', types.bytes, (c) => c.notNull())
      .$call(table),
    schema
      .createIndex('audit_entries_by_subject')
      .on('audit_entries')
      .columns(['subject_type', 'subject_id', 'id']),

    // The order of the entries. No reference: a deleted entry must leave its place in the chain.
    schema
      .createTable('audit_chain')
      .addColumn('position', types.bigint, (c) => c.primaryKey().notNull())
      .addColumn('entry_id', types.bigint, (c) => c.notNull())
      .addColumn('hash', types.bytes, (c) => c.notNull())
      .$call(table),
    schema.createIndex('audit_chain_by_entry').unique().on('audit_chain').column('entry_id'),
    ...appendOnly(['audit_entries', 'audit_chain']),

    // Counts of actions that have no entries of their own, by UTC day.
    schema
      .createTable('usage_counts')
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('counted', 'text', (c) => c.notNull())
      .addColumn('count', types.bigint, (c) => c.notNull())
      .addPrimaryKeyConstraint('usage_counts_key', ['day', 'counted'])
      .$call(table),
  ],
};
