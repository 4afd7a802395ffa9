import type { EndpointWrites, WantedEvents } from '../../events/events.ts';

/**
 * Caches in memory which events are wanted. Concurrent callers share one read.
 * @param isFresh whether a value that was read this many milliseconds ago may still be used
 */
export function createWantedCache(read: () => Promise<WantedEvents>, isFresh: (age: number) => boolean) {
  let known: { value: Promise<WantedEvents>; at: number } | null = null;
  return {
    get(): Promise<WantedEvents> {
      if (known && isFresh(performance.now() - known.at)) return known.value;
      const reading = { value: read(), at: performance.now() };
      known = reading;
      reading.value.catch(() => {
        if (known === reading) known = null;
      });
      return reading.value;
    },
    /** Empties the cache after a change. */
    forget(): void {
      known = null;
    },
  };
}

/** Wraps endpoints: calls `changed` with the result of each change that may affect which events are wanted. */
export function watchEndpoints<Endpoints extends EndpointWrites>(
  endpoints: Endpoints,
  changed: <Result>(result: Result) => Promise<Result>,
): Endpoints {
  return {
    ...endpoints,
    insert: async (...values) => changed(await endpoints.insert(...values)),
    async update(id, changes, secrets) {
      await endpoints.update(id, changes, secrets);
      if ('state' in changes || 'types' in changes) await changed(null);
    },
    stop: async (...values) => changed(await endpoints.stop(...values)),
    delete: async (...values) => changed(await endpoints.delete(...values)),
  } satisfies EndpointWrites as Endpoints;
}
