import type { Datetime } from '../../domain/datetime.ts';
import type { DownloadRecord } from '../../domain/download.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand, type Executes } from '../command.ts';
import { DISCARDED_AT_ONCE, discardAll } from '../discarding.ts';
import { SYSTEM } from '../people/set-up.ts';

/** Records a download that is about to begin. Its release may have been withdrawn since the download was allowed. */
export const recordDownload = defineCommand({
  name: 'record-download',
  guarded: true,
  audit: { never: 'downloads have records of their own, and daily counts' },
  run: async ({ downloads, releases }, download: DownloadRecord, { now }): Promise<Outcome<null>> => {
    const release = await releases.find(download.releaseId);
    if (release?.status !== 'published') return refused('download_denied', { why: 'release_not_available' });
    await downloads.insert({ ...download, createdAt: now });
    return done(null);
  },
});

/** Deletes some records of downloads before an instant, oldest first. Returns how many. */
export const discardDownloads = defineCommand({
  name: 'discard-downloads',
  guarded: true,
  audit: { never: 'records older than a setting allows' },
  run: ({ downloads }, { before }: { before: Datetime }): Promise<number> =>
    downloads.discard(before, DISCARDED_AT_ONCE),
});

/** Deletes all of them. The daily counts stay. */
export const discardOldDownloads = (
  execute: Executes<typeof discardDownloads>,
  before: Datetime,
): Promise<void> => discardAll(() => execute('discard-downloads', { before }, SYSTEM));
