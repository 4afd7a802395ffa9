import type { Datetime } from '../../domain/datetime.ts';
import type { DownloadRecord } from '../../domain/download.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand, type Executes } from '../command.ts';
import { DISCARDED_AT_ONCE, discardAll, FORGOTTEN_AT_ONCE, isTurnToForget } from '../discarding.ts';
import { SYSTEM } from '../people/set-up.ts';

interface RecordDownload extends DownloadRecord {
  /** The network of a client without an activation. */
  network?: string;
  /** Records of the license that are kept; 0, the default, keeps all. */
  keep?: number;
}

/**
 * Records a download that is about to begin. Its release may have been withdrawn since the download was allowed.
 * An activation, or a network without one, is recorded and counted once in an hour for each release: a client may ask for a
 * file in parts, or again and again.
 */
export const recordDownload = defineCommand({
  name: 'record-download',
  guarded: true,
  audit: { never: 'downloads have records of their own, and daily counts' },
  run: async (
    { downloads, releases },
    { network, keep = 0, ...download }: RecordDownload,
    context,
  ): Promise<Outcome<null>> => {
    const release = await releases.find(download.releaseId);
    if (release?.status !== 'published') return refused('download_denied', { why: 'release_not_available' });
    const { releaseId, licenseId, activationId } = download;
    const { now } = context;
    const caller = activationId ?? network;
    const once = caller === undefined ? null : `${releaseId}/${caller}/${now.slice(0, HOUR_DIGITS)}`;
    await downloads.insert({ ...download, createdAt: now, once });
    if (licenseId !== null && keep > 0 && isTurnToForget(context))
      await downloads.forget(licenseId, keep, FORGOTTEN_AT_ONCE);
    return done(null);
  },
});

/** Characters of a datetime up to its hour. */
const HOUR_DIGITS = '2026-01-01 00'.length;

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
