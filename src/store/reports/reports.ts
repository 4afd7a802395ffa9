import type { Datetime } from '../../domain/datetime.ts';
import type { License } from '../../domain/license.ts';

/** Rows that one call counts. The caller continues after them. */
export const COUNTED_AT_ONCE = 10_000;

/** A part of a count. */
export interface Counted<Place> {
  count: number;
  /** Where to continue; null at the end. */
  last: Place | null;
}

/** A place in the order of creation. */
export interface MadePlace {
  at: Datetime;
  /** Null for the place after all licenses of that time: an import creates many at once. */
  id: number | null;
}

/** A place among activations, by license. */
export interface SeatPlace {
  licenseId: number;
  /** Null for the place after all activations of the license. */
  id: number | null;
}

export interface ReleaseDownloads {
  releaseId: number;
  downloads: number;
}

/** A time span; `before` is exclusive. */
export interface Span {
  from: Datetime;
  before: Datetime;
}

export interface Reports {
  /** Counts licenses created in a span, after a place. */
  licensesMade(span: Span, behind: MadePlace | null): Promise<Counted<MadePlace>>;
  /** Counts licenses of a status, with a higher id. */
  licensesOfStatus(status: number, behind: number | null): Promise<Counted<number>>;
  /** Counts activations that are not deactivated, after a place. */
  seatsTaken(behind: SeatPlace | null): Promise<Counted<SeatPlace>>;
  /** Licenses that expire in a span, the soonest first. */
  expiring(span: Span, limit: number): Promise<License[]>;
  /** Counts the licenses that expire in a span, up to a limit. */
  countExpiring(span: Span, limit: number): Promise<number>;
  /** Downloads of all releases on a UTC day, YYYY-MM-DD. */
  downloadsOn(day: string): Promise<number>;
  /** The releases with the most downloads since a UTC day, YYYY-MM-DD, most first. */
  mostDownloaded(since: string, limit: number): Promise<ReleaseDownloads[]>;
}
