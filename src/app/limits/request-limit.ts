import { SYSTEM } from '../../domain/actor.ts';
import type { Clock } from '../../domain/datetime.ts';
import type { RequestLease } from '../../store/store.ts';
import type { Execute } from '../execute.ts';

export interface Quota {
  quota: number;
  /** The period in milliseconds, from the first request on. */
  lasts: number;
}

/** The state of a limit after one more request. */
export interface Counted {
  allowed: boolean;
  /** Remaining requests, as far as this process knows. */
  left: number;
  /** Milliseconds until the period ends. */
  wait: number;
}

/** A limit on the requests of each client in a period. */
export interface RequestLimit extends Quota {
  /** Counts one request. */
  take(client: string): Promise<Counted>;
  /** Milliseconds for which this process knows that the client is over the limit; 0 if it is not. Counts nothing. */
  refusedFor(client: string): number;
}

/** Clients in memory. A client that is evicted loses the rest of its lease. */
const CLIENTS_MAX = 10_000;
const FORGET_MS = 60_000;
/** Timeout of the shared count in milliseconds. After it, this process counts alone. */
const TIMEOUT_MS = 500;

/**
 * Returns a limit shared by all processes. If the database does not answer in time, each process counts alone.
 * @param name prefix of the clients' names in the table, which several limits share; may be ""
 */
export function createSharedLimit(execute: Execute, clock: Clock, quota: Quota, name: string): RequestLimit {
  const shared = createStrictLimit(execute, clock, quota, name);
  const local = createLocalLimit(clock, quota);
  return {
    ...quota,
    take: (client) => inTime(shared.take(client)).catch(() => local.take(client)),
    refusedFor: (client) => shared.refusedFor(client) || local.refusedFor(client),
  };
}

/**
 * Returns a limit that is counted only in the database. Each process leases some of a client's requests at a time, fewer as
 * the client nears the limit. The limit is therefore exact across processes, most requests need no query, and a client over
 * the limit causes one query per period. Neither a restart nor requests of many other clients reset a client's count.
 * `take` throws StoreUnavailable if the database does not answer.
 */
export function createStrictLimit(execute: Execute, clock: Clock, quota: Quota, name: string): RequestLimit {
  let forgotten = 0;
  return createLimit(clock, quota, async (client) => {
    if (Math.abs(clock() - forgotten) > FORGET_MS) {
      forgotten = clock();
      execute('forget-request-counts', { at: forgotten }, SYSTEM).catch(() => {});
    }
    const { quota: limit, lasts } = quota;
    return execute('lease-requests', { address: name + client, limit, lasts, at: clock() }, SYSTEM);
  });
}

/** Returns a limit that this process counts alone: it leases the whole quota at once. */
export function createLocalLimit(clock: Clock, quota: Quota): RequestLimit {
  return createLimit(clock, quota, async () => ({
    requests: quota.quota,
    beyond: 0,
    until: clock() + quota.lasts,
  }));
}

function createLimit(
  clock: Clock,
  quota: Quota,
  lease: (client: string) => Promise<RequestLease>,
): RequestLimit {
  const leases = new Map<string, RequestLease>();
  const renewing = new Map<string, Promise<void>>();

  async function renew(client: string): Promise<void> {
    const renewed = await lease(client);
    leases.delete(client);
    if (leases.size >= CLIENTS_MAX) leases.delete(leases.keys().next().value as string);
    leases.set(client, { ...renewed });
  }

  /** Concurrent requests of a client wait for the same renewal. */
  function renewOnce(client: string): Promise<void> {
    const renewal = renewing.get(client) ?? renew(client).finally(() => renewing.delete(client));
    renewing.set(client, renewal);
    return renewal;
  }

  /** Returns the milliseconds left of the period; 0 if it has ended, or if the clock was set back since it began. */
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
        await renewOnce(client);
      }
    },
    refusedFor(client) {
      const known = leases.get(client);
      return known && known.requests + known.beyond === 0 ? waitOf(known) : 0;
    },
  };
}

/**
 * Rejects after TIMEOUT_MS. If this process itself was delayed, the answer may have arrived meanwhile: it is read before
 * `setImmediate`.
 */
function inTime<T>(counting: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timeOut = () => reject(new Error('the shared request count timed out'));
    const timer = setTimeout(() => setImmediate(timeOut), TIMEOUT_MS);
    counting.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
