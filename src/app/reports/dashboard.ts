import { setImmediate } from 'node:timers/promises';
import { USAGES, type Usage } from '../../domain/audit.ts';
import {
  addDays,
  DAY_MS,
  type Datetime,
  lastDays,
  toDatetime,
  toMilliseconds,
} from '../../domain/datetime.ts';
import { LICENSE_STATUSES } from '../../domain/licenses/license.ts';
import type { Counted, MadePlace, Reads, Reports, SeatPlace } from '../../store/store.ts';
import type { Services } from '../execute.ts';
import { oneAtATime } from '../one-at-a-time.ts';

/** Counts by day and by product. */
interface ProductDay {
  downloads: number;
  /** Licenses created on this day that still exist. */
  licenses: number;
  /** How often the expiry of a license was moved later. */
  renewals: number;
}

/** Counts of one day. With a `productId`, usage counts are null, because usage is not counted by product. */
interface DayCounts extends ProductDay, Record<Usage, number | null> {
  /** YYYY-MM-DD, UTC */
  day: string;
}

interface Version {
  softwareId: number;
  software: string;
  version: string;
}

/** How long to cache the counts of a past day. They change rarely, such as when licenses or releases are deleted. */
const DAY_CACHE_MS = 3_600_000;
/** Maximum number of past days to cache, of all products together. */
const DAYS_CACHED = 10_000;
/** Counters in memory are flushed within a minute, so a day's counts are final a minute after its end. */
const LATE_MS = 60_000;
const COUNT_CACHE_MS = 60_000;
/** Count up to this many rows without a cache. */
const FEW = 20_000;
const EXPIRING_MAX = 1_000;
const EXPIRED_MAX = 10_000;
/** Counting stops at this number, because each activation is looked up in the table. */
const SEATS_MAX = 1_000_000;
const LICENSES_MAX = 100_000;

/**
 * Returns what computes the dashboard. Counts of many rows run in chunks, so that they do not block other requests. With a
 * `productId`, only records of that product count; with null, all records. If a count `isMore`, its `total` is a lower bound.
 */
export function createDashboard({ store, clock }: Pick<Services, 'store' | 'clock'>) {
  const { reports } = store.read;
  const finished = new Map<string, { at: number; counts: ProductDay }>();
  const statuses = remembered(() => countStatuses(reports), clock);
  const seats = remembered(async () => {
    // Where the count of taken seats stops, that of lapsed ones must stop, too.
    let upTo = Number.MAX_SAFE_INTEGER;
    const takenBehind = async (behind: SeatPlace | null) => {
      const chunk = await reports.seatsTaken(behind);
      upTo = chunk.last?.licenseId ?? Number.MAX_SAFE_INTEGER;
      return chunk;
    };
    const taken = await inChunks(takenBehind, SEATS_MAX);
    return [taken, await reports.seatsLapsed(toDatetime(clock()), upTo, SEATS_MAX)];
  }, clock);

  async function countsOf(day: string, productId: number | null): Promise<ProductDay> {
    const now = clock();
    const begin = toMilliseconds(`${day} 00:00:00`);
    const key = `${day} ${productId}`;
    const known = finished.get(key);
    if (known && known.at <= now && now < known.at + DAY_CACHE_MS) return known.counts;
    const [licenses, downloads, renewals] = await Promise.all([
      licensesCreated(reports, begin, productId),
      reports.downloadsOn(day, productId),
      reports.renewalsOn(day, productId),
    ]);
    const counts = { licenses, downloads, renewals };
    if (now > begin + DAY_MS + LATE_MS) {
      finished.delete(key);
      finished.set(key, { at: now, counts });
      if (finished.size > DAYS_CACHED) finished.delete(finished.keys().next().value as string);
    }
    await setImmediate();
    return counts;
  }

  /** Returns the first of the last `days` days up to today, YYYY-MM-DD. */
  const firstOf = (days: number) => lastDays(clock(), days)[0] as string;

  return {
    /** Counts of the last `count` days up to today, including days without events. */
    async days(count: number, productId: number | null) {
      const names = lastDays(clock(), count);
      const usage = productId === null ? await usageOf(store.read, names) : () => NO_USAGE;
      const days: DayCounts[] = [];
      for (const day of names) days.push({ day, ...usage(day), ...(await countsOf(day, productId)) });
      return days;
    },
    async totals() {
      const none = { before: null, offset: 0, limit: 0 };
      const [licenses, generators, software] = await Promise.all([
        store.read.licenses.list({}, none),
        store.read.generators.list(none),
        store.read.software.list(none, null),
      ]);
      return {
        licenses: licenses.total,
        generators: generators.total,
        software: software.total,
        /** Number of licenses by status; index 0 is status 1. May be a minute old if there are many licenses. */
        byStatus: await statuses(),
      };
    },
    /** Number of activations that hold a seat. May be a minute old if there are many. */
    async seats() {
      const [taken = 0, lapsed = 0] = await seats();
      return { total: Math.max(0, taken - lapsed), isMore: taken >= SEATS_MAX };
    },
    async licensesOf(productId: number) {
      const total = await inChunks<number>(
        (behind) => reports.licensesOf({ productId }, behind),
        LICENSES_MAX,
      );
      return { total, isMore: total >= LICENSES_MAX };
    },
    /** Number of licenses that expired in the `days` days up to the instant `daysAgo` days ago. */
    async expired(days: number, daysAgo: number, productId: number | null) {
      const before = addDays(toDatetime(clock()), -daysAgo) as Datetime;
      const span = { from: addDays(before, -days) as Datetime, before };
      const total = await reports.countExpiring(span, EXPIRED_MAX + 1, productId);
      return { total: Math.min(total, EXPIRED_MAX), isMore: total > EXPIRED_MAX };
    },
    /** The versions that were downloaded most in the last `days` days up to today. */
    versions: async (days: number, limit: number, productId: number | null) =>
      named(store.read, await reports.mostDownloaded(firstOf(days), limit, productId)),
    /** The versions with the most update checks in the last `days` days up to today, and the checks of all versions. */
    async inUse(days: number, limit: number, productId: number | null) {
      const [most, checks] = await Promise.all([
        reports.mostChecked(firstOf(days), limit, productId),
        reports.checksSince(firstOf(days), productId),
      ]);
      return { checks, versions: await named(store.read, most) };
    },
    /** The licenses that expire first in the next `days` days, and how many do. */
    async expiring(days: number, limit: number, productId: number | null) {
      const from = toDatetime(clock());
      const span = { from, before: addDays(from, days) as Datetime };
      const [items, total] = await Promise.all([
        reports.expiring(span, limit, productId),
        reports.countExpiring(span, EXPIRING_MAX + 1, productId),
      ]);
      return { items, total: Math.min(total, EXPIRING_MAX), isMore: total > EXPIRING_MAX };
    },
  };
}

