import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** An index to count the valid activations of software. */
export const installs: Migration = {
  name: '0026-installs',
  note: 'Adds an index to count the active installs of software.',
  up: ({ schema }) => [
    schema
      .createIndex('activations_by_software')
      .on('activations')
      .column('software_id')
      .where(sql<boolean>`software_id is not null and deactivated_at is null`),
  ],
};
