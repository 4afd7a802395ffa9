import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The keys that certify and sign leases (docs/decisions/0028-signing-keys.md). */
export const signingKeys: Migration = {
  name: '0020-signing-keys',
  note: 'Creates the table of the keys that sign leases. The start makes two root keys and a signing key.',
  up: ({ schema, types, table }) => [
    schema
      .createTable('signing_keys')
      .addColumn('kid', 'text', (c) => c.primaryKey().notNull())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('x', 'text', (c) => c.notNull())
      // Encrypted; null after an export, and for keys that are no longer used.
      .addColumn('private_half', types.bytes)
      // Null for root keys.
      .addColumn('certificate', 'text')
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('retired_at', types.datetime)
      .$call(table),
    // Unique, so that nodes that start or rotate at the same time make one set of keys.
    schema
      .createIndex('signing_keys_in_use')
      .unique()
      .on('signing_keys')
      .columns(['role', 'state'])
      .where(sql<boolean>`state in ('active', 'spare')`),
  ],
};
