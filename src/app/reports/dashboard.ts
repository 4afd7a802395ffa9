import { setImmediate } from 'node:timers/promises';
import { USAGES, type Usage } from '../../domain/audit.ts';
import { addDays, DAY_MS, type Datetime, toDatetime, toMilliseconds } from '../../domain/datetime.ts';
import { LICENSE_STATUSES, type License } from '../../domain/license.ts';
import type { Counted, MadePlace, Reads, Reports } from '../../store/store.ts';
import type { Services } from '../execute.ts';

export interface DayCounts extends Record<Usage, number> {
  /** YYYY-MM-DD, UTC */
  day: string;
  downloads: number;
  /** Licenses created on this day that still exist. */
  licenses: number;
}

export interface Totals {
  licenses: number;
  generators: number;
  software: number;
  /** Licenses by status, from 1 on. May be a minute old if there are many. */
  byStatus: number[];
}

export interface Expiring {
  /** The first to expire. */
  items: License[];
  /** How many expire in the span; a lower bound if `isMore`. */
  total: number;
  isMore: boolean;
}

/** The data of the dashboard. Counts of a million records run in chunks, so that they do not block other requests. */
export interface Dashboard {
  /** The last `count` days up to today, also those without events. */
  days(count: number): Promise<DayCounts[]>;
  totals(): Promise<Totals>;
  expiring(days: number, limit: number): Promise<Expiring>;
}

/** How long the counts of a past day are cached. They change only if its licenses are deleted. */
const DAY_CACHE_MS = 3_600_000;
/** Counters in memory are written within a minute after the end of a day. */
const LATE_MS = 60_000;
const STATUSES_CACHE_MS = 60_000;
/** Up to this many licenses, their statuses are counted without a cache. */
const FEW = 20_000;
const EXPIRING_MAX = 1_000;

export function createDashboard({ store, clock }: Pick<Services, 'store' | 'clock'>): Dashboard {
  const finished = new Map<string, { at: number; counts: Pick<DayCounts, 'licenses' | 'downloads'> }>();
  let statuses: { at: number; counts: Promise<number[]> } | null = null;

  async function countsOf(day: string): Promise<Pick<DayCounts, 'licenses' | 'downloads'>> {
    const now = clock();
    const begin = toMilliseconds(`${day} 00:00:00`);
    const known = finished.get(day);
    if (known && known.at <= now && now < known.at + DAY_CACHE_MS) return known.counts;
    const counts = {
      licenses: await licensesCreated(store.read.reports, begin),
      downloads: await store.read.reports.downloadsOn(day),
    };
    if (now > begin + DAY_MS + LATE_MS) finished.set(day, { at: now, counts });
    await setImmediate();
    return counts;
  }

  function byStatus(licenses: number): Promise<number[]> {
    const now = clock();
    if (statuses && licenses > FEW && statuses.at <= now && now < statuses.at + STATUSES_CACHE_MS)
      return statuses.counts;
    const counts = countStatuses(store.read.reports);
    statuses = { at: now, counts };
    counts.catch(() => {
      statuses = null;
    });
    return counts;
  }

  return {
    async days(count) {
      const today = Math.floor(clock() / DAY_MS);
      const names = Array.from({ length: count }, (_, i) => dayOf((today - count + 1 + i) * DAY_MS));
      const usage = await usageOf(store.read, names);
      const days: DayCounts[] = [];
      for (const day of names) days.push({ day, ...usage(day), ...(await countsOf(day)) });
      return days;
    },
    async totals() {
      const one = { before: null, offset: 0, limit: 1 };
      const [licenses, generators, software] = await Promise.all([
        store.read.licenses.list({}, one),
        store.read.generators.list(one),
        store.read.software.list(one, null),
      ]);
      return {
        licenses: licenses.total,
        generators: generators.total,
        software: software.total,
        byStatus: await byStatus(licenses.total),
      };
    },
    async expiring(days, limit) {
      const from = toDatetime(clock());
      const span = { from, before: addDays(from, days) as Datetime };
      const [items, total] = await Promise.all([
        store.read.reports.expiring(span, limit),
        store.read.reports.countExpiring(span, EXPIRING_MAX + 1),
      ]);
      return { items, total: Math.min(total, EXPIRING_MAX), isMore: total > EXPIRING_MAX };
    },
  };
}

const dayOf = (ms: number): string => toDatetime(ms).slice(0, 10);

async function usageOf({ audit }: Reads, days: readonly string[]) {
  const range = { from: days[0] as string, to: days.at(-1) as string };
  const { items } = await audit.counts(range, { offset: 0, limit: days.length * USAGES.length });
  const counts = new Map(items.map(({ day, counted, count }) => [`${day} ${counted}`, count]));
  return (day: string) =>
    Object.fromEntries(USAGES.map((usage) => [usage, counts.get(`${day} ${usage}`) ?? 0])) as Record<
      Usage,
      number
    >;
}

/** @param begin of the day, in milliseconds since the epoch */
const licensesCreated = (reports: Reports, begin: number): Promise<number> => {
  const span = { from: toDatetime(begin), before: toDatetime(begin + DAY_MS) };
  return inChunks<MadePlace>((behind) => reports.licensesMade(span, behind));
};

async function countStatuses(reports: Reports): Promise<number[]> {
  const counts: number[] = [];
  for (let status = 1; status <= LICENSE_STATUSES.length; status++)
    counts.push(await inChunks<number>((behind) => reports.licensesOfStatus(status, behind)));
  return counts;
}

/** Adds up a count of many rows, chunk by chunk, and yields to the event loop after each. */
async function inChunks<Place>(count: (behind: Place | null) => Promise<Counted<Place>>): Promise<number> {
  let total = 0;
  for (let behind: Place | null = null; ; await setImmediate()) {
    const chunk: Counted<Place> = await count(behind);
    total += chunk.count;
    behind = chunk.last;
    if (behind === null) return total;
  }
}
