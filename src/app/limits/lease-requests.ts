import type { RequestLease } from '../../store/store.ts';
import type { Command } from '../command.ts';

export interface LeaseRequests {
  /** What the client is counted by: an address, or another name. */
  address: string;
  /** Requests of a client in that time, on all nodes together. */
  limit: number;
  /** Milliseconds that it is counted for. */
  lasts: number;
  /** Milliseconds since the epoch. */
  at: number;
}

/** Gives a node some of the requests that a client may make: it answers them without asking again. */
export const leaseRequests: Command<LeaseRequests, RequestLease> = (
  { requestCounts },
  { address, limit, lasts, at },
) => requestCounts.lease(address, limit, at, lasts);
