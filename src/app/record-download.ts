import type { DownloadRecord } from '../domain/download.ts';
import type { Command } from './command.ts';

/** Writes down a download that is about to begin. */
export const recordDownload: Command<DownloadRecord, null> = async ({ downloads }, record, { now }) => {
  await downloads.insert({ ...record, createdAt: now });
  return null;
};
