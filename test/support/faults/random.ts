/** Random choices that a seed repeats; what other processes do in between, it does not. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from 0 to one below this. */
  below(end: number): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  /** The same, small ones as likely as large ones in their order of magnitude. */
  magnitude(least: number, most: number): number;
  chance(probability: number): boolean;
  /** Undefined where there is nothing to choose from. */
  pick<T>(from: readonly T[]): T | undefined;
  bytes(count: number): Buffer;
}

/** @param seed a whole number of 32 bits */
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
