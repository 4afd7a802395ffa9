import { setTimeout } from 'node:timers/promises';

/** The most rows that one transaction deletes, so that other commands wait little. */
export const DISCARDED_AT_ONCE = 5_000;
/** Milliseconds between two transactions, in which other processes can lock the database. */
export const YIELD_MS = 3;

/** Repeats a deletion of at most DISCARDED_AT_ONCE rows, which returns their number, until no more are due. */
export async function discardAll(discardSome: () => Promise<number>): Promise<void> {
  while ((await discardSome()) === DISCARDED_AT_ONCE) await setTimeout(YIELD_MS);
}
