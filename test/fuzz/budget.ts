import { randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';

/**
 * How long a fuzz runs, and from which seed. `npm run test:fuzz` sets them; without, as in `npm test`, it is a fixed
 * number of runs from a random seed.
 */
const { LATCHKEY_FUZZ_SEED, LATCHKEY_FUZZ_SECONDS, LATCHKEY_FUZZ_PATH } = process.env;
const SECONDS = Number(LATCHKEY_FUZZ_SECONDS ?? 0);
/** Runs after which memory is looked at for the first time, and bytes that it may grow from there. */
const WARM_RUNS = 300;
const GROWTH_MAX = 64 * 1024 ** 2;

/** How a value that fails is told: some are too deep or too long to be told whole. */
const TOLD = { depth: 8, maxStringLength: 200, maxArrayLength: 40, compact: 8, breakLength: 200 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Things that were counted, by what they are. */
export type Tally = Map<string, number>;
export const count = (tally: Tally, what: string, by = 1): void =>
  void tally.set(what, (tally.get(what) ?? 0) + by);

/**
 * Holds a property against random values; where it fails, tells the smallest that fail and how to see it again.
 * @param runs where no time is set
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
    const smallest = inspect(details.counterexample, TOLD);
    throw new Error(
      `After ${details.numRuns} runs, again with ${again}: ${smallest}\n${details.errorInstance}`,
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
