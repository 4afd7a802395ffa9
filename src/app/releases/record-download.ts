import type { DownloadRecord } from '../../domain/download.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

/** Records a download that is about to begin. Its release may have been withdrawn since the download was allowed. */
export const recordDownload = defineCommand({
  name: 'record-download',
  guarded: true,
  audit: { never: 'recorded by itself, and counted by day' },
  run: async ({ downloads, releases }, download: DownloadRecord, { now }): Promise<Outcome<null>> => {
    const release = await releases.find(download.releaseId);
    if (release?.status !== 'published') return refused('download_denied', { why: 'release_not_available' });
    await downloads.insert({ ...download, createdAt: now });
    return done(null);
  },
});
