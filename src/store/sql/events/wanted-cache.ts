import type { WantedEvents } from '../../events/events.ts';

export interface WantedCache {
  get(): Promise<WantedEvents>;
  /** Empties the cache after a change. */
  forget(): void;
}

/**
 * Which events are wanted, in memory. Callers that need it at the same time share one read.
 * @param isFresh whether a value that was read this many milliseconds ago may still be used
 */
export function createWantedCache(
  read: () => Promise<WantedEvents>,
  isFresh: (age: number) => boolean,
): WantedCache {
  let known: { value: Promise<WantedEvents>; at: number } | null = null;
  return {
    get() {
      if (known && isFresh(performance.now() - known.at)) return known.value;
      const reading = { value: read(), at: performance.now() };
      known = reading;
      reading.value.catch(() => {
        if (known === reading) known = null;
      });
      return reading.value;
    },
    forget() {
      known = null;
    },
  };
}
