import type { Datetime } from './datetime.ts';
import { bad, type Field, MAX_REFERENCE, oneOf, optional } from './fields.ts';

/** The orders of a list of licenses besides newest first. A minus: the latest first. */
const ORDERS = ['created', '-created', 'expires', '-expires'] as const;
export type LicenseOrder = (typeof ORDERS)[number];

/** A license in such an order: its time, null for one that never expires, and its id. Those that never expire come last. */
export interface OrderPlace {
  at: Datetime | null;
  id: number;
}

const PLACE = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)?\.(\d{1,16})$/;
const place: Field<OrderPlace> = {
  schema: { type: 'string', pattern: PLACE.source, description: 'With `sort`: `next` of the previous page' },
  read(value) {
    const [found, at, id] = PLACE.exec(typeof value === 'string' ? value : '') ?? [];
    return found && Number(id) <= MAX_REFERENCE
      ? { ok: true, value: { at: at ?? null, id: Number(id) } }
      : bad('not_a_place');
  },
};
export const placeText = ({ at, id }: OrderPlace): string => `${at ?? ''}.${id}`;

/** The parameters of an order. */
export const orderShape = {
  sort: optional(oneOf(ORDERS, 'The order, instead of newest first; a minus for the latest first')),
  after: optional(place),
};

const isUp = (order: LicenseOrder): boolean => !order.startsWith('-');
export const orderedBy = (order: LicenseOrder) => ({
  column: order.endsWith('expires') ? ('expires_at' as const) : ('created_at' as const),
  isUp: isUp(order),
});

/** Compares two licenses for an order. */
export function compareIn(order: LicenseOrder, one: OrderPlace, other: OrderPlace): number {
  if (one.at === null || other.at === null)
    return Number(one.at === null) - Number(other.at === null) || other.id - one.id;
  const up = one.at < other.at ? -1 : one.at > other.at ? 1 : one.id - other.id;
  return isUp(order) ? up : -up;
}
