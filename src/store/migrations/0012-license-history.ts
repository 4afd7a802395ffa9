import type { Migration } from './migration.ts';

export const licenseHistory: Migration = {
  name: '0012-license-history',
  note: 'Adds indexes for the history of a license.',
  up: ({ schema }) => [
    // For the history of a license: changes of its activations, and downloads.
    schema
      .createIndex('activations_by_change')
      .on('activations')
      .columns(['license_id', 'updated_at', 'id'])
      .where('updated_at', 'is not', null),
    schema
      .createIndex('downloads_by_license')
      .on('downloads')
      .columns(['license_id', 'id'])
      .where('license_id', 'is not', null),
  ],
};
