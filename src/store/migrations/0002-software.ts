import type { Migration } from './migration.ts';

export const software: Migration = {
  name: '0002-software',
  note: 'Creates the tables of software, releases and downloads.',
  up: ({ schema, types, table }) => [
    schema
      .createTable('software')
      .addColumn('id', types.id, types.identity)
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('slug', 'text', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('url', 'text')
      .addColumn('access', 'text', (c) => c.notNull())
      .addColumn('tested', 'text')
      .addColumn('requires', 'text')
      .addColumn('requires_php', 'text')
      .addColumn('icons', 'text')
      .addColumn('banners', 'text')
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('created_by', types.bigint, (c) => c.notNull())
      .addColumn('updated_at', types.datetime)
      .addColumn('updated_by', types.bigint)
      .$call(table),
    schema.createIndex('software_by_slug').unique().on('software').column('slug'),

    // Software without a row here is covered by every license.
    schema
      .createTable('software_products')
      .addColumn('software_id', types.bigint, (c) =>
        c.notNull().references('software.id').onDelete('cascade'),
      )
      .addColumn('product_id', types.bigint, (c) => c.notNull())
      .addColumn('position', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('software_products_key', ['software_id', 'product_id'])
      .$call(table),
    schema
      .createIndex('software_products_by_product')
      .on('software_products')
      .columns(['product_id', 'software_id']),

    // Files in the storage. Several releases may have the same file.
    schema
      .createTable('artifacts')
      .addColumn('id', types.id, types.identity)
      .addColumn('sha256', 'text', (c) => c.notNull())
      .addColumn('sha512', 'text', (c) => c.notNull())
      .addColumn('size', types.bigint, (c) => c.notNull())
      .addColumn('storage_key', 'text', (c) => c.notNull())
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .$call(table),
    schema.createIndex('artifacts_by_sha256').unique().on('artifacts').column('sha256'),
    schema.createIndex('artifacts_by_storage_key').unique().on('artifacts').column('storage_key'),

    schema
      .createTable('releases')
      .addColumn('id', types.id, types.identity)
      .addColumn('software_id', types.bigint, (c) =>
        c.notNull().references('software.id').onDelete('cascade'),
      )
      .addColumn('version', 'text', (c) => c.notNull())
      // Bytes sort the same on every engine.
      .addColumn('version_order', types.bytes, (c) => c.notNull())
      .addColumn('channel', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('changelog', 'text')
      .addColumn('upgrade_notice', 'text')
      .addColumn('rollout', 'integer', (c) => c.notNull())
      .addColumn('artifact_id', types.bigint, (c) => c.references('artifacts.id'))
      .addColumn('file_name', 'text')
      .addColumn('file_type', 'text')
      .addColumn('published_at', types.datetime)
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('created_by', types.bigint, (c) => c.notNull())
      .addColumn('updated_at', types.datetime)
      .addColumn('updated_by', types.bigint)
      .$call(table),
    schema
      .createIndex('releases_by_version')
      .unique()
      .on('releases')
      .columns(['software_id', 'version_order']),
    schema.createIndex('releases_by_artifact').on('releases').column('artifact_id'),

    // No reference: an activation outlives its software.
    schema.alterTable('activations').addColumn('software_id', types.bigint),

    // Downloads, kept for a time that the settings say. No references: deleting a release or a license must not search
    // or delete millions of rows in the transaction that other writers wait for.
    schema
      .createTable('downloads')
      .addColumn('id', types.id, types.identity)
      .addColumn('release_id', types.bigint, (c) => c.notNull())
      .addColumn('license_id', types.bigint)
      .addColumn('activation_id', types.bigint)
      .addColumn('ip_address', 'text')
      .addColumn('user_agent', 'text')
      .addColumn('meta', 'text')
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .$call(table),

    // Downloads of each release and day.
    schema
      .createTable('download_counts')
      .addColumn('release_id', types.bigint, (c) => c.notNull().references('releases.id').onDelete('cascade'))
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('downloads', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('download_counts_key', ['release_id', 'day'])
      .$call(table),
  ],
};
