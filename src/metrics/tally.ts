/**
 * Counts values by size: the numbers of a histogram. Plain data, so that a thread can be given one. If its memory is shared,
 * one thread adds, and others may read.
 */
export interface Tally {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[];
  /** The values up to each bound (and above the one before), those above the last bound, and the sum of all values. */
  readonly counts: Float64Array;
}

export function createTally(bounds: readonly number[], { shared = false } = {}): Tally {
  const bytes = (bounds.length + 2) * Float64Array.BYTES_PER_ELEMENT;
  return { bounds, counts: new Float64Array(shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes)) };
}

export function addTo({ bounds, counts }: Tally, value: number): void {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] as number)) at++;
  (counts[at] as number)++;
  (counts[bounds.length + 1] as number) += value;
}

export interface Tallied {
  /** The values up to each bound, those up to lower bounds included. */
  upTo: { bound: number; count: number }[];
  count: number;
  sum: number;
}

export function read({ bounds, counts }: Tally): Tallied {
  let count = 0;
  const upTo = bounds.map((bound, at) => {
    count += counts[at] as number;
    return { bound, count };
  });
  return {
    upTo,
    count: count + (counts[bounds.length] as number),
    sum: counts[bounds.length + 1] as number,
  };
}
