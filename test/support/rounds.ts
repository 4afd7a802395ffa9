import { randomInt } from 'node:crypto';

/** How long tests of random faults go on: as `npm run test:faults` was told, or briefly. */
export interface Rounds {
  seed: number;
  /** One after the other, until there were enough. */
  each(): Generator<number>;
}

/** @param brief rounds where nobody asked for more */
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

/** Numbers that look random, the same ones for the same seed (mulberry32). */
export interface Dice {
  /** From 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(of: readonly T[]): T;
  bytes(count: number): Buffer;
}

export function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    int,
    pick: (of) => of[int(of.length)] as (typeof of)[number],
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => int(256))),
  };
}
