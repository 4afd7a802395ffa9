import { addDays, type Datetime } from './datetime.ts';
import {
  type Created,
  datetime,
  type Field,
  integer,
  listOf,
  MAX_REFERENCE,
  oneOf,
  oneOrMany,
  optional,
  reference,
  text,
} from './fields.ts';
import { LICENSE_SOURCE, type LicenseStatus, licenseStatus } from './license.ts';

/** What a text that somebody looks for may be, in the words that a search names it by. */
export const TERMS = ['key', 'ending', 'order', 'product', 'customer', 'label', 'address'] as const;
export type Term = (typeof TERMS)[number];

/** One way to take what was typed. */
export type LicenseTerm =
  /** A whole key, or `hashed-{hash}`. */
  | { by: 'key'; named: string }
  /** The last characters of a key, in any case. */
  | { by: 'ending'; ending: string }
  | { by: 'order' | 'product' | 'customer'; id: number }
  /** How the label of an activation begins, in any case of A to Z. */
  | { by: 'label'; prefix: string }
  /** The address of an activation. */
  | { by: 'address'; address: string };

/** Which licenses somebody looks for; what is absent does not matter. */
export interface LicenseSearch {
  /** A license is found by any of these; by its whole key alone, where one has that. */
  terms?: readonly LicenseTerm[];
  ids?: readonly number[];
  status?: readonly LicenseStatus[];
  orderId?: number;
  productId?: number;
  userId?: number;
  source?: number;
  /** Expires at or after `from`, and before `before`; each null for no bound. */
  expiry?: 'never' | { from: Datetime | null; before: Datetime | null };
}

/** Characters of a key's end that it is indexed by, and the most that one is looked for by. */
export const ENDING = 4;
export const ENDING_MAX = 12;

/** The end of a key that it can be found by; null where it is too short to have one. */
export function endingOf(key: string): string | null {
  const characters = [...key.toUpperCase()];
  return characters.length < ENDING ? null : characters.slice(-ENDING).join('');
}

const NAMED: Readonly<Record<string, Term>> = {
  key: 'key',
  ending: 'ending',
  order: 'order',
  product: 'product',
  customer: 'customer',
  user: 'customer',
  label: 'label',
  ip: 'address',
  address: 'address',
};

/**
 * What a text can mean, the likeliest first. `#7` and `order:7` name an order, and so do the other words of `NAMED`
 * before a colon what they say; `…K7QF` is the end of a key as a masked one shows it. Any other text may be a whole
 * key; digits an order, a product or a customer; 4 to 12 characters without a space the end of a key; and all of it
 * the beginning of a label, or an address.
 * @param endingMax characters of an end that are looked for: no more than a masked key shows to whoever sees keys masked,
 * who could otherwise ask for one after the other
 */
export function termsOf(typed: string, endingMax = ENDING_MAX): LicenseTerm[] {
  const sought = typed.trim();
  const termOf = (by: Term, value: string) => termsBy(by, value, endingMax);
  const [, word = '', rest = ''] = /^([a-z]+):\s*(.+)$/is.exec(sought) ?? [];
  const named = Object.hasOwn(NAMED, word.toLowerCase()) ? NAMED[word.toLowerCase()] : undefined;
  if (named) {
    const terms = termOf(named, rest);
    // A key may begin like that, too.
    return named === 'key' ? terms : [{ by: 'key', named: sought }, ...terms];
  }
  if (/^#\d+$/.test(sought)) return [{ by: 'key', named: sought }, ...termOf('order', sought.slice(1))];
  if (sought.startsWith('…')) return termOf('ending', sought.slice(1));
  return sought === '' ? [] : TERMS.flatMap((by) => termOf(by, sought));
}

function termsBy(by: Term, value: string, endingMax: number): LicenseTerm[] {
  switch (by) {
    case 'key':
      return [{ by, named: value }];
    case 'ending': {
      const { length } = [...value.toUpperCase()];
      return length >= ENDING && length <= endingMax && !/\s/.test(value) ? [{ by, ending: value }] : [];
    }
    case 'label':
      return [{ by, prefix: value }];
    case 'address':
      return /^[0-9a-f]*[.:][0-9a-f.:]*(%[\w.-]+)?$/i.test(value) ? [{ by, address: value }] : [];
    default: {
      const id = /^\d{1,16}$/.test(value) ? Number(value) : Number.NaN;
      return id <= MAX_REFERENCE ? [{ by, id }] : [];
    }
  }
}

/** Whether the last characters of a key are these, in any case. */
export const endsWith = (key: string, ending: string): boolean =>
  key.toUpperCase().endsWith(ending.toUpperCase());

const sought: Field<string> = text({
  max: 255,
  description:
    'A whole key, its last 4 to 12 characters, an order, product or customer, the beginning of a label, an address; ' +
    '`order:`, `product:`, `customer:`, `ending:`, `label:` and `ip:` before it say which',
});

const EXPIRIES = ['expired', 'soon', 'never'] as const;
/** Days that are soon. */
const SOON = 30;
export const IDS_MAX = 500;

/** How somebody says which licenses. */
export const licenseSearchShape = {
  search: optional(sought),
  ids: optional(listOf(reference(), IDS_MAX, 'Only these licenses')),
  status: optional(oneOrMany(licenseStatus)),
  orderId: optional(reference()),
  productId: optional(reference()),
  userId: optional(reference()),
  source: optional(integer({ min: 1, max: Object.keys(LICENSE_SOURCE).length })),
  expiry: optional(oneOf(EXPIRIES)),
  soon: optional(integer({ min: 1, max: 3_650, description: `Days that are soon; ${SOON} when not sent` })),
  expiresFrom: optional(datetime),
  expiresBefore: optional(datetime),
};

/** Which licenses that is now. @param endingMax as `termsOf` has it */
export function licenseSearch(
  { search, soon, expiry, expiresFrom, expiresBefore, ...rest }: Created<typeof licenseSearchShape>,
  now: Datetime,
  endingMax = ENDING_MAX,
): LicenseSearch {
  const sent = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const expires = expiryOf(expiry, soon ?? SOON, now) ?? rangeOf(expiresFrom, expiresBefore);
  // What can be nothing finds nothing; only who has typed nothing is shown all.
  const terms = search === null || search.trim() === '' ? null : termsOf(search, endingMax);
  return { ...sent, ...(terms && { terms }), ...(expires && { expiry: expires }) };
}

function expiryOf(
  expiry: (typeof EXPIRIES)[number] | null,
  days: number,
  now: Datetime,
): LicenseSearch['expiry'] | null {
  if (expiry === null || expiry === 'never') return expiry;
  if (expiry === 'expired') return { from: null, before: now };
  return { from: now, before: addDays(now, days) };
}

const rangeOf = (from: Datetime | null, before: Datetime | null): LicenseSearch['expiry'] | null =>
  from === null && before === null ? null : { from, before };
