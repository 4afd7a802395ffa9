import type { LicenseOrder, OrderPlace } from '../domain/licenses/license-order.ts';

export interface Page {
  /** Number of records to skip. */
  offset: number;
  /** Maximum number of records. */
  limit: number;
}
/** A page of a list by id, highest first. */
export interface PageById extends Page {
  /** List only ids below this one, which need not exist, instead of skipping records. Null to use `offset`. */
  before: number | null;
}
export interface Listed<T> {
  items: T[];
  /** Number of matching records on all pages. */
  total: number;
}
export interface ListedById<T> extends Listed<T> {
  /** Whether more records follow. */
  more: boolean;
}

/** A page of search results, newest first. */
export interface SearchPage {
  /** Only records with a lower id; null for the first page. */
  before: number | null;
  limit: number;
  /** Whether to count all matches. */
  counted: boolean;
}

/** A page of license search results, newest first or in another order. */
export interface LicenseSearchPage extends SearchPage {
  /** Null for newest first. */
  sort?: LicenseOrder | null;
  /** With `sort`, used instead of `before`: only records after this place. */
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
