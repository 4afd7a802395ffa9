import { addDays, type Datetime } from '../datetime.ts';
import {
  type Created,
  datetime,
  integer,
  listOf,
  MAX_REFERENCE,
  oneOf,
  oneOrMany,
  optional,
  reference,
  text,
} from '../fields.ts';
import { LICENSE_SOURCE, type LicenseStatus, licenseStatus, MASKED_FROM } from './license.ts';
import { tag, wordsOf } from './license-notes.ts';

/** The meanings of a search text. A prefix such as `order:` selects one. */
export const TERMS = [
  'key',
  'start',
  'ending',
  'order',
  'product',
  'customer',
  'email',
  'label',
  'address',
  'tag',
  'note',
] as const;
export type Term = (typeof TERMS)[number];

/** One interpretation of a search text. */
export type LicenseTerm =
  /** A whole key, or `hashed-{hash}`. */
  | { by: 'key'; named: string }
  /** The first characters of a key, ignoring case. @property isOnly whether the user searched only for this, by `start:` */
  | { by: 'start'; start: string; isOnly: boolean }
  /**
   * The last characters of a key, ignoring case.
   * @property minLength minimum length of the key, for users who see masked keys: shorter keys are masked whole
   */
  | { by: 'ending'; ending: string; minLength?: number }
  | { by: 'order' | 'product' | 'customer'; id: number }
  /** The beginning of the customer's email address, or all of it, ignoring the case of A to Z. */
  | { by: 'email'; start: string; isWhole?: true }
  /** Prefix of an activation's label, ignoring the case of A to Z. */
  | { by: 'label'; prefix: string }
  /** The address of an activation. */
  | { by: 'address'; address: string }
  | { by: 'tag'; tag: string }
  /** Prefixes of words of a note, in any order. The note must match all of them. */
  | { by: 'note'; words: string[] };

/** Filters of a search; absent ones match everything. */
export interface LicenseSearch {
  /** A license must match any of these. If the text is the whole key of a license, the search finds only that license. */
  terms?: readonly LicenseTerm[];
  ids?: readonly number[];
  status?: readonly LicenseStatus[];
  orderId?: number;
  productId?: number;
  userId?: number;
  source?: number;
  tag?: string;
  /** `from` inclusive, `before` exclusive; null for no bound. */
  expiry?: 'never' | Range;
  createdAt?: Range;
}
interface Range {
  from: Datetime | null;
  before: Datetime | null;
}

/** Length of the indexed key suffix, and maximum length of a suffix in a search. */
export const SUFFIX_LENGTH = 4;
export const SUFFIX_MAX = 12;

/** Returns the suffix by which a key is indexed; null if the key is too short. */
export function keySuffixOf(key: string): string | null {
  const characters = [...key.toUpperCase()];
  return characters.length < SUFFIX_LENGTH ? null : characters.slice(-SUFFIX_LENGTH).join('');
}

/** The words that select a term before a colon. */
const PREFIXES: Readonly<Record<string, Term>> = {
  ...(Object.fromEntries(TERMS.map((term) => [term, term])) as Record<Term, Term>),
  user: 'customer',
  ip: 'address',
};

/**
 * Returns the interpretations of a search text, likeliest first. `#7` and `order:7` are an order; `PREFIXES` lists the
 * other prefixes. `…K7QF` and `...K7QF` are a suffix, as in a masked key. Any other text may be a whole key, the prefix of
 * a label, an address, a tag or words of a note; digits also an order, a product or a customer; `Order #7` also an order; a
 * text with "@" also the start of a customer's email address, or all of it if it is in `<>`; 4 to 12 characters without a
 * space also a suffix, and 4 or more also the start of a key.
 * @param suffixMax the longest suffix to search for. For users who see masked keys, this is the length that masked keys
 *   show: with longer suffixes, or with the start of a key, they could guess a key character by character.
 */
