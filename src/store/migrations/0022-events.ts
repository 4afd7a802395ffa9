import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Events and the endpoints that receive them (docs/decisions/0032-events.md). */
export const events: Migration = {
  name: '0022-events',
  note: 'Creates the tables of events, of the endpoints that receive them, and of their deliveries.',
  up: ({ schema, types, table }) => [
    schema
      .createTable('event_endpoints')
      .addColumn('id', types.id, types.identity)
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('description', 'text', (c) => c.notNull())
      .addColumn('url', 'text')
      // JSON; null for all.
      .addColumn('types', 'text')
      .addColumn('products', 'text')
      .addColumn('is_ordered', 'integer', (c) => c.notNull())
      .addColumn('format', 'integer', (c) => c.notNull())
      // JSON
      .addColumn('header_names', 'text', (c) => c.notNull())
      .addColumn('public_key', 'text')
      // Encrypted JSON of the secrets, the private key and the headers; null for an endpoint that is polled.
      .addColumn('secrets', types.bytes)
      .addColumn('old_secret_until', types.datetime)
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('disabled_as', 'text')
      .addColumn('last_seq', types.bigint, (c) => c.notNull())
      .addColumn('failures', 'integer', (c) => c.notNull())
      .addColumn('failing_since', types.datetime)
      .addColumn('paused_until', types.datetime)
      .addColumn('last_success_at', types.datetime)
      .addColumn('last_failure_at', types.datetime)
      .addColumn('last_error', 'text')
      // The process that sends to the endpoint now.
      .addColumn('leased_by', 'text')
      .addColumn('leased_until', types.datetime)
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('created_by', types.bigint, (c) => c.notNull())
      .addColumn('updated_at', types.datetime)
      .addColumn('updated_by', types.bigint)
      .$call(table),

    // No foreign keys: an event outlives its object, and rows of a deleted endpoint are deleted in small steps.
    schema
      .createTable('events')
      .addColumn('id', types.id, types.identity)
      // Null until the event has its places.
      .addColumn('uid', 'text')
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('at', types.datetime, (c) => c.notNull())
      .addColumn('object', 'text', (c) => c.notNull())
      .addColumn('object_id', types.bigint)
      // JSON; null where the object belongs to no product.
      .addColumn('product_ids', 'text')
      // JSON; null for an event that was made in bulk, until it has its places.
      .addColumn('data', 'text')
      .addColumn('previous', 'text')
      .addColumn('once', 'text')
      .addColumn('endpoint_id', types.bigint)
      // 0 until the event has its places.
      .addColumn('placed', 'integer', (c) => c.notNull())
      .$call(table),
    schema.createIndex('events_to_place').on('events').column('id').where(sql<boolean>`placed = 0`),
    schema
      .createIndex('events_once')
      .unique()
      .on('events')
      .column('once')
      .where(sql<boolean>`once is not null`),

    schema
      .createTable('event_deliveries')
      .addColumn('endpoint_id', types.bigint, (c) => c.notNull())
      .addColumn('seq', types.bigint, (c) => c.notNull())
      .addColumn('event_id', types.bigint, (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('due_at', types.datetime, (c) => c.notNull())
      .addColumn('attempts', 'integer', (c) => c.notNull())
      .addColumn('attempted_at', types.datetime)
      .addColumn('status', 'integer')
      .addColumn('error', 'text')
      .addColumn('answer', 'text')
      .addColumn('ms', 'integer')
      .addPrimaryKeyConstraint('event_deliveries_pkey', ['endpoint_id', 'seq'])
      .$call(table),
    schema
      .createIndex('event_deliveries_due')
      .on('event_deliveries')
      .columns(['endpoint_id', 'due_at', 'seq'])
      .where(sql<boolean>`state = 'pending'`),
    schema
      .createIndex('event_deliveries_failed')
      .on('event_deliveries')
      .columns(['endpoint_id', 'seq'])
      .where(sql<boolean>`state = 'failed'`),

    // Results of the delivery attempts of each day, for the chart.
    schema
      .createTable('event_delivery_counts')
      .addColumn('endpoint_id', types.bigint, (c) => c.notNull())
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('delivered', 'integer', (c) => c.notNull())
      .addColumn('failed', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('event_delivery_counts_pkey', ['endpoint_id', 'day'])
      .$call(table),
  ],
};
