import { setTimeout } from 'node:timers/promises';

/**
 * Waits until a condition holds. @throws Error after five minutes: after the time limit of a test, its function goes on,
 * and keeps the process of the test runner alive
 */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 300_000; !(await isSo()); await setTimeout(25))
    if (performance.now() > end) throw new Error(`timed out: ${isSo}`);
}
