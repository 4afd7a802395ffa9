import type { Datetime } from '../domain/datetime.ts';

export interface HousekeepingWrites {
  /** Returns the time from which housekeeping removes old records, usually that of its last run; null before the first. */
  removesFrom(): Promise<Datetime | null>;
  setRemovesFrom(at: Datetime): Promise<void>;
}
