import { createWantedCache, watchEndpoints } from '../sql/events/wanted-cache.ts';
import type { Transaction } from '../store.ts';

/**
 * Reads which events are wanted once, not in each command, and again after another connection has committed anything,
 * or this one has changed an endpoint. A transaction that has changed an endpoint reads them each time, because the
 * change may be rolled back.
 * @param version a number that changes with every commit of another connection
 */
export function rememberWanted(transaction: Transaction, version: () => number) {
  const { events, endpoints } = transaction;
  const cache = createWantedCache(events.wanted, () => true);
  let seen = Number.NaN;
  let isChanged = false;
  const changed = async <Result>(result: Result): Promise<Result> => {
    isChanged = true;
    return result;
  };
  return {
    transaction: {
      ...transaction,
      events: { ...events, wanted: () => (isChanged ? events.wanted() : cache.get()) },
      endpoints: watchEndpoints(endpoints, changed),
    },
    /** Call it when a transaction has begun: from then on no other connection can change anything. */
    begun(): void {
      const now = version();
      if (isChanged || now !== seen) cache.forget();
      seen = now;
      isChanged = false;
    },
  };
}
