import { setImmediate } from 'node:timers/promises';
import { USAGES, type Usage } from '../../domain/audit.ts';
import { addDays, type Datetime, toDatetime, toMilliseconds } from '../../domain/datetime.ts';
import { LICENSE_STATUSES, type License } from '../../domain/license.ts';
import type { Counted, MadePlace, Reads, Reports } from '../../store/store.ts';
import type { Services } from '../execute.ts';

/** What was done on a day. */
export interface DayCounts extends Record<Usage, number> {
  /** YYYY-MM-DD, UTC */
  day: string;
  downloads: number;
  /** Licenses made on it that are still there. */
  licenses: number;
}

export interface Totals {
  licenses: number;
  generators: number;
  software: number;
  /** Licenses by status, from 1 on. May be a minute old where there are many. */
  byStatus: number[];
}

export interface Expiring {
  /** Those that expire first. */
  items: License[];
  /** How many expire in the span; at least so many where `isMore`. */
  total: number;
  isMore: boolean;
}

/** What the dashboard shows. Whatever may count a million records does it in pieces, between which others get their turn. */
export interface Dashboard {
  /** So many days, the last one today's, each of them there. */
  days(count: number): Promise<DayCounts[]>;
  totals(): Promise<Totals>;
  expiring(days: number, limit: number): Promise<Expiring>;
}

const DAY_MS = 86_400_000;
/** A day that is over changes only where licenses of it are deleted. */
const KEPT_MS = 3_600_000;
/** What was counted in memory on a day is written within a minute of its end. */
const LATE_MS = 60_000;
const STATUSES_KEPT_MS = 60_000;
/** Licenses that are counted by status whenever somebody asks. */
const FEW = 20_000;
const EXPIRING_MAX = 1_000;

export function createDashboard({ store, clock }: Pick<Services, 'store' | 'clock'>): Dashboard {
  const finished = new Map<string, { at: number; counts: Pick<DayCounts, 'licenses' | 'downloads'> }>();
  let statuses: { at: number; counts: Promise<number[]> } | null = null;

  async function countsOf(day: string): Promise<Pick<DayCounts, 'licenses' | 'downloads'>> {
    const now = clock();
    const begin = toMilliseconds(`${day} 00:00:00`);
    const known = finished.get(day);
    if (known && known.at <= now && now < known.at + KEPT_MS) return known.counts;
    const counts = {
      licenses: await licensesMade(store.read.reports, begin),
      downloads: await store.read.reports.downloadsOn(day),
    };
    if (now > begin + DAY_MS + LATE_MS) finished.set(day, { at: now, counts });
    await setImmediate();
    return counts;
  }

  function byStatus(licenses: number): Promise<number[]> {
    const now = clock();
    if (statuses && licenses > FEW && statuses.at <= now && now < statuses.at + STATUSES_KEPT_MS)
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
      const oldest = dayOf((today - KEPT_DAYS) * DAY_MS);
      for (const day of finished.keys()) if (day < oldest) finished.delete(day);
      const usage = await usageOf(store.read, names[0] as string, names.at(-1) as string);
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

/** Days back for which counts are kept in memory. */
const KEPT_DAYS = 400;
const dayOf = (ms: number): string => toDatetime(ms).slice(0, 10);

async function usageOf({ audit }: Reads, from: string, to: string) {
  const days = (toMilliseconds(`${to} 00:00:00`) - toMilliseconds(`${from} 00:00:00`)) / DAY_MS + 1;
  const { items } = await audit.counts({ from, to }, { offset: 0, limit: days * USAGES.length });
  const counts = new Map(items.map(({ day, counted, count }) => [`${day} ${counted}`, count]));
  return (day: string) =>
    Object.fromEntries(USAGES.map((usage) => [usage, counts.get(`${day} ${usage}`) ?? 0])) as Record<
      Usage,
      number
    >;
}

/** @param begin of the day, in milliseconds since the epoch */
const licensesMade = (reports: Reports, begin: number): Promise<number> => {
  const span = { from: toDatetime(begin), before: toDatetime(begin + DAY_MS) };
  return inPieces<MadePlace>((behind) => reports.licensesMade(span, behind));
};

async function countStatuses(reports: Reports): Promise<number[]> {
  const counts: number[] = [];
  for (let status = 1; status <= LICENSE_STATUSES.length; status++)
    counts.push(await inPieces<number>((behind) => reports.licensesOfStatus(status, behind)));
  return counts;
}

/** All of a count, with a turn for everybody else after each piece. */
async function inPieces<Place>(count: (behind: Place | null) => Promise<Counted<Place>>): Promise<number> {
  let total = 0;
  let behind: Place | null = null;
  do {
    const piece: Counted<Place> = await count(behind);
    total += piece.count;
    behind = piece.last;
    if (behind !== null) await setImmediate();
  } while (behind !== null);
  return total;
}
