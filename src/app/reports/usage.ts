import type { Actor } from '../../domain/actor.ts';
import { USAGES, type Usage, type UsageCount } from '../../domain/audit.ts';
import { type Clock, toDatetime } from '../../domain/datetime.ts';
import { defineCommand, type Executes } from '../command.ts';
import { createWriteBehind } from '../write-behind.ts';

/** Adds to the daily counters. */
export const countUsage = defineCommand({
  name: 'count-usage',
  guarded: true,
  audit: { never: 'counters' },
  run: async ({ audit }, counts: UsageCount[]): Promise<null> => {
    const placeOf = ({ day, counted }: UsageCount) => `${day} ${counted}`;
    // In the same order on every node, so that two of them cannot deadlock.
    await audit.count(counts.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)));
    return null;
  },
});

/** Counts by day what is done too often for an audit entry each. */
export interface UsageCounter {
  count(usage: Usage): void;
  flush(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** A process that is killed loses what it has not flushed. */
export function createUsageCounter(
  execute: Executes<typeof countUsage>,
  clock: Clock,
  actor: Actor,
): UsageCounter {
  // One number for each usage of each day: quicker to make than a text.
  const { note, flush } = createWriteBehind<number, number>(
    (noted) =>
      execute(
        'count-usage',
        noted.map(([key, count]) => ({
          day: toDatetime(Math.floor(key / USAGES.length) * DAY_MS).slice(0, 10),
          counted: USAGES[key % USAGES.length] as Usage,
          count,
        })),
        actor,
      ),
    (earlier, later) => earlier + later,
  );
  return {
    count: (usage) => note(Math.floor(clock() / DAY_MS) * USAGES.length + USAGES.indexOf(usage), 1),
    flush,
  };
}
