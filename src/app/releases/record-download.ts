import type { DownloadRecord } from '../../domain/download.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

/** Writes down a download that is about to begin. Its release may have been withdrawn since it was granted. */
export const recordDownload: Command<DownloadRecord, Outcome<null>> = async (
  { downloads, releases },
  record,
  { now },
) => {
  const release = await releases.find(record.releaseId);
  if (release?.status !== 'published') return refused('download_denied', { why: 'release_not_available' });
  await downloads.insert({ ...record, createdAt: now });
  return done(null);
};
