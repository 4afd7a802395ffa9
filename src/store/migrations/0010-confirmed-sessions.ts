import type { Migration } from './migration.ts';

export const confirmedSessions: Migration = {
  name: '0010-confirmed-sessions',
  note: 'Adds columns to sessions and request counts.',
  up: ({ schema, types }) => [
    // When the password was last given in the session; null in a session that an earlier version began.
    schema.alterTable('sessions').addColumn('confirmed_at', types.datetime),
    // Duration of a count in milliseconds; null for a minute.
    schema.alterTable('request_counts').addColumn('lasts', types.bigint),
  ],
};
