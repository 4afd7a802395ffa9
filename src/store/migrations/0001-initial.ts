import type { Migration } from './migration.ts';

export const initial: Migration = {
  name: '0001-initial',
  note: 'Creates the tables of licenses, activations, generators, users and API keys.',
  up: ({ schema, types, table }) => [
    schema
      .createTable('meta')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('value', 'text', (c) => c.notNull())
      .$call(table),

    schema
      .createTable('users')
      .addColumn('id', types.id, types.identity)
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .$call(table),

    schema
      .createTable('licenses')
      .addColumn('id', types.id, types.identity)
      .addColumn('key_hash', types.bytes, (c) => c.notNull())
      .addColumn('sealed_key', types.bytes, (c) => c.notNull())
      .addColumn('order_id', types.bigint)
      .addColumn('product_id', types.bigint)
      .addColumn('user_id', types.bigint)
      .addColumn('expires_at', types.datetime)
      .addColumn('valid_for', 'integer', (c) => c.notNull())
      .addColumn('source', 'integer', (c) => c.notNull())
      .addColumn('status', 'integer', (c) => c.notNull())
      .addColumn('times_activated', 'integer', (c) => c.notNull().defaultTo(0))
      .addColumn('activations_limit', 'integer', (c) => c.notNull())
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('created_by', types.bigint, (c) => c.notNull())
      .addColumn('updated_at', types.datetime)
      .addColumn('updated_by', types.bigint)
      .$call(table),
    schema.createIndex('licenses_by_key_hash').unique().on('licenses').column('key_hash'),
    // Each index ends with the id: a list is filtered by the first column and ordered by the second, so no sort is
    // needed.
    schema.createIndex('licenses_by_order').on('licenses').columns(['order_id', 'id']),
    schema.createIndex('licenses_by_product').on('licenses').columns(['product_id', 'id']),
    schema.createIndex('licenses_by_user').on('licenses').columns(['user_id', 'id']),
    schema.createIndex('licenses_by_status').on('licenses').columns(['status', 'id']),
    schema.createIndex('licenses_by_source').on('licenses').columns(['source', 'id']),

    schema
      .createTable('activations')
      .addColumn('id', types.id, types.identity)
      .addColumn('license_id', types.bigint, (c) => c.notNull().references('licenses.id').onDelete('cascade'))
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('label', 'text')
      .addColumn('source', 'integer', (c) => c.notNull())
      .addColumn('ip_address', 'text')
      .addColumn('user_agent', 'text')
      .addColumn('meta', 'text')
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('updated_at', types.datetime)
      .addColumn('deactivated_at', types.datetime)
      .$call(table),
    schema.createIndex('activations_by_token').unique().on('activations').column('token'),
    schema.createIndex('activations_by_license').on('activations').columns(['license_id', 'id']),

    schema
      .createTable('generators')
      .addColumn('id', types.id, types.identity)
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('charset', 'text', (c) => c.notNull())
      .addColumn('chunks', 'integer', (c) => c.notNull())
      .addColumn('chunk_length', 'integer', (c) => c.notNull())
      .addColumn('activations_limit', 'integer', (c) => c.notNull())
      .addColumn('separator', 'text', (c) => c.notNull())
      .addColumn('prefix', 'text')
      .addColumn('suffix', 'text')
      .addColumn('expires_in', 'integer', (c) => c.notNull())
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('created_by', types.bigint, (c) => c.notNull())
      .addColumn('updated_at', types.datetime)
      .addColumn('updated_by', types.bigint)
      .$call(table),

    schema
      .createTable('api_keys')
      .addColumn('id', types.id, types.identity)
      .addColumn('user_id', types.bigint, (c) => c.notNull().references('users.id'))
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('key_hash', types.bytes, (c) => c.notNull())
      .addColumn('key_ending', 'text', (c) => c.notNull())
      .addColumn('secret_hash', types.bytes, (c) => c.notNull())
      .addColumn('permission', 'text', (c) => c.notNull())
      .addColumn('endpoints', 'text')
      .addColumn('products', 'text')
      .addColumn('expires_at', types.datetime)
      .addColumn('revoked_at', types.datetime)
      .addColumn('last_access_at', types.datetime)
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .$call(table),
    schema.createIndex('api_keys_by_key_hash').unique().on('api_keys').column('key_hash'),

    // Licenses of an import or a generation that has not been committed as a whole yet.
    schema
      .createTable('staged_licenses')
      .addColumn('batch', 'text', (c) => c.notNull())
      .addColumn('row', 'integer', (c) => c.notNull())
      .addColumn('key_hash', types.bytes, (c) => c.notNull())
      .addColumn('sealed_key', types.bytes, (c) => c.notNull())
      .addColumn('order_id', types.bigint)
      .addColumn('product_id', types.bigint)
      .addColumn('user_id', types.bigint)
      .addColumn('expires_at', types.datetime)
      .addColumn('valid_for', 'integer', (c) => c.notNull())
      .addColumn('status', 'integer', (c) => c.notNull())
      .addColumn('activations_limit', 'integer', (c) => c.notNull())
      .addColumn('staged_at', types.datetime, (c) => c.notNull())
      .addPrimaryKeyConstraint('staged_licenses_key', ['batch', 'row'])
      .$call(table),
  ],
};
