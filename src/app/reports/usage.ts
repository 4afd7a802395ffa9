import type { Actor } from '../../domain/actor.ts';
import { USAGES, type Usage } from '../../domain/audit.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { Clock, Execute } from '../execute.ts';
import { gather } from '../write-behind.ts';

/** How often each day what is not written down one by one was done. */
export interface UsageCounter {
  count(usage: Usage): void;
  flush(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** What is counted and not yet written is lost where the process is killed. */
export function createUsageCounter(execute: Execute, clock: Clock, actor: Actor): UsageCounter {
  // By a number for each usage of each day, which is made quicker than a text.
  const { note, flush } = gather<number, number>(
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
