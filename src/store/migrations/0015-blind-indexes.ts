import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * From this version on, `licenses.key_hash` and `activations.token` hold blind indexes. The two partial indexes find rows of
 * earlier versions, which housekeeping converts (docs/decisions/0018-blind-indexes.md).
 */
export const blindIndexes: Migration = {
  name: '0015-blind-indexes',
  note: 'Stores license keys and activation tokens so that a copy of the database does not reveal them. Afterwards the server converts existing rows, beside traffic.',
  rewrites: ['licenses', 'activations'],
  isBreaking: true,
  up: ({ schema, types, statement }) => [
    // The encrypted token; null where `token` still holds the token itself.
    schema.alterTable('activations').addColumn('sealed_token', types.bytes),
    schema
      .createIndex('activations_with_clear_token')
      .on('activations')
      .column('id')
      .where(sql`sealed_token`, 'is', null),
    schema
      .createIndex('licenses_with_hash')
      .on('licenses')
      .column('id')
      .where(sql`length(key_hash)`, '=', sql`32`),
    // API keys that were limited to endpoints keep what they could do, except those with the rights of the client preset.
    statement(`
      update api_keys set endpoints = replace(endpoints, ']', ',"licenses.inspect"]')
      where ${CLIENT_ENDPOINTS.reduce((rest, name) => `replace(${rest}, '"${name}"', '')`, 'endpoints')} like '%"%'`),
  ],
};

const CLIENT_ENDPOINTS = [
  ...['licenses.activate', 'licenses.deactivate', 'licenses.validate'],
  ...['software.read', 'software.download'],
];
