import type { LicenseFilter } from '../../src/domain/licenses/license.ts';
import type { PageById } from '../../src/store/store.ts';

/** The filters of the list of licenses, by name. */
export const FILTERS: Record<string, LicenseFilter> = {
  status: { status: [1] },
  statuses: { status: [1, 2] },
  order: { orderId: 1 },
  product: { productId: 1 },
  products: { products: [1, 2] },
  user: { userId: 1 },
  source: { source: 1 },
  key: { license: { key: 'K' } },
};

/** A page by its number, the first page, and the page after a record. */
export const page: PageById = { offset: 3000, limit: 30, before: null };
export const first: PageById = { ...page, offset: 0 };
export const behind: PageById = { ...page, before: 5 };
