import type { Migration } from './migration.ts';

export const users: Migration = {
  name: '0007-users',
  note: 'Creates the tables of console sessions, recovery codes and invitations, and gives users a password and a role.',
  up: ({ schema, types, table }) => [
    schema.alterTable('users').addColumn('email', 'text'),
    // The address normalised and in lower case, for comparison.
    schema.alterTable('users').addColumn('email_key', 'text'),
    schema.alterTable('users').addColumn('password_hash', 'text'),
    // Null for users who cannot sign in.
    schema.alterTable('users').addColumn('role', 'text'),
    // Encrypted. `totp_pending` is not yet confirmed by a code.
    schema.alterTable('users').addColumn('totp_secret', types.bytes),
    schema.alterTable('users').addColumn('totp_pending', types.bytes),
    // The time step of the last accepted code: no code is accepted twice.
    schema.alterTable('users').addColumn('totp_last_step', types.bigint),
    schema.alterTable('users').addColumn('disabled_at', types.datetime),
    schema.createIndex('users_by_email_key').unique().on('users').column('email_key'),

    schema
      .createTable('sessions')
      .addColumn('id', types.id, types.identity)
      // SHA-256 of the token in the browser's cookie.
      .addColumn('token_hash', types.bytes, (c) => c.notNull())
      .addColumn('user_id', types.bigint, (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('last_seen_at', types.datetime, (c) => c.notNull())
      .addColumn('expires_at', types.datetime, (c) => c.notNull())
      .addColumn('ip_address', 'text')
      .addColumn('user_agent', 'text')
      // 1 after a second factor was given.
      .addColumn('second_factor', 'integer', (c) => c.notNull())
      // 1 after the password, until the second factor is given.
      .addColumn('pending', 'integer', (c) => c.notNull())
      // Wrong codes so far.
      .addColumn('failures', 'integer', (c) => c.notNull())
      .$call(table),
    schema.createIndex('sessions_by_token_hash').unique().on('sessions').column('token_hash'),
    schema.createIndex('sessions_by_user').on('sessions').columns(['user_id', 'id']),
    schema.createIndex('sessions_by_expiry').on('sessions').column('expires_at'),

    schema
      .createTable('recovery_codes')
      .addColumn('user_id', types.bigint, (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('code_hash', types.bytes, (c) => c.notNull())
      .addColumn('used_at', types.datetime)
      .addPrimaryKeyConstraint('recovery_codes_key', ['user_id', 'code_hash'])
      .$call(table),

    // Links for setting a password.
    schema
      .createTable('invitations')
      .addColumn('token_hash', types.bytes, (c) => c.primaryKey().notNull())
      .addColumn('user_id', types.bigint, (c) => c.notNull().references('users.id').onDelete('cascade'))
      .addColumn('purpose', 'text', (c) => c.notNull())
      .addColumn('created_at', types.datetime, (c) => c.notNull())
      .addColumn('expires_at', types.datetime, (c) => c.notNull())
      .addColumn('used_at', types.datetime)
      .$call(table),
    schema.createIndex('invitations_by_user').on('invitations').column('user_id'),
  ],
};
