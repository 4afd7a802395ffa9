import type { LicenseOrder, OrderPlace } from '../domain/licenses/license-order.ts';

export interface Page {
  /** Records to skip. */
  offset: number;
  /** Records at most. */
  limit: number;
}
/** A page of a list by id, highest first. */
export interface PageById extends Page {
  /** Start below this id instead of skipping records, whether the record exists or not; null for no. */
  before: number | null;
}
export interface Listed<T> {
  items: T[];
  /** Records that match, on all pages. */
  total: number;
}
export interface ListedById<T> extends Listed<T> {
  /** Whether more records follow. */
  more: boolean;
}

/** A page of search results, newest first. */
export interface SearchPage {
  /** Only records with a lower id; null for the newest. */
  before: number | null;
  limit: number;
  /** Whether to count all matches. */
  counted: boolean;
}

/** The same in another order of licenses. */
export interface LicenseSearchPage extends SearchPage {
  /** Null for newest first. */
  sort?: LicenseOrder | null;
  /** With `sort`, instead of `before`: only records behind this place. */
  after?: OrderPlace | null;
}
export interface Found<T, Place = number> {
  items: T[];
  /** `before` of the next page; null at the end. */
  next: Place | null;
  /** Matches on all pages, counted up to 10,000. */
  total: number;
  /** Whether there are, or may be, more matches than `total`. */
  totalIsMore: boolean;
}
