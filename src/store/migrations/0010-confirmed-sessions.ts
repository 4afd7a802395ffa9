import type { Migration } from './migration.ts';

export const confirmedSessions: Migration = {
  name: '0010-confirmed-sessions',
  up: ({ schema, types }) => [
    // When the password was last given in the session; null where an earlier version began it.
    schema.alterTable('sessions').addColumn('confirmed_at', types.datetime),
    // Milliseconds for which a count goes on; null for a minute.
    schema.alterTable('request_counts').addColumn('lasts', types.bigint),
  ],
};