export function termsOf(typed: string, suffixMax = SUFFIX_MAX): LicenseTerm[] {
  const text = typed.trim();
  const [, word = '', rest = ''] = /^([a-z]+):\s*(.+)$/is.exec(text) ?? [];
  const prefix = word.toLowerCase();
  const named = Object.hasOwn(PREFIXES, prefix) ? PREFIXES[prefix] : undefined;
  if (named === 'key') return termsBy('key', rest, suffixMax);
  // A whole key may look like a prefixed term too.
  const wholeKey: LicenseTerm = { by: 'key', named: text };
  if (named === 'customer' && rest.includes('@')) return [wholeKey, ...termsBy('email', rest, suffixMax)];
  if (named) return [wholeKey, ...termsBy(named, rest, suffixMax, true)];
  if (/^#\d+$/.test(text)) return [wholeKey, ...termsBy('order', text.slice(1), suffixMax)];
  const [, ending] = /^(?:…|\.{3})(.*)$/.exec(text) ?? [];
  if (ending !== undefined) return termsBy('ending', ending, suffixMax);
  return text === '' ? [] : TERMS.flatMap((by) => termsBy(by, text, suffixMax));
}

/** What word processors and mail programs make of the hyphens in a key. */
const DASHES = /[\u2010-\u2015\u2212]/g;
/** The address in `Marie Martin <marie@example.com>`, as mail programs copy it. */
const IN_BRACKETS = /<([^<>\s]+@[^<>\s]*)>/;
/** What stands before the number of an order, in the console and in the mails of shops: `Order number: #`. */
const ORDER_WORDS =
  /^(?:(?:order|bestell(?:ung)?)[\s-]*(?:(?:number|nummer|no|nr|id)\b)?[.:]*\s*)?(?:#\s*)?/i;
/** Characters without a width, which copied texts contain. */
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const AROUND = /^[\s"'“”„‘’‚«»([]+|[\s"'“”„‘’‚«»)\].,;!]+$/g;
/** A text without what a sentence or a mail program puts around it. */
const bare = (text: string): string => text.replace(INVISIBLE, '').replace(AROUND, '') || text;

/** Maximum number of words of a note that one search looks for. */
const WORDS_MAX = 8;

function termsBy(by: Term, value: string, suffixMax: number, isOnly = false): LicenseTerm[] {
  switch (by) {
    case 'start':
      return suffixMax > SUFFIX_LENGTH && [...value].length >= SUFFIX_LENGTH && !/\s/.test(value)
        ? [{ by, start: value, isOnly }]
        : [];
    case 'key':
      return [...new Set([value, value.replace(DASHES, '-'), bare(value).replace(DASHES, '-')])].map(
        (named) => ({ by, named }),
      );
    case 'ending': {
      const { length } = [...value.toUpperCase()];
      return length >= SUFFIX_LENGTH && length <= suffixMax && !/\s/.test(value)
        ? [{ by, ending: value, ...(suffixMax === SUFFIX_LENGTH && { minLength: MASKED_FROM }) }]
        : [];
    }
    case 'email': {
      const whole = IN_BRACKETS.exec(value)?.[1];
      if (whole !== undefined) return [{ by, start: whole.normalize(), isWhole: true }];
      if (value.includes('@')) return [{ by, start: bare(value).normalize() }];
      return isOnly ? [{ by, start: value.normalize() }] : [];
    }
    case 'label':
      return [{ by, prefix: value }];
    case 'tag':
      return [{ by, tag: value.trim().normalize() }];
    case 'note': {
      const words = wordsOf(value).slice(0, WORDS_MAX);
      return words.length > 0 ? [{ by, words }] : [];
    }
    case 'address': {
      const address = bare(value);
      return /^[0-9a-f]*[.:][0-9a-f.:]*(%[\w.-]+)?$/i.test(address) ? [{ by, address }] : [];
    }
    default: {
      const digits = by === 'order' ? bare(value).replace(ORDER_WORDS, '') : value;
      const id = /^\d{1,16}$/.test(digits) ? Number(digits) : Number.NaN;
      return id <= MAX_REFERENCE ? [{ by, id }] : [];
    }
  }
}

// The next three functions compare keys ignoring case.
export const beginsWith = (key: string, start: string): boolean =>
  key.toUpperCase().startsWith(start.toUpperCase());
export const isSameKey = (key: string, other: string): boolean => key.toUpperCase() === other.toUpperCase();
export const endsWith = (key: string, ending: string): boolean =>
  key.toUpperCase().endsWith(ending.toUpperCase());

const search = text({
  // The longest email address, and what may stand around it.
  max: 300,
  description:
    'A whole key, its last 4 to 12 characters, its start, an order, product or customer, the beginning of an email ' +
    'address with its "@" or all of it in <>, the beginning of a label, an IP address, a tag, the beginnings of words ' +
    'of a note. The prefixes `order:`, `product:`, `customer:`, `email:`, `start:`, `ending:`, `label:`, `ip:`, `tag:` ' +
    'and `note:` select one of these',
});

const EXPIRIES = ['expired', 'soon', 'never'] as const;
const SOON = 30;
const IDS_MAX = 500;

/** The parameters of a search. */
export const licenseSearchShape = {
  search: optional(search),
  ids: optional(listOf(reference(), IDS_MAX, 'Only these licenses')),
  status: optional(oneOrMany(licenseStatus)),
  orderId: optional(reference()),
  productId: optional(reference()),
  userId: optional(reference()),
  tag: optional(tag),
  source: optional(integer({ min: 1, max: Object.keys(LICENSE_SOURCE).length })),
  expiry: optional(oneOf(EXPIRIES)),
  soon: optional(
    integer({ min: 1, max: 3_650, description: `Days that count as soon; ${SOON} when not sent` }),
  ),
  expiresFrom: optional(datetime),
  expiresBefore: optional(datetime),
  createdFrom: optional(datetime),
  createdBefore: optional(datetime),
};

/** Returns the search for the given parameters. @param suffixMax as in `termsOf` */
export function licenseSearch(
  input: Created<typeof licenseSearchShape>,
  now: Datetime,
  suffixMax = SUFFIX_MAX,
): LicenseSearch {
  const { search, soon, expiry, expiresFrom, expiresBefore, createdFrom, createdBefore, ...rest } = input;
  const sent = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const expires = expiryOf(expiry, soon ?? SOON, now) ?? rangeOf(expiresFrom, expiresBefore);
  const createdAt = rangeOf(createdFrom, createdBefore);
  // A text without interpretations matches nothing; an empty one matches everything.
  const terms = search === null || search.trim() === '' ? null : termsOf(search, suffixMax);
  return {
    ...sent,
    ...(terms && { terms }),
    ...(expires && { expiry: expires }),
    ...(createdAt && { createdAt }),
  };
}

const rangeOf = (from: Datetime | null, before: Datetime | null): Range | null =>
  from === null && before === null ? null : { from, before };

function expiryOf(expiry: (typeof EXPIRIES)[number] | null, days: number, now: Datetime) {
  if (expiry === null || expiry === 'never') return expiry;
  if (expiry === 'expired') return { from: null, before: now };
  return { from: now, before: addDays(now, days) };
}
