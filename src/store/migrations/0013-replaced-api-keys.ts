import type { Migration } from './migration.ts';

/**
 * The replaced key and the new one, from the entries that earlier versions left: `{"about":{"replaced_by":12,…}}`.
 * Compared as text, because an entry may have been made unreadable. While versions before this one still run, a rotation
 * by them leaves the column null: the key could be rotated again.
 */
const FILL = `
  update api_keys set replaced_by = (
    select max(newer.id) from api_keys as newer join audit_entries as entry
      on entry.details like '{"about":{"replaced_by":' || newer.id || ',%'
    where entry.action = 'api_key.rotate' and entry.subject_type = 'api_key' and entry.subject_id = api_keys.id
  )`;

export const replacedApiKeys: Migration = {
  name: '0013-replaced-api-keys',
  up: ({ schema, types, statement }) => [
    // The key that a rotation has put in the place of this one.
    schema.alterTable('api_keys').addColumn('replaced_by', types.bigint),
    statement(FILL),
  ],
};
