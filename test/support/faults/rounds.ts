import { randomInt } from 'node:crypto';

/** How long tests of random faults run: as long as `npm run test:faults` says, or briefly. */
export interface Rounds {
  seed: number;
  /** Yields the numbers of the rounds. */
  each(): Generator<number>;
}

/** @param brief the number of rounds if the environment sets none */
export function roundsOf(brief: number): Rounds {
  const {
    LATCHKEY_TEST_ROUNDS: rounds,
    LATCHKEY_TEST_SECONDS: seconds,
    LATCHKEY_TEST_SEED: seed,
  } = process.env;
  const until = seconds ? performance.now() + Number(seconds) * 1_000 : Number.POSITIVE_INFINITY;
  const most = rounds ? Number(rounds) : seconds ? Number.POSITIVE_INFINITY : brief;
  return {
    seed: seed ? Number(seed) : randomInt(2 ** 31),
    *each() {
      for (let round = 0; round < most && performance.now() < until; round++) yield round;
    },
  };
}
