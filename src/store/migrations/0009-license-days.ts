import type { Migration } from './migration.ts';

export const licenseDays: Migration = {
  name: '0009-license-days',
  note: 'Adds indexes for the charts of the dashboard.',
  up: ({ schema }) => [
    // For licenses and downloads by day.
    schema.createIndex('licenses_by_created_at').on('licenses').columns(['created_at', 'id']),
    schema.createIndex('download_counts_by_day').on('download_counts').columns(['day']),
  ],
};
