import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { Page, PageById } from '../store.ts';

/** What a query of a page asks for: those up to an id, and one more than wanted, which tells that there are others. */
export interface Asked extends Page {
  upTo: number;
}
export const askedOf = ({ before, offset, limit }: PageById): Asked =>
  before === null
    ? { upTo: MAX_REFERENCE, offset, limit: limit + 1 }
    : { upTo: before - 1, offset: 0, limit: limit + 1 };

export const pageOf = <T>(rows: T[], { limit }: PageById): { items: T[]; more: boolean } => ({
  items: rows.slice(0, limit),
  more: rows.length > limit,
});
