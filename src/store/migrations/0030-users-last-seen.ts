import type { Migration } from './migration.ts';

/** While earlier versions still run, requests to them leave the column as it is. */
const FILL = `
  update users set last_seen_at = (
    select max(sessions.last_seen_at) from sessions where sessions.user_id = users.id and sessions.pending = 0
  )`;

/** When each user was last active, even after their sessions have ended. */
export const usersLastSeen: Migration = {
  name: '0030-users-last-seen',
  note: 'Adds a column for the time of the last request to users, and fills it from their sessions.',
  up: ({ schema, types, statement }) => [
    schema.alterTable('users').addColumn('last_seen_at', types.datetime),
    statement(FILL),
  ],
};
