import { addressOf, customerOf, keyOf, labelOf, orderOf } from './dataset.ts';

/** Returns what a user types into the search of the console, by name. */
export function searchesOf(licenses: number): Record<string, string> {
  const some = Math.floor(licenses / 2);
  return {
    'whole key': keyOf(some),
    'end of a key': keyOf(some).slice(-5),
    'start of a key': keyOf(some).slice(0, 8),
    order: `order:${orderOf(some)}`,
    'digits only': String(orderOf(some)),
    customer: `customer:${customerOf(some)}`,
    'product, a twentieth of all': 'product:103',
    label: labelOf(some),
    'start of a label that all share': 'shop-',
    address: addressOf(some),
    'found nowhere': 'nobody has this',
  };
}

/** Query strings of the console's list by the name of their filter, in the default order of that filter. */
export const FILTERS: Record<string, string> = {
  'status disabled': 'status=disabled',
  'expires soon': 'expiry=soon&sort=expires',
  expired: 'expiry=expired&sort=-expires',
  'expired and inactive': 'expiry=expired&status=inactive&sort=-expires',
};
