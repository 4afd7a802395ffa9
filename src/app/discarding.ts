import { setTimeout } from 'node:timers/promises';

/** Rows removed by one command, so that others wait little. */
export const DISCARDED_AT_ONCE = 5_000;
/** Milliseconds between two transactions, in which other processes get at the database. */
export const YIELD_MS = 3;

/** @param discardSome removes at most DISCARDED_AT_ONCE rows: how many. Fewer than the most means that no more are due. */
export async function discardAll(discardSome: () => Promise<number>): Promise<void> {
  while ((await discardSome()) === DISCARDED_AT_ONCE) await setTimeout(YIELD_MS);
}
