import type { Tally } from '../../metrics/tally.ts';

/** Measurements of the engine since it was opened, and its current load. */
export interface StoreFigures {
  /** Number of changes that wait or are in progress. */
  pending: number;
  /** SQLite's writer thread: seconds of each commit to disk, and the changes that shared it; null for PostgreSQL. */
  commits: { seconds: Tally; changes: Tally } | null;
  /** PostgreSQL's pools of connections; none for SQLite. */
  pools: readonly PoolFigures[];
}

export interface PoolFigures {
  name: 'look-ups' | 'changes' | 'lists' | 'replica look-ups' | 'replica lists';
  /** Maximum number of connections, number of open ones, and how many of these are idle. */
  max: number;
  open: number;
  idle: number;
  /** Number of requests that wait for a connection. */
  waiting: number;
}
