import type { Datetime } from '../../domain/datetime.ts';
import type { License } from '../../domain/license.ts';

/** What the dashboard sums up. Of what may be a million, so many are counted at once, and whoever asks goes on behind them. */

export const COUNTED_AT_ONCE = 10_000;

/** A part of a count. */
export interface Counted<Place> {
  count: number;
  /** Behind which others may come; null where these were the last. */
  last: Place | null;
}

/** A place in the order in which licenses were made. */
export interface MadePlace {
  at: Datetime;
  /** Behind all that were made then, where it is null: an import makes a million at one time. */
  id: number | null;
}

/** From a time on, and before another. */
export interface Span {
  from: Datetime;
  before: Datetime;
}

export interface Reports {
  /** Licenses that were made in a span and are still there, those behind a place. */
  licensesMade(span: Span, behind: MadePlace | null): Promise<Counted<MadePlace>>;
  /** Licenses of a status, those with a higher id. */
  licensesOfStatus(status: number, behind: number | null): Promise<Counted<number>>;
  /** Licenses that expire in a span, first those that do soonest. */
  expiring(span: Span, limit: number): Promise<License[]>;
  /** How many do, where they are no more than a limit; that many where they are. */
  countExpiring(span: Span, limit: number): Promise<number>;
  /** Of all releases on a day, YYYY-MM-DD, UTC. */
  downloadsOn(day: string): Promise<number>;
}
