/** Random choices that are repeatable by their seed. The timing of other processes is not repeatable. */
export interface Random {
  /** Returns a number from 0 up to 1. */
  next(): number;
  /** Returns an integer from 0 to `end - 1`. */
  below(end: number): number;
  /** Returns an integer from `least` to `most`, inclusive. */
  between(least: number, most: number): number;
  /** Returns an integer from `least` to `most`, with every order of magnitude equally likely. */
  magnitude(least: number, most: number): number;
  chance(probability: number): boolean;
  /** Returns undefined if there is nothing to choose from. */
  pick<T>(from: readonly T[]): T | undefined;
  bytes(count: number): Buffer;
}

/** @param seed a 32-bit integer */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  // Mulberry32, by Tommy Ettinger, in the public domain.
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number) => Math.floor(next() * end);
  const between = (least: number, most: number) => least + below(most - least + 1);
  return {
    next,
    below,
    between,
    magnitude: (least, most) => Math.round(least * (most / least) ** next()),
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)],
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
}
