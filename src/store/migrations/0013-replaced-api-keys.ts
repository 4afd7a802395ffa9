import type { Migration } from './migration.ts';

/**
 * Reads replacements from audit entries of earlier versions: `{"about":{"replaced_by":12,…}}`. Compares text, because an
 * entry may be invalid JSON. While earlier versions still run, a rotation by them leaves the column null.
 */
const FILL = `
  update api_keys set replaced_by = (
    select max(newer.id) from api_keys as newer join audit_entries as entry
      on entry.details like '{"about":{"replaced_by":' || newer.id || ',%'
    where entry.action = 'api_key.rotate' and entry.subject_type = 'api_key' and entry.subject_id = api_keys.id
  )`;

export const replacedApiKeys: Migration = {
  name: '0013-replaced-api-keys',
  note: 'Adds a column that names the API key that replaced another one, and fills it from the audit trail.',
  up: ({ schema, types, statement }) => [
    // The key that replaced this one in a rotation.
    schema.alterTable('api_keys').addColumn('replaced_by', types.bigint),
    statement(FILL),
  ],
};
