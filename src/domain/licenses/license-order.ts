import type { Datetime } from '../datetime.ts';
import { bad, type Field, MAX_REFERENCE, oneOf, optional } from '../fields.ts';

/** What licenses can be sorted by. Each column has an index together with the id. `isOptional`: it may be null. */
const SORTED_BY = {
  created: { column: 'created_at', isTime: true, isOptional: false },
  expires: { column: 'expires_at', isTime: true, isOptional: true },
  status: { column: 'status', isTime: false, isOptional: false },
  product: { column: 'product_id', isTime: false, isOptional: true },
  order: { column: 'order_id', isTime: false, isOptional: true },
  customer: { column: 'user_id', isTime: false, isOptional: true },
} as const;
type Sorted = keyof typeof SORTED_BY;

/** The orders of a list of licenses besides newest first. A minus means highest first. */
export type LicenseOrder = Sorted | `-${Sorted}`;
const ORDERS = (Object.keys(SORTED_BY) as Sorted[]).flatMap((by): LicenseOrder[] => [by, `-${by}`]);

/** The place of a license in an order: its value and its id. Licenses without a value (null) come last. */
export interface OrderPlace {
  value: Datetime | number | null;
  id: number;
}

const PLACE = /^(?:(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)|(\d{1,16}))?\.(\d{1,16})$/;
const place: Field<OrderPlace> = {
  schema: { type: 'string', pattern: PLACE.source, description: 'With `sort`: `next` of the previous page' },
  read(value) {
    const [found, time, number, id] = PLACE.exec(typeof value === 'string' ? value : '') ?? [];
    if (!found || [number, id].some((one) => Number(one ?? 0) > MAX_REFERENCE)) return bad('not_a_place');
    return { ok: true, value: { value: time ?? (number ? Number(number) : null), id: Number(id) } };
  },
};
export const placeText = ({ value, id }: OrderPlace): string => `${value ?? ''}.${id}`;

/** The parameters of an order. */
export const orderShape = {
  sort: optional(oneOf(ORDERS, 'The order, instead of newest first; a minus for the highest first')),
  after: optional(place),
};

export const orderedBy = (order: LicenseOrder) => ({
  ...SORTED_BY[order.replace('-', '') as Sorted],
  isUp: !order.startsWith('-'),
});

/** Whether a place can belong to an order. */
export function isPlaceOf(order: LicenseOrder, { value }: OrderPlace): boolean {
  const { isTime, isOptional } = orderedBy(order);
  return value === null ? isOptional : (typeof value === 'string') === isTime;
}

/** Compares two places in an order. Returns a negative number if `one` comes first. */
export function compareIn(order: LicenseOrder, one: OrderPlace, other: OrderPlace): number {
  if (one.value === null || other.value === null)
    return Number(one.value === null) - Number(other.value === null) || other.id - one.id;
  const up = one.value < other.value ? -1 : one.value > other.value ? 1 : one.id - other.id;
  return orderedBy(order).isUp ? up : -up;
}
