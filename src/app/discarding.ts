import { setTimeout } from 'node:timers/promises';
import type { Context } from './command.ts';

/** The most rows that one transaction deletes, so that other commands wait little. */
export const DISCARDED_AT_ONCE = 5_000;
/** Milliseconds between two transactions, in which other processes can lock the database. */
export const YIELD_MS = 3;

/** Rows beyond a limit that one command deletes. */
export const FORGOTTEN_AT_ONCE = 64;

/**
 * Whether a command that adds a row to a history also deletes those beyond its limit: one in sixteen does, so that the
 * others cost nothing. At random, because clients could avoid anything that they can foresee.
 */
export const isTurnToForget = ({ randomHex }: Pick<Context, 'randomHex'>): boolean =>
  randomHex(2).startsWith('0');

/** Repeats a deletion until it is done: each call is a transaction of its own, which deletes a limited number of rows. */
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
