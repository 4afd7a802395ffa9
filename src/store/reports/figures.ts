import type { Tally } from '../../metrics/tally.ts';

/** What the engine has measured since it was opened, and how busy it is now. */
export interface StoreFigures {
  /** Changes that wait or are being made. */
  pending: number;
  /** SQLite's writer thread: seconds of each commit to disk, and the changes that shared it; null for PostgreSQL. */
  commits: { seconds: Tally; changes: Tally } | null;
  /** PostgreSQL's pools of connections; none for SQLite. */
  pools: readonly PoolFigures[];
}

export interface PoolFigures {
  name: 'look-ups' | 'changes' | 'lists' | 'replica look-ups' | 'replica lists';
  /** Connections at most, those that are open, and how many of these are idle. */
  max: number;
  open: number;
  idle: number;
  /** Requests that wait for a connection. */
  waiting: number;
}
