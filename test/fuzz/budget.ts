import { randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { collectGarbage } from '../support/garbage.ts';

/**
 * How long a fuzz test runs, and from which seed. `npm run test:fuzz` sets both. Otherwise, as in `npm test`,
 * a fuzz test has a fixed number of runs and a random seed.
 */
const { LATCHKEY_FUZZ_SEED, LATCHKEY_FUZZ_SECONDS, LATCHKEY_FUZZ_PATH } = process.env;
const SECONDS = Number(LATCHKEY_FUZZ_SECONDS ?? 0);
/** Number of runs before the first memory measurement, and bytes that memory may grow afterwards. */
const WARM_RUNS = 300;
const GROWTH_MAX = 64 * 1024 ** 2;

/** How to print a failing value: some are too deep or too long to print in full. */
const PRINT_OPTIONS = { depth: 8, maxStringLength: 200, maxArrayLength: 40, compact: 8, breakLength: 200 };

/** Counts by name. */
export type Tally = Map<string, number>;
export const count = (tally: Tally, what: string, by = 1): void =>
  void tally.set(what, (tally.get(what) ?? 0) + by);

/**
 * Checks a property against random values. If it fails, reports the smallest counterexample and how to
 * reproduce it.
 * @param runs number of runs if no time is set
 */
export async function holds<T>(
  t: TestContext,
  arbitrary: fc.Arbitrary<T>,
  runs: number,
  tally: Tally,
  predicate: (value: T) => Promise<void>,
): Promise<void> {
  const seed = Number(LATCHKEY_FUZZ_SEED ?? randomInt(2 ** 31));
  t.diagnostic(`seed ${seed}`);
  let warm = 0;
  let done = 0;
  const property = fc.asyncProperty(arbitrary, async (value) => {
    await predicate(value);
    if (++done === WARM_RUNS) warm = heapUsed();
  });
  const details = await fc.check(property, {
    seed,
    ...(LATCHKEY_FUZZ_PATH && { path: LATCHKEY_FUZZ_PATH }),
    ...(SECONDS > 0
      ? { numRuns: 2 ** 31 - 1, interruptAfterTimeLimit: SECONDS * 1_000, markInterruptAsFailure: false }
      : { numRuns: runs }),
  });
  const counted = [...tally].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `${times} ${what}`);
  t.diagnostic(`${done} runs: ${counted.join(', ')}`);
  if (details.failed) {
    const again = `LATCHKEY_FUZZ_SEED=${seed} LATCHKEY_FUZZ_PATH=${details.counterexamplePath}`;
    const smallest = inspect(details.counterexample, PRINT_OPTIONS);
    throw new Error(
      `After ${details.numRuns} runs, reproduce with ${again}: ${smallest}\n${details.errorInstance}`,
      {
        cause: details.errorInstance,
      },
    );
  }
  if (warm === 0) return;
  const grown = heapUsed() - warm;
  t.diagnostic(`memory grew by ${Math.round(grown / 1024)} KiB after ${WARM_RUNS} runs`);
  if (grown > GROWTH_MAX) throw new Error(`Memory grew by ${grown} bytes in ${done} runs.`);
}

function heapUsed(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
