import type { Clock } from '../../domain/datetime.ts';
import type { RequestLease } from '../../store/store.ts';
import type { Execute } from '../execute.ts';
import { SYSTEM } from '../people/set-up.ts';

/** How many are allowed. */
export interface Quota {
  quota: number;
  /** Milliseconds from the first of them on. */
  lasts: number;
}

/** How one more of something stands to its limit. */
export interface Counted {
  allowed: boolean;
  /** How many more are within the limit, as far as this process knows. */
  left: number;
  /** Milliseconds until the count begins anew. */
  wait: number;
}

/** A limit on what each client does in a time. */
export interface RequestLimit extends Quota {
  /** Counts one. */
  take(client: string): Promise<Counted>;
  /** Milliseconds for which this process knows that a client is past its limit; 0 where it does not. Counts nothing. */
  refusedFor(client: string): number;
}

/** Gives some of what a client may still do in its time; none where that is nothing. */
type Lease = (client: string) => Promise<RequestLease>;

/** Clients remembered; of one that is forgotten, what was left of its lease is lost. */
const CLIENTS_MAX = 10_000;
const FORGET_MS = 60_000;
/** Milliseconds that counting on all nodes together may take; what takes longer is counted by this process alone. */
const COUNT_MS = 500;

/**
 * A limit that holds over all processes together.
 * Each leases some at a time for a client, fewer and fewer as the limit comes near. So the limit is never passed, most
 * requests ask the database nothing, and a client that is past its limit asks it once until its time is over.
 * @param name stands before what a client is called, where several limits count in one table; "" for none
 */
export function createSharedLimit(execute: Execute, clock: Clock, quota: Quota, name: string): RequestLimit {
  let forgotten = 0;
  const together = createLimit(clock, quota, async (client) => {
    if (Math.abs(clock() - forgotten) > FORGET_MS) {
      forgotten = clock();
      execute('forget-request-counts', { at: forgotten }, SYSTEM).catch(() => {});
    }
    const { quota: limit, lasts } = quota;
    return execute('lease-requests', { address: name + client, limit, lasts, at: clock() }, SYSTEM);
  });
  const alone = createLocalLimit(clock, quota);
  return {
    ...quota,
    take: (client) => inTime(together.take(client)).catch(() => alone.take(client)),
    refusedFor: (client) => together.refusedFor(client) || alone.refusedFor(client),
  };
}

/** A limit that this process counts by itself: the first lease is all there is. */
export function createLocalLimit(clock: Clock, quota: Quota): RequestLimit {
  return createLimit(clock, quota, async () => ({
    requests: quota.quota,
    beyond: 0,
    until: clock() + quota.lasts,
  }));
}

function createLimit(clock: Clock, quota: Quota, lease: Lease): RequestLimit {
  const leases = new Map<string, RequestLease>();
  const asking = new Map<string, Promise<void>>();

  async function renew(client: string): Promise<void> {
    const got = await lease(client);
    leases.delete(client);
    if (leases.size >= CLIENTS_MAX) leases.delete(leases.keys().next().value as string);
    leases.set(client, { ...got });
  }

  /** Once for all that wait for it. */
  function ask(client: string): Promise<void> {
    const asked = asking.get(client) ?? renew(client).finally(() => asking.delete(client));
    asking.set(client, asked);
    return asked;
  }

  /** None for a time that is over, or that began by a clock which was set back since. */
  function waitOf({ until }: RequestLease): number {
    const wait = until - clock();
    return wait > 0 && wait <= quota.lasts ? wait : 0;
  }
  return {
    ...quota,
    async take(client) {
      for (;;) {
        const known = leases.get(client);
        const wait = known ? waitOf(known) : 0;
        if (known && wait > 0) {
          if (known.requests > 0) {
            known.requests--;
            return { allowed: true, left: known.requests + known.beyond, wait };
          }
          if (known.beyond === 0) return { allowed: false, left: 0, wait };
        }
        await ask(client);
      }
    },
    refusedFor(client) {
      const known = leases.get(client);
      return known && known.requests + known.beyond === 0 ? waitOf(known) : 0;
    },
  };
}

function inTime<T>(counting: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error('it could not be counted in time'));
    const timer = setTimeout(late, COUNT_MS);
    counting.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
