import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { DownloadRecord } from '../../domain/releases/download.ts';
import { defineCommand } from '../command.ts';
import { FORGOTTEN_AT_ONCE, isTurnToForget } from '../discarding.ts';

interface RecordDownload extends DownloadRecord {
  /** Network of the client's address. It stands for the client in a download without an activation. */
  network?: string;
  /** Whether the client requested only a part of the file. */
  isPart?: boolean;
  /** Number of records to keep of the license, or, without a license, of the release; 0, the default, keeps all. */
  keep?: number;
}

/**
 * Records a download that is about to begin. Refuses a release that was withdrawn since the download was allowed. Parts of a
 * release that the same activation (without one, the same network) downloads within an hour are recorded and counted once.
 */
export const recordDownload = defineCommand({
  name: 'record-download',
  guarded: true,
  audit: { never: 'downloads have records of their own, and daily counts' },
  run: async (
    { downloads, releases },
    { network, isPart = false, keep = 0, ...download }: RecordDownload,
    { now },
  ): Promise<Outcome<null>> => {
    const release = await releases.find(download.releaseId);
    if (release?.status !== 'published') return refused('download_denied', { why: 'release_not_available' });
    const { releaseId, licenseId, activationId } = download;
    const once = isPart ? `${releaseId}/${activationId ?? network}/${now.slice(0, HOUR_DIGITS)}` : null;
    await downloads.insert({ ...download, createdAt: now, once });
    if (keep > 0 && isTurnToForget())
      await downloads.forget(licenseId === null ? { releaseId } : { licenseId }, keep, FORGOTTEN_AT_ONCE);
    return done(null);
  },
});

/** Number of characters of a datetime up to the hour. */
const HOUR_DIGITS = '2026-01-01 00'.length;
