import type { Migration } from './migration.ts';

export const licenseSearch: Migration = {
  name: '0008-license-search',
  note: 'Adds indexes for the license search. Afterwards the server computes the key suffix of each license, beside traffic.',
  rewrites: ['licenses'],
  up: ({ schema, types, lowered }) => [
    // The shortened keyed hash of the last characters of a key; no bytes where the key is too short. Null until computed,
    // as in rows that earlier versions insert.
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
    // With the license id, to find the licenses of many activations in the index alone.
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
