import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The email address of the customer of a license. */
export const customerEmails: Migration = {
  name: '0029-customer-emails',
  note: 'Adds a column for the email address of the customer to licenses, and an index of those that have one.',
  up: ({ schema, lowered }) => [
    ...['licenses', 'staged_licenses', 'trashed_licenses'].map((table) =>
      schema.alterTable(table).addColumn('customer_email', 'text'),
    ),
    schema
      .createIndex('licenses_by_email')
      .on('licenses')
      .expression(lowered('customer_email'))
      .column('id')
      // The indexed expression, not the column: so SQLite need not read the row of a license.
      .where(sql<boolean>`${lowered('customer_email')} is not null`),
  ],
};
