import type { RequestLease } from '../store/store.ts';
import type { Clock, Execute } from './execute.ts';
import { SYSTEM } from './set-up.ts';

/** A limit on the requests of each address that holds over all nodes together. */
export interface RequestLimit {
  /** Whether one more request is within the limit, and how many milliseconds later the count begins anew. */
  take(address: string): Promise<{ allowed: boolean; left: number; wait: number }>;
}

/** Addresses remembered; of one that is forgotten, what was left of its lease is lost. */
const ADDRESSES_MAX = 10_000;
const FORGET_EVERY_MS = 60_000;
/** No lease is for longer, in milliseconds: one that seems to be is of before the clock was set back. */
const MINUTE_MS = 60_000;

/**
 * Each node leases some requests at a time for an address, fewer and fewer as the limit comes near. So the limit is
 * never passed, most requests ask the database nothing, and an address that is past its limit asks it once a minute.
 */
export function createRequestLimit(execute: Execute, clock: Clock, limit: number): RequestLimit {
  const leases = new Map<string, RequestLease & { isLast: boolean }>();
  const asking = new Map<string, Promise<void>>();
  let forgotten = 0;

  async function lease(address: string): Promise<void> {
    const got = await execute('lease-requests', { address, limit, at: clock() }, SYSTEM);
    leases.delete(address);
    if (leases.size >= ADDRESSES_MAX) leases.delete(leases.keys().next().value as string);
    leases.set(address, { ...got, isLast: got.requests === 0 });
  }

  /** Once for all requests that wait for it. */
  function ask(address: string): Promise<void> {
    const asked = asking.get(address) ?? lease(address).finally(() => asking.delete(address));
    asking.set(address, asked);
    return asked;
  }

  return {
    async take(address) {
      if (Math.abs(clock() - forgotten) > FORGET_EVERY_MS) {
        forgotten = clock();
        execute('forget-request-counts', { at: forgotten }, SYSTEM).catch(() => {});
      }
      for (;;) {
        const known = leases.get(address);
        const wait = known ? known.until - clock() : 0;
        if (known && wait > 0 && wait <= MINUTE_MS) {
          if (known.requests > 0) return { allowed: true, left: --known.requests, wait };
          if (known.isLast) return { allowed: false, left: 0, wait };
        }
        await ask(address);
      }
    },
  };
}
