import { numberedName, optional, reference, text } from '../../domain/fields.ts';
import {
  LICENSE_SOURCE,
  type LicenseFilter,
  licenseRef,
  type licenseShape,
  licenseStatus,
} from '../../domain/license.ts';
import { commaSeparated, type Meanings, readFlags } from '../flags.ts';
import type { Given } from '../settings.ts';

export const LICENSE_MEANINGS: Meanings<typeof licenseShape> = {
  licenseKey: ['key', 'The key, 1 to 255 characters, kept as it is'],
  validFor: ['days', 'Days from now until it expires; 0 for none (default: 0)'],
  status: ['name', 'sold, delivered, active, inactive, disabled, or 1 to 5 (default: active)'],
  activationsLimit: ['n', 'Activations valid at a time; 0 for no limit (default: 0)'],
  orderId: ['id', 'Order that it belongs to'],
  productId: ['id', 'Product that it is for'],
  userId: ['id', 'User that it belongs to'],
  expiresAt: ['date', 'When it expires, UTC: "YYYY-MM-DD HH:MM:SS", YYYY-MM-DD or RFC 3339'],
};

/** Which licenses: the filters of the API. */
export const filterShape = {
  status: optional(commaSeparated(licenseStatus)),
  licenseKey: optional(text({ min: 1, max: 255 })),
  orderId: optional(reference()),
  productId: optional(reference()),
  userId: optional(reference()),
  source: optional(numberedName(Object.keys(LICENSE_SOURCE))),
};
export const FILTER_MEANINGS: Meanings<typeof filterShape> = {
  status: ['names', 'Only of these statuses: sold, delivered, active, inactive, disabled, or 1 to 5'],
  licenseKey: ['key', 'Only this license, by key or hashed-{hash}'],
  orderId: ['id', 'Only of this order'],
  productId: ['id', 'Only of this product'],
  userId: ['id', 'Only of this user'],
  source: ['name', 'Only from here: generator, import, api, migration, or 1 to 4'],
};

/** @throws Failure that names the flags */
export function filterOf(given: Given): LicenseFilter {
  const { licenseKey, ...rest } = readFlags(filterShape, given);
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
    ...(licenseKey !== null && { license: licenseRef(licenseKey) }),
  };
}
