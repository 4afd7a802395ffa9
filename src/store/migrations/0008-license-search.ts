import type { Migration } from './migration.ts';

export const licenseSearch: Migration = {
  name: '0008-license-search',
  up: ({ schema, types, lowered }) => [
    // The keyed hash of the last characters of a key, cut; no bytes where the key has too few. Null where it has not
    // been reckoned yet, as in rows of before and of earlier versions.
    schema.alterTable('licenses').addColumn('ending_hash', types.bytes),
    schema.alterTable('staged_licenses').addColumn('ending_hash', types.bytes),
    schema
      .createIndex('licenses_by_ending')
      .on('licenses')
      .columns(['ending_hash', 'id'])
      .where('ending_hash', 'is not', null),
    schema
      .createIndex('licenses_without_ending')
      .on('licenses')
      .columns(['id', 'ending_hash'])
      .where('ending_hash', 'is', null),
    schema.createIndex('licenses_by_expiry').on('licenses').columns(['expires_at', 'id']),
    // With the license, so that those of many activations are found without reading these.
    schema
      .createIndex('activations_by_label')
      .on('activations')
      .expression(lowered('label'))
      .columns(['id', 'license_id']),
    schema
      .createIndex('activations_by_address')
      .on('activations')
      .columns(['ip_address', 'id', 'license_id']),
  ],
};
