import type { Migration } from './migration.ts';

export const licenseHistory: Migration = {
  name: '0012-license-history',
  up: ({ schema }) => [
    // What has happened to the activations of a license since they were made, and what was downloaded with it, in order.
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
