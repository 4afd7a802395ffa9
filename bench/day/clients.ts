import { retryDelay } from '../../sdk/javascript/src/refusals.ts';

/** A program that asks the server when it starts. */
export interface Client {
  name: string;
  /** The request that it sends. */
  asks: 'renew' | 'validate';
  /** Seconds that it waits for an answer. */
  timeout: number;
  /**
   * Returns the seconds from a failure until the program asks again; null if it gives up.
   * @param failures so far, including this one
   * @param running seconds since the program started
   */
  again(failures: number, running: number): number | null;
}

/**
 * The SDK, which asks again in the first `check()` after its pause.
 * @param minutes between two calls of `check()`
 * @param isRandom whether the program calls `check()` at random moments, not in step with its start
 */
export const sdk = (minutes: number, isRandom = false): Client => ({
  name: `SDK, check() every ${minutes} min${isRandom ? ' or so' : ''}`,
  asks: 'renew',
  timeout: 10,
  again(failures, running) {
    const checks = minutes * 60;
    const earliest = running + retryDelay(failures - 1, null, Math.random());
    if (isRandom) return earliest + Math.random() * checks - running;
    return Math.ceil(earliest / checks) * checks - running;
  },
});

/** A program that validates once, when it starts, and runs on without an answer. */
export const once: Client = { name: 'v1, tries once', asks: 'validate', timeout: 5, again: () => null };

/** A program that does not run without an answer, and asks again every minute. */
export const eachMinute: Client = {
  name: 'v1, again each minute',
  asks: 'validate',
  timeout: 5,
  again: () => 60,
};
