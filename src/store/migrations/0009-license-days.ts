import type { Migration } from './migration.ts';

export const licenseDays: Migration = {
  name: '0009-license-days',
  up: ({ schema }) => [
    // How many were made on a day, and what was downloaded on it, without looking at all there ever was.
    schema.createIndex('licenses_by_created_at').on('licenses').columns(['created_at', 'id']),
    schema.createIndex('download_counts_by_day').on('download_counts').columns(['day']),
  ],
};
