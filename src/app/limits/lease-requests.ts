import type { RequestLease } from '../../store/store.ts';
import { defineCommand } from '../command.ts';

interface LeaseRequests {
  /** The client, by its address or another name. */
  address: string;
  /** Requests of the client in the period, on all nodes together. */
  limit: number;
  /** The period in milliseconds. */
  lasts: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Leases some of a client's remaining requests to a node, which counts them without the database. */
export const leaseRequests = defineCommand({
  name: 'lease-requests',
  guarded: true,
  audit: { never: 'counters of the present period' },
  run: ({ requestCounts }, { address, limit, lasts, at }: LeaseRequests): Promise<RequestLease> =>
    requestCounts.lease(address, limit, at, lasts),
});

/** Deletes the counts of past periods. */
export const forgetRequestCounts = defineCommand({
  name: 'forget-request-counts',
  guarded: true,
  audit: { never: 'counters of past periods' },
  run: async ({ requestCounts }, { at }: { at: number }): Promise<null> => {
    await requestCounts.forget(at);
    return null;
  },
});
