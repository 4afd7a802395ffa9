import type { Migration } from './migration.ts';

/** Counts of the versions that programs run. */
export const versionChecks: Migration = {
  name: '0028-version-checks',
  note: 'Creates the table that counts update checks by the version that asks.',
  up: ({ schema, types, table }) => [
    schema
      .createTable('version_checks')
      .addColumn('release_id', types.bigint, (c) => c.notNull().references('releases.id').onDelete('cascade'))
      .addColumn('day', 'text', (c) => c.notNull())
      .addColumn('checks', types.bigint, (c) => c.notNull())
      .addPrimaryKeyConstraint('version_checks_key', ['release_id', 'day'])
      .$call(table),
    schema.createIndex('version_checks_by_day').on('version_checks').column('day'),
  ],
};
