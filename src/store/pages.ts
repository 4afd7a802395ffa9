export interface Page {
  /** Records to pass over. */
  offset: number;
  /** Records at most. */
  limit: number;
}
/** A page of what is listed by id, the highest first. */
export interface PageById extends Page {
  /** Begin behind the record of this id, whether it is still there or not, instead of passing any over; null for no. */
  before: number | null;
}
export interface Listed<T> {
  items: T[];
  /** Records that match, on all pages. */
  total: number;
}
export interface ListedById<T> extends Listed<T> {
  /** Whether there are others behind these. */
  more: boolean;
}
