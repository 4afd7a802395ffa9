import type { Datetime } from '../../domain/datetime.ts';
import type { License } from '../../domain/licenses/license.ts';

/** Maximum number of rows that one call counts. The caller continues after them. */
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

/** A place in the order of activations: by license, then by id. */
export interface SeatPlace {
  licenseId: number;
  /** Null for the place after all activations of the license. */
  id: number | null;
}

export interface ReleaseDownloads {
  releaseId: number;
  downloads: number;
}

export interface ReleaseChecks {
  releaseId: number;
  /** Number of update checks by programs of this release. */
  checks: number;
}

/** A time span; `before` is exclusive. */
export interface Span {
  from: Datetime;
  before: Datetime;
}

/** Licenses that were renewed on a UTC day, YYYY-MM-DD. */
export interface RenewalCount {
  day: string;
  /** Null for licenses without a product. */
  productId: number | null;
  renewals: number;
}

/** Counts for the dashboard: for one product, or for all if `productId` is null. */
export interface Reports {
  /** Counts licenses created in a span, after a place. */
  licensesMade(span: Span, behind: MadePlace | null, productId: number | null): Promise<Counted<MadePlace>>;
  /** Counts licenses of a status or of a product, with a higher id. */
  licensesOf(
    which: { status: number } | { productId: number },
    behind: number | null,
  ): Promise<Counted<number>>;
  /** Counts activations that are not deactivated, after a place. */
  seatsTaken(behind: SeatPlace | null): Promise<Counted<SeatPlace>>;
  /** Counts those of them whose seats have lapsed, up to a license. @param atMost how many seats to look at */
  seatsLapsed(now: Datetime, licenseId: number, atMost: number): Promise<number>;
  /** Licenses that expire in a span, the soonest first. */
  expiring(span: Span, limit: number, productId: number | null): Promise<License[]>;
  /** Counts the licenses that expire in a span, up to a limit. */
  countExpiring(span: Span, limit: number, productId: number | null): Promise<number>;
  /** Number of licenses renewed on a UTC day, YYYY-MM-DD. */
  renewalsOn(day: string, productId: number | null): Promise<number>;
  /** Number of downloads on a UTC day, YYYY-MM-DD. The downloads of a product are those of software that names it. */
  downloadsOn(day: string, productId: number | null): Promise<number>;
  /** The releases with the most downloads since a UTC day, YYYY-MM-DD, most first. */
  mostDownloaded(since: string, limit: number, productId: number | null): Promise<ReleaseDownloads[]>;
  /** The releases with the most update checks since a UTC day, YYYY-MM-DD, most first. */
  mostChecked(since: string, limit: number, productId: number | null): Promise<ReleaseChecks[]>;
  /** Number of update checks since a UTC day, YYYY-MM-DD. */
  checksSince(since: string, productId: number | null): Promise<number>;
}

export interface ReportWrites {
  /** Adds to the counts of renewals. Must be the last change of a command. */
  countRenewals(counts: readonly RenewalCount[]): Promise<void>;
  /** Adds to the update checks of a UTC day, YYYY-MM-DD, in the order given. */
  countChecks(day: string, counts: readonly ReleaseChecks[]): Promise<void>;
}