/** Adds the version and the name of the software to counts by release. */
async function named<Counts extends { releaseId: number }>(
  { releases, software }: Pick<Reads, 'releases' | 'software'>,
  counted: readonly Counts[],
): Promise<(Version & Omit<Counts, 'releaseId'>)[]> {
  const versions = counted.map(async ({ releaseId, ...counts }) => {
    const release = await releases.find(releaseId);
    const found = release && (await software.find(release.softwareId));
    if (!release || !found) return [];
    return [{ softwareId: found.id, software: found.name, version: release.version, ...counts }];
  });
  return (await Promise.all(versions)).flat();
}

const NO_USAGE = { activations: null, deactivations: null, validations: null };

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

/** Counts the licenses created on a day. @param begin start of the day, in milliseconds since the epoch */
const licensesCreated = (reports: Reports, begin: number, productId: number | null): Promise<number> => {
  const span = { from: toDatetime(begin), before: toDatetime(begin + DAY_MS) };
  return inChunks<MadePlace>((behind) => reports.licensesMade(span, behind, productId));
};

/**
 * Returns a cached form of `count`. While there are few rows, each call counts again. Beyond FEW rows, a call returns
 * the last counts at once, and renews them in the background if they are older than a minute: only the first call waits
 * for many rows.
 */
function remembered(count: () => Promise<number[]>, clock: () => number): () => Promise<number[]> {
  let known: { at: number; counts: number[] } | null = null;
  const renew = async (): Promise<number[]> => {
    const at = clock();
    const counts = await count();
    known = { at, counts };
    return counts;
  };
  const renewing = oneAtATime(renew);
  return async () => {
    if (!known || known.counts.reduce((sum, one) => sum + one, 0) <= FEW) return renew();
    const age = clock() - known.at;
    if (age < 0 || age >= COUNT_CACHE_MS) {
      // Ignore a failure: the next call tries again.
      renewing.start().catch(() => undefined);
    }
    return known.counts;
  };
}

async function countStatuses(reports: Reports): Promise<number[]> {
  const counts: number[] = [];
  for (let status = 1; status <= LICENSE_STATUSES.length; status++)
    counts.push(await inChunks<number>((behind) => reports.licensesOf({ status }, behind)));
  return counts;
}

/** Adds up the counts of chunks of rows, and yields to the event loop after each chunk. Stops at `most`. */
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
