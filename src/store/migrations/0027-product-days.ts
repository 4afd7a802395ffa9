import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Indexes and tables for the dashboard's counts of one product, and of renewals. */
export const productDays: Migration = {
  name: '0027-product-days',
  note: 'Adds two indexes to licenses for the dashboard of one product, and creates the table that counts renewals.',
  up: ({ schema, types, table }) => [
    schema
      .createIndex('licenses_by_product_and_creation')
      .on('licenses')
      .columns(['product_id', 'created_at', 'id'])
      .where(sql<boolean>`product_id is not null`),
    schema
      .createIndex('licenses_by_product_and_expiry')
      .on('licenses')
      .columns(['product_id', 'expires_at', 'id'])
      .where(sql<boolean>`product_id is not null and expires_at is not null`),
    schema
      .createTable('renewal_counts')
      .addColumn('day', 'text', (c) => c.notNull())
      // 0 for licenses without a product.
      .addColumn('product_id', types.bigint, (c) => c.notNull())
      .addColumn('renewals', types.bigint, (c) => c.notNull())
      .addPrimaryKeyConstraint('renewal_counts_key', ['day', 'product_id'])
      .$call(table),
  ],
};
