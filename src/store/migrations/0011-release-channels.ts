import type { Migration } from './migration.ts';

export const releaseChannels: Migration = {
  name: '0011-release-channels',
  up: ({ schema }) => [
    // A page of one channel's releases by version, however many the others have.
    schema
      .createIndex('releases_by_channel')
      .on('releases')
      .columns(['software_id', 'channel', 'version_order']),
    schema.alterTable('releases').addColumn('yank_reason', 'text'),
  ],
};
