import type { Migration } from './migration.ts';

export const releaseChannels: Migration = {
  name: '0011-release-channels',
  note: 'Adds an index for release channels, and a column for the reason of a yank.',
  up: ({ schema }) => [
    // For a page of the releases of one channel, by version.
    schema
      .createIndex('releases_by_channel')
      .on('releases')
      .columns(['software_id', 'channel', 'version_order']),
    schema.alterTable('releases').addColumn('yank_reason', 'text'),
  ],
};
