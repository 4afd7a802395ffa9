import type { Migration } from './migration.ts';

export const pendingTotp: Migration = {
  name: '0014-pending-totp',
  note: 'Adds columns for a second factor that is being set up.',
  up: ({ schema, types }) => [
    // When `totp_pending` was made; null if an earlier version made it.
    schema.alterTable('users').addColumn('totp_pending_at', types.datetime),
    // Number of codes that were tried with `totp_pending`.
    schema.alterTable('users').addColumn('totp_tries', types.bigint, (c) => c.notNull().defaultTo(0)),
  ],
};
