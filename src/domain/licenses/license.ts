import { addDays, type Datetime, type Stamps } from '../datetime.ts';
import { emailAddress } from '../email-address.ts';
import {
  bad,
  type Changes,
  type Created,
  datetime,
  type Field,
  good,
  integer,
  numberedName,
  optional,
  reference,
  refined,
  required,
  text,
} from '../fields.ts';
import { done, invalid, type Outcome, refused } from '../refusal.ts';
import { type LicenseTerms, TERMS_DEFAULTS, type TermsInput, termsShape } from '../terms.ts';

export const LICENSE_STATUSES = ['sold', 'delivered', 'active', 'inactive', 'disabled'] as const;
/** 1 sold, 2 delivered, 3 active, 4 inactive, 5 disabled. Only `disabled` stops an activation from being made. */
export type LicenseStatus = number;
export const DISABLED: LicenseStatus = 5;
export const ACTIVE: LicenseStatus = 3;
export const INACTIVE: LicenseStatus = 4;

/** Where a license came from, by its number on the wire. */
export const LICENSE_SOURCE = { generator: 1, import: 2, api: 3, migration: 4 } as const;
export type LicenseSource = (typeof LICENSE_SOURCE)[keyof typeof LICENSE_SOURCE];

export interface License extends LicenseTerms, Stamps {
  id: number;
  key: string;
  orderId: number | null;
  productId: number | null;
  userId: number | null;
  /** The customer's address. For people only: no API for programs, lease or event shows it. */
  customerEmail: string | null;
  expiresAt: Datetime | null;
  /** Days of validity; 0 if there are none. */
  validFor: number;
  source: LicenseSource;
  status: LicenseStatus;
  /** Number of seats held, including lapsed seats that no other device has taken yet (`app/licenses/seats.ts`). */
  timesActivated: number;
  /** 0 means no limit. */
  activationsLimit: number;
}

/** A deleted license, which can be restored. */
export interface TrashedLicense extends License {
  deletedAt: Datetime;
}

/**
 * Removes from a license, or from a record of its change, what only people may see: the email address of the customer, and
 * the notes of staff.
 * @param license by its names on the wire
 */
export const forPrograms = ({
  customer_email: _email,
  note: _note,
  tags: _tags,
  meta: _meta,
  ...values
}: Readonly<Record<string, unknown>>) => values;

/** Whether a change moves the expiry later or removes it. */
export function isRenewed(
  { expiresAt: before }: Pick<License, 'expiresAt'>,
  { expiresAt: after }: Pick<License, 'expiresAt'>,
): boolean {
  return before !== null && (after === null || after > before);
}

/** Length from which a masked key shows its last characters. */
export const MASKED_FROM = 12;
const SHOWN = 4;

/** Masks a key for logs and the audit trail: keeps the last characters of a long key, and none of a short one. */
export function maskedKey(key: string): string {
  const characters = [...key];
  return characters.length < MASKED_FROM ? '…' : `…${characters.slice(-SHOWN).join('')}`;
}

/** Refers to a license by its key, by the keyed hash of its key (64 hex digits), or by its id. */
export type LicenseRef = KeyRef | { id: number };
export type KeyRef = { key: string } | { hash: string };
/** How callers name a license: a key, `hashed-{hash}`, or its id. */
export type LicenseName = string | { id: number };

const HASH_PREFIX = 'hashed-';

/** Reads `hashed-{hash}` or a key. */
export const licenseRef = (named: string): KeyRef =>
  named.startsWith(HASH_PREFIX) ? { hash: named.slice(HASH_PREFIX.length) } : { key: named };

const keyText = text({
  min: 1,
  max: 255,
  description: 'Kept as sent, compared exactly. Must not be only white space, nor begin with "hashed-".',
});

export const licenseKey: Field<string> = refined(keyText, (key) => {
  if (key.trim() === '') return bad('blank');
  return key.startsWith(HASH_PREFIX) ? bad('reserved_prefix', { prefix: HASH_PREFIX }) : good(key);
});

export const licenseStatus = numberedName(LICENSE_STATUSES);

/** What a license is for, by the numbers of the vendor's shop. */
export const shopShape = {
  orderId: optional(reference('Number of the order in your shop')),
  productId: optional(
    reference('Number of the product in your shop. Software names the products whose licenses cover it'),
  ),
  userId: optional(reference('Number of the customer in your shop')),
};

const ownShape = {
  licenseKey: required(licenseKey),
  validFor: required(
    integer({
      description:
        'Days; with a create, they set expires_at. An update changes only the number: send expires_at to renew',
    }),
    true,
  ),
  status: required(licenseStatus),
  activationsLimit: required(integer({ description: '0 means no limit' }), true),
  ...shopShape,
  expiresAt: optional(datetime),
};
/** The parameters of a create (contract section 5). */
export const licenseShape = { ...ownShape, ...termsShape };
/** The parameters of a create in the console, on the command line and in files, with values that only people set. */
export const fullLicenseShape = { ...ownShape, customerEmail: optional(emailAddress), ...termsShape };
/** The parameters of a create as in the plugin, which also requires a status. */
export const pluginLicenseShape = {
  ...licenseShape,
  validFor: optional(licenseShape.validFor.field),
  activationsLimit: optional(licenseShape.activationsLimit.field),
};
/** Defaults, by parameter name, in imports and in the console. */
export const LICENSE_DEFAULTS = { status: 'active', valid_for: 0, activations_limit: 0 };
/** The values that replace cleared values in an update. */
export const CLEARED = { validFor: 0, activationsLimit: 0, ...TERMS_DEFAULTS } as const;
export type NewLicense = Omit<Created<typeof licenseShape>, keyof LicenseTerms> &
  Partial<TermsInput & Pick<License, 'customerEmail'>>;
export type LicenseChanges = Changes<typeof fullLicenseShape>;

export interface LicenseFilter {
  status?: readonly LicenseStatus[];
  license?: KeyRef;
  orderId?: number;
  productId?: number;
  userId?: number;
  source?: number;
  /** Only licenses of these products. */
  products?: readonly number[];
}

/** Returns the filter for the values that a caller sent; null means not sent. */
export const licenseFilterOf = <Sent extends { licenseKey: string | null }>({
  licenseKey,
  ...sent
}: Sent): LicenseFilter => ({
  ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)),
  ...(licenseKey !== null && { license: licenseRef(licenseKey) }),
});

/** A license is still valid in the second of its `expires_at`. */
export const isExpired = (license: Pick<License, 'expiresAt'>, now: Datetime): boolean =>
  license.expiresAt !== null && now > license.expiresAt;

/**
 * Whether the license may be activated now. The store checks the activation limit when it takes a seat.
 * @param first the reason given for a license that is both expired and disabled: dialects differ
 */
export function mayActivate(
  license: License,
  now: Datetime,
  first: 'expired' | 'disabled' = 'expired',
): Outcome<null> {
  const { expiresAt: at } = license;
  const isDisabled = license.status === DISABLED;
  if (isDisabled && first === 'disabled') return refused('license_disabled');
  if (at !== null && isExpired(license, now)) return refused('license_expired', { at });
  return isDisabled ? refused('license_disabled') : done(null);
}

/**
 * Returns the given expiry, else `validFor` days from now, else null for never.
 * @param field refused if past the year 9999
 */
export function expiry(
  given: Datetime | null,
  validFor: number,
  now: Datetime,
  field = 'validFor',
): Outcome<Datetime | null> {
  if (given !== null || validFor === 0) return done(given);
  const at = addDays(now, validFor);
  return at === null ? invalid(field, 'past_year_9999') : done(at);
}
