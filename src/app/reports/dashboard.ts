import { setImmediate } from 'node:timers/promises';
import { USAGES, type Usage } from '../../domain/audit.ts';
import { addDays, DAY_MS, type Datetime, toDatetime, toMilliseconds } from '../../domain/datetime.ts';
import { LICENSE_STATUSES, type License } from '../../domain/license.ts';
import type { Counted, MadePlace, Reads, Reports, SeatPlace } from '../../store/store.ts';
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

/** Licenses that expired in a period; lower bounds if `isMore`. */
export interface Expired {
  total: number;
  isMore: boolean;
}

export interface VersionDownloads {
  softwareId: number;
  software: string;
  version: string;
  downloads: number;
}

/** The data of the dashboard. Counts of a million records run in chunks, so that they do not block other requests. */
export interface Dashboard {
  /** The last `count` days up to today, also those without events. */
  days(count: number): Promise<DayCounts[]>;
  totals(): Promise<Totals>;
  /** Activations that hold a seat, up to SEATS_MAX. May be a minute old if there are many. */
  seats(): Promise<number>;
  expiring(days: number, limit: number): Promise<Expiring>;
  /** How many licenses expired in the last `days` days before one `daysAgo`. */
  expired(days: number, daysAgo: number): Promise<Expired>;
  /** The versions that were downloaded most in the last `days` days up to today. */
  versions(days: number, limit: number): Promise<VersionDownloads[]>;
}

/** How long the counts of a past day are cached. They change only if its licenses are deleted. */
const DAY_CACHE_MS = 3_600_000;
/** Counters in memory are written within a minute after the end of a day. */
const LATE_MS = 60_000;
const COUNT_CACHE_MS = 60_000;
/** Up to this many rows are counted without a cache. */
const FEW = 20_000;
const EXPIRING_MAX = 1_000;
const EXPIRED_MAX = 10_000;
/** Each is looked up in the table, so the count stops there. */
export const SEATS_MAX = 1_000_000;

export function createDashboard({ store, clock }: Pick<Services, 'store' | 'clock'>): Dashboard {
  const finished = new Map<string, { at: number; counts: Pick<DayCounts, 'licenses' | 'downloads'> }>();
  const statuses = remembered(() => countStatuses(store.read.reports), clock);
  const seats = remembered(
    async () => [await inChunks<SeatPlace>((behind) => store.read.reports.seatsTaken(behind), SEATS_MAX)],
    clock,
  );

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
        byStatus: await statuses(),
      };
    },
    seats: async () => (await seats())[0] ?? 0,
    async expired(days, daysAgo) {
      const before = addDays(toDatetime(clock()), -daysAgo) as Datetime;
      const span = { from: addDays(before, -days) as Datetime, before };
      const total = await store.read.reports.countExpiring(span, EXPIRED_MAX + 1);
      return { total: Math.min(total, EXPIRED_MAX), isMore: total > EXPIRED_MAX };
    },
    async versions(days, limit) {
      const since = dayOf((Math.floor(clock() / DAY_MS) - days + 1) * DAY_MS);
      const counted = await store.read.reports.mostDownloaded(since, limit);
      const named = counted.map(async ({ releaseId, downloads }) => {
        const release = await store.read.releases.find(releaseId);
        const software = release && (await store.read.software.find(release.softwareId));
        if (!release || !software) return [];
        return [{ softwareId: software.id, software: software.name, version: release.version, downloads }];
      });
      return (await Promise.all(named)).flat();
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

/**
 * Counts that are repeated on each call while the rows are few. Else the last counts are returned at once, and renewed in
 * the background if they are older than a minute. Only the first call waits for the count of many rows.
 */
function remembered(count: () => Promise<number[]>, clock: () => number): () => Promise<number[]> {
  let known: { at: number; counts: number[] } | null = null;
  let counting: Promise<number[]> | null = null;
  const renew = async (): Promise<number[]> => {
    const at = clock();
    const counts = await count();
    known = { at, counts };
    return counts;
  };
  return async () => {
    if (!known || known.counts.reduce((sum, one) => sum + one, 0) <= FEW) return renew();
    const age = clock() - known.at;
    if (age < 0 || age >= COUNT_CACHE_MS) {
      counting ??= renew().finally(() => {
        counting = null;
      });
      // The next call tries again.
      counting.catch(() => undefined);
    }
    return known.counts;
  };
}

async function countStatuses(reports: Reports): Promise<number[]> {
  const counts: number[] = [];
  for (let status = 1; status <= LICENSE_STATUSES.length; status++)
    counts.push(await inChunks<number>((behind) => reports.licensesOfStatus(status, behind)));
  return counts;
}

/** Adds up a count of many rows, chunk by chunk, and yields to the event loop after each. */
async function inChunks<Place>(
  count: (behind: Place | null) => Promise<Counted<Place>>,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  let total = 0;
  for (let behind: Place | null = null; ; await setImmediate()) {
    const chunk: Counted<Place> = await count(behind);
    total += chunk.count;
    behind = chunk.last;
    if (behind === null || total >= most) return Math.min(total, most);
  }
}
