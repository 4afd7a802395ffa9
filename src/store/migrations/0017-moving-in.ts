import type { Migration } from './migration.ts';

/** Tables and columns for a move from a WordPress plugin (docs/decisions/0019-moving-in.md). */
export const movingIn: Migration = {
  name: '0017-moving-in',
  note: 'Creates the tables for moving a WordPress shop in, and adds columns to API keys.',
  up: ({ schema, types, table, statement }) => [
    schema
      .alterTable('api_keys')
      .addColumn('compatibility', 'text', (c) => c.notNull().defaultTo('documented')),
    schema.alterTable('api_keys').addColumn('lmfwc_version', 'integer', (c) => c.notNull().defaultTo(3)),
    // How `key_hash` was computed from the consumer key.
    schema.alterTable('api_keys').addColumn('hashed_by', 'text', (c) => c.notNull().defaultTo('sha256')),
    // Shipped programs read the license whose key they have. Keys with the rights of the client preset keep having them.
    statement(`
      update api_keys set endpoints = replace(endpoints, '"licenses.activate"', '"licenses.get","licenses.activate"')
      where endpoints = '["licenses.activate","licenses.deactivate","licenses.validate","software.read","software.download"]'`),

    // Values that the plugin keeps with a license, as it stores them.
    schema
      .createTable('license_meta')
      .addColumn('id', types.id, types.identity)
      .addColumn('license_id', types.bigint, (c) => c.notNull().references('licenses.id').onDelete('cascade'))
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('value', 'text')
      .$call(table),
    schema.createIndex('license_meta_by_license').on('license_meta').columns(['license_id', 'id']),

    // The records of a shop that were moved in: which record each became, and a digest of its row in the shop.
    schema
      .createTable('moved_records')
      .addColumn('shop', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('source_id', types.bigint, (c) => c.notNull())
      .addColumn('record_id', types.bigint, (c) => c.notNull())
      // 1 if the record existed already, with the same license key, token or consumer key.
      .addColumn('merged', 'integer', (c) => c.notNull())
      .addColumn('digest', types.bytes, (c) => c.notNull())
      .addPrimaryKeyConstraint('moved_records_key', ['shop', 'kind', 'source_id'])
      .$call(table),
    // Records of a move that is not finished yet, ready to be inserted.
    schema
      .createTable('staged_records')
      .addColumn('shop', 'text', (c) => c.notNull())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('source_id', types.bigint, (c) => c.notNull())
      .addColumn('digest', types.bytes, (c) => c.notNull())
      // JSON
      .addColumn('record', 'text', (c) => c.notNull())
      .addColumn('staged_at', types.datetime, (c) => c.notNull())
      .addPrimaryKeyConstraint('staged_records_key', ['shop', 'kind', 'source_id'])
      .$call(table),
  ],
};
