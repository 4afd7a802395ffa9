import { NEVER } from '../app/import-licenses.ts';
import type { License } from '../domain/license.ts';
import { type Presented, presentLicense } from './present.ts';

/** The columns of an export: the key, then the fields of the API. An import passes over what it cannot set. */
export const COLUMNS = [
  'license_key',
  'id',
  'order_id',
  'product_id',
  'user_id',
  'expires_at',
  'valid_for',
  'source',
  'status',
  'times_activated',
  'activations_limit',
  'is_expired',
  'created_at',
  'created_by',
  'updated_at',
  'updated_by',
] as const;

/** The cells of a license, such that an import of them makes the same license. */
export function cellsOf(license: License, now: string): unknown[] {
  const presented = presentLicense(license, '', now) as Presented;
  // With an empty expires_at an import would reckon it from valid_for.
  const never = license.expiresAt === null && license.validFor > 0;
  return COLUMNS.map((name) => (name === 'expires_at' && never ? NEVER : presented[name]));
}
