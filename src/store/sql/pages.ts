import { MAX_REFERENCE } from '../../domain/fields.ts';
import type { Page, PageById } from '../store.ts';

/** Values of a page's query. Its limit is one more than the page holds, to learn whether more rows follow. */
export interface PageQuery extends Page {
  upTo: number;
}
export const pageValues = ({ before, offset, limit }: PageById): PageQuery =>
  before === null
    ? { upTo: MAX_REFERENCE, offset, limit: limit + 1 }
    : { upTo: before - 1, offset: 0, limit: limit + 1 };

export const pageOfRows = <T>(rows: T[], { limit }: PageById): { items: T[]; more: boolean } => ({
  items: rows.slice(0, limit),
  more: rows.length > limit,
});
