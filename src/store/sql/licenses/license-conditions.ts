import { sql } from 'kysely';
import { type LicenseOrder, orderedBy } from '../../../domain/licenses/license-order.ts';
import type { LicenseSearch } from '../../../domain/licenses/license-search.ts';
import type { Condition } from './bounded-scan.ts';
import { isNoted, isTagged } from './notes.ts';
import type { OrderedFilter } from './ordered-licenses.ts';

export const is = (column: string, value: unknown): Condition =>
  sql<boolean>`${sql.ref(`licenses.${column}`)} = ${value}`;

/** Conditions of a filter. `ordered` are those that an index answers in the order of ids. */
export function conditionsOf(filter: LicenseSearch) {
  const { orderId, userId, productId, status, source, expiry, createdAt, tag } = filter;
  const values = { order_id: orderId, user_id: userId, product_id: productId };
  const ordered = Object.entries({ ...values, status: status?.length === 1 ? status[0] : undefined, source })
    .filter(([, value]) => value !== undefined)
    .map(([column, value]) => is(column, value));
  if (expiry === 'never') ordered.push(sql<boolean>`licenses.expires_at is null`);
  const filters: Condition[] = [];
  if (status?.length === 0) filters.push(sql`1 = 0`);
  else if (status && status.length > 1) filters.push(sql`licenses.status in (${sql.join(status)})`);
  return {
    ordered,
    filters,
    tagged: tag === undefined ? null : isTagged(tag),
    range: rangeOf(expiry === 'never' ? undefined : expiry, createdAt),
  };
}

/** All conditions of a filter except its ids, each as a condition on one license. */
export function allOf(filter: LicenseSearch): Condition[] {
  const { ordered, filters, range, tagged } = conditionsOf(filter);
  return [...ordered, ...filters, ...(range ? [range] : []), ...(tagged ? [isNoted(tagged)] : [])];
}

/** The conditions of a filter. Conditions on the column that is sorted by become `bounds`. */
export function inOrderOf(filter: LicenseSearch, sort: LicenseOrder): OrderedFilter {
  const { expiry, createdAt, ...rest } = filter;
  const { column } = orderedBy(sort);
  if (column === 'expires_at' && expiry !== 'never')
    return {
      filters: allOf({ ...rest, ...(createdAt && { createdAt }) }),
      bounds: rangeOf(expiry, undefined),
    };
  if (column === 'created_at')
    return { filters: allOf({ ...rest, ...(expiry && { expiry }) }), bounds: rangeOf(undefined, createdAt) };
  return { filters: allOf(filter), bounds: null };
}

function rangeOf(
  expiry: Exclude<LicenseSearch['expiry'], 'never'>,
  created: LicenseSearch['createdAt'],
): Condition | null {
  const bounds: Condition[] = [];
  if (expiry && expiry.from !== null) bounds.push(sql`licenses.expires_at >= ${expiry.from}`);
  if (expiry && expiry.before !== null) bounds.push(sql`licenses.expires_at < ${expiry.before}`);
  if (created && created.from !== null) bounds.push(sql`licenses.created_at >= ${created.from}`);
  if (created && created.before !== null) bounds.push(sql`licenses.created_at < ${created.before}`);
  return bounds.length === 0 ? null : sql<boolean>`${sql.join(bounds, sql` and `)}`;
}
