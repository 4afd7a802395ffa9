import type { Datetime } from '../../domain/datetime.ts';
import { isExpired, type License } from '../../domain/license.ts';
import { writeCsvText } from './csv-text.ts';
import { NEVER } from './import-licenses.ts';

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
export type Column = (typeof COLUMNS)[number];

/** How values are written in a cell. */
export const CAST = { boolean: (value: boolean) => String(value) };

/** The cells of a license, such that an import of all columns makes the same license. */
export function cellsOf(license: License, now: Datetime, columns: readonly Column[] = COLUMNS): unknown[] {
  // With an empty expires_at an import would reckon it from valid_for.
  const never = license.expiresAt === null && license.validFor > 0;
  const cells: Record<Column, unknown> = {
    license_key: writeCsvText(license.key),
    id: license.id,
    order_id: license.orderId,
    product_id: license.productId,
    user_id: license.userId,
    expires_at: never ? NEVER : license.expiresAt,
    valid_for: license.validFor,
    source: license.source,
    status: license.status,
    times_activated: license.timesActivated,
    activations_limit: license.activationsLimit,
    is_expired: isExpired(license, now),
    created_at: license.createdAt,
    created_by: license.createdBy,
    updated_at: license.updatedAt,
    updated_by: license.updatedBy,
  };
  return columns.map((name) => cells[name]);
}
