import { SYSTEM } from '../../domain/actor.ts';
import { USAGES, type Usage, type UsageCount } from '../../domain/audit.ts';
import { type Clock, DAY_MS, toDatetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { createWriteBehind } from '../write-behind.ts';

/** Adds counts to the daily usage counters. */
export const countUsage = defineCommand({
  name: 'count-usage',
  guarded: true,
  audit: { never: 'counters' },
  run: async ({ audit }, counts: UsageCount[]): Promise<null> => {
    const placeOf = ({ day, counted }: UsageCount) => `${day} ${counted}`;
    // Every node locks the rows in the same order, so that two nodes cannot deadlock.
    await audit.count(counts.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)));
    return null;
  },
});

/** Counts by day the actions that are too frequent for audit entries. */
export type UsageCounter = ReturnType<typeof createUsageCounter>;

/** Returns a counter in memory. A killed process loses counts that it has not flushed. */
export function createUsageCounter(execute: Executes<typeof countUsage>, clock: Clock) {
  // The key of a day's usage is one number, which is faster than text.
  const write = (counts: readonly (readonly [number, number])[]) => {
    const rows = counts.map(([key, count]) => ({
      day: toDatetime(Math.floor(key / USAGES.length) * DAY_MS).slice(0, 10),
      counted: USAGES[key % USAGES.length] as Usage,
      count,
    }));
    return execute('count-usage', rows, SYSTEM);
  };
  const { note, flush } = createWriteBehind(write, (earlier, later) => earlier + later);
  const totals = Object.fromEntries(USAGES.map((usage) => [usage, 0])) as Record<Usage, number>;
  return {
    count: (usage: Usage) => {
      totals[usage]++;
      note(Math.floor(clock() / DAY_MS) * USAGES.length + USAGES.indexOf(usage), 1);
    },
    flush,
    /** Totals since the start of this process. */
    totals: totals as Readonly<typeof totals>,
  };
}
