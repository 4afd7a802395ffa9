import type { Actor } from '../../domain/actor.ts';
import { DAY_MS, toDatetime, toMilliseconds } from '../../domain/datetime.ts';
import { done, invalid, type Outcome } from '../../domain/refusal.ts';
import type { DownloadCount, DownloadCountFilter } from '../../domain/releases/download.ts';
import type { Reads } from '../../store/store.ts';
import { findSoftware } from './software.ts';

export interface DownloadDays {
  /** First and last day, UTC. */
  from: string;
  to: string;
  total: number;
  /** Every day of the span, including days without downloads. */
  days: Pick<DownloadCount, 'day' | 'downloads'>[];
  /** The most downloaded releases. */
  releases: Omit<DownloadCount, 'day'>[];
}

const DAYS_SHOWN = 30;
const DAYS_MAX = 732;
const RELEASES_COUNTED = 100;

/** Returns the daily downloads of software, by default of the last 30 days. @param today YYYY-MM-DD, UTC */
export async function downloadDays(
  reads: Reads,
  named: string,
  filter: DownloadCountFilter,
  today: string,
  actor: Actor,
): Promise<Outcome<DownloadDays>> {
  const found = await findSoftware(reads, named, actor);
  if (!found.ok) return found;
  const to = filter.to ?? today;
  const from = filter.from ?? daysAfter(to, 1 - DAYS_SHOWN);
  const count = 1 + (toMilliseconds(`${to} 00:00:00`) - toMilliseconds(`${from} 00:00:00`)) / DAY_MS;
  if (count < 1) return invalid('to', 'before_from');
  if (count > DAYS_MAX) return invalid('from', 'too_many_days', { max: DAYS_MAX });
  const range = { releaseId: filter.releaseId, from, to, softwareId: found.value.id };
  const [counted, releases] = await Promise.all([
    reads.downloads.byDay(range),
    reads.downloads.byRelease(range, RELEASES_COUNTED),
  ]);
  const known = new Map(counted.map(({ day, downloads }) => [day, downloads]));
  const days = Array.from({ length: count }, (_, i) => {
    const day = daysAfter(from, i);
    return { day, downloads: known.get(day) ?? 0 };
  });
  return done({ from, to, total: counted.reduce((sum, one) => sum + one.downloads, 0), days, releases });
}

const daysAfter = (day: string, days: number): string =>
  toDatetime(Math.max(toMilliseconds(`${day} 00:00:00`) + days * DAY_MS, FIRST_DAY)).slice(0, 10);
const FIRST_DAY = toMilliseconds('0001-01-01 00:00:00');
