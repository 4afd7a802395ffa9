import { addSeconds, DAY_MS, toSeconds } from '../domain/datetime.ts';
import { defineCommand } from './command.ts';

const DAY = DAY_MS / 1_000;

/** Whether housekeeping may trust the clock. */
interface Checked {
  /** Set if the clock has just jumped forward, or if no housekeeping ran for more than a day. */
  hasJumped: boolean;
  /** Seconds since `removesFrom`, usually the last run in whatever process; negative during the day after a jump. */
  passed: number;
  /** Whether to remove old records: not for a day after a jump. */
  byAge: boolean;
}

/**
 * Compares the clock with the last run of housekeeping, which the database keeps: the process may have started after the
 * jump, or another node may have another clock.
 * @param input.jumped whether the clock has jumped forward in this process
 */
export const checkClock = defineCommand({
  name: 'check-clock',
  audit: { never: 'it only notes the time' },
  run: async ({ housekeeping }, { jumped }: { jumped: boolean }, { now }): Promise<Checked> => {
    const removesFrom = await housekeeping.removesFrom();
    const passed = removesFrom === null ? 0 : toSeconds(now) - toSeconds(removesFrom);
    const hasJumped = jumped || passed > DAY;
    // Never more than a day, because the clock may have been set back since.
    const wait = hasJumped ? DAY : Math.min(Math.max(-passed, 0), DAY);
    await housekeeping.setRemovesFrom(addSeconds(now, wait) ?? now);
    return { hasJumped, passed, byAge: wait === 0 };
  },
});
