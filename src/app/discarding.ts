import { randomInt } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

/** The most rows that one transaction deletes, so that other commands wait little. */
export const DISCARDED_AT_ONCE = 5_000;
/** Milliseconds to wait between two transactions, so that other processes can lock the database. */
export const YIELD_MS = 3;

/** Maximum number of rows beyond a limit that one command deletes. */
export const FORGOTTEN_AT_ONCE = 64;

/**
 * Whether a command that adds a row to a history should also delete the rows beyond the limit. True for one command in
 * sixteen, so that the others cost nothing; at random, because clients could avoid a predictable turn. `randomInt` draws
 * from a pool: random bytes for each command would take 5 µs.
 */
export const isTurnToForget = (): boolean => randomInt(16) === 0;

/** Repeats a step until it is done or throws. Each step is a transaction that deletes a limited number of rows. */
export async function inSteps<T extends { isDone: boolean }>(step: () => Promise<T>): Promise<T> {
  for (;;) {
    const result = await step();
    if (result.isDone) return result;
    await setTimeout(YIELD_MS);
  }
}

/** Repeats a deletion of at most DISCARDED_AT_ONCE rows, which returns their number, until no more are due. */
export async function discardAll(discardSome: () => Promise<number>): Promise<void> {
  while ((await discardSome()) === DISCARDED_AT_ONCE) await setTimeout(YIELD_MS);
}
