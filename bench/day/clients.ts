import { retryDelay } from '../../sdk/javascript/src/refusals.ts';

/** What a program does that wants an answer from the server when it starts. */
export interface Client {
  name: string;
  /** What it asks. */
  asks: 'renew' | 'validate';
  /** Seconds that it waits for an answer. */
  timeout: number;
  /**
   * Seconds from a failure until it asks again; null if it does not.
   * @param failures so far, this one included
   * @param running seconds since it was started
   */
  again(failures: number, running: number): number | null;
}

/**
 * The SDK: it asks again in the first `check()` after its pause.
 * @param minutes between two calls
 * @param isRandom whether the program calls it at random moments, and not in step with its start
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

/** A program that validates at its start, and runs on if nobody answers. */
export const once: Client = { name: 'v1, tries once', asks: 'validate', timeout: 5, again: () => null };

/** A program that does not run without an answer. */
export const eachMinute: Client = {
  name: 'v1, again each minute',
  asks: 'validate',
  timeout: 5,
  again: () => 60,
};
