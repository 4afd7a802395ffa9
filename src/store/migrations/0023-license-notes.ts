import type { Migration } from './migration.ts';

/** Notes about licenses, in tables of their own: programs that activate never read them. */
export const licenseNotes: Migration = {
  name: '0023-license-notes',
  note: 'Creates the tables for notes and tags of licenses, and adds a column to staged licenses.',
  up: ({ schema, types, table }) => [
    schema
      .createTable('license_notes')
      .addColumn('license_id', types.bigint, (c) =>
        c.primaryKey().notNull().references('licenses.id').onDelete('cascade'),
      )
      .addColumn('note', 'text')
      // A JSON list.
      .addColumn('tags', 'text', (c) => c.notNull())
      .$call(table),
    // The words by which notes are found, and each tag after a `#`. As bytes, which sort the same on every engine.
    schema
      .createTable('license_words')
      .addColumn('word', types.bytes, (c) => c.notNull())
      .addColumn('license_id', types.bigint, (c) => c.notNull().references('licenses.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('license_words_key', ['word', 'license_id'])
      .$call(table),
    schema.createIndex('license_words_by_license').on('license_words').column('license_id'),
    // JSON: what an import notes about the license.
    schema.alterTable('staged_licenses').addColumn('notes', 'text'),
  ],
};
