/**
 * The data of a histogram: counts of values by size. It is plain data, so it can be passed to a thread. If the memory is
 * shared, one thread may add values while others read.
 */
export interface Tally {
  /** Upper bounds, ascending. */
  readonly bounds: readonly number[];
  /**
   * For each bound, the number of values up to it (and above the previous one); then the number of values above the last
   * bound; then the sum of all values.
   */
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

/** Returns for each bound the number of all values up to it, cumulative, as Prometheus expects. */
export function read({ bounds, counts }: Tally) {
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
