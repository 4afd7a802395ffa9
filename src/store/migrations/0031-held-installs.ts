import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Counts the active installs of software without lapsed seats, in the index alone. */
export const heldInstalls: Migration = {
  name: '0031-held-installs',
  note: 'Builds an index that counts the active installs of software without lapsed seats.',
  up: ({ schema }) => [
    schema
      .createIndex('activations_installed')
      .on('activations')
      .columns(['software_id', 'seat_expires_at'])
      .where(sql<boolean>`software_id is not null and deactivated_at is null`),
  ],
};
