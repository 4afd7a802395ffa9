import type { RequestLease } from '../../store/store.ts';
import { defineCommand } from '../command.ts';

export interface LeaseRequests {
  /** The name that the client is counted by, mostly its address. */
  address: string;
  /** Requests of a client in that time, on all nodes together. */
  limit: number;
  /** Milliseconds that it is counted for. */
  lasts: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Gives a node some of the requests that a client may make: it answers them without asking again. */
export const leaseRequests = defineCommand({
  name: 'lease-requests',
  guarded: true,
  audit: { never: 'counters of the present minute' },
  run: ({ requestCounts }, { address, limit, lasts, at }: LeaseRequests): Promise<RequestLease> =>
    requestCounts.lease(address, limit, at, lasts),
});

/** Deletes the counts whose time is over. */
export const forgetRequestCounts = defineCommand({
  name: 'forget-request-counts',
  guarded: true,
  audit: { never: 'counters of a minute that is over' },
  run: async ({ requestCounts }, { at }: { at: number }): Promise<null> => {
    await requestCounts.forget(at);
    return null;
  },
});
