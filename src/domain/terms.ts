import { bad, type Created, good, integer, listOf, optional, refined, separated, text } from './fields.ts';
import { SEAT_DEFAULTS, type SeatPolicy, seatShape } from './seats.ts';

/** How long leases are valid (docs/integrate/lease-format.md). */
export interface LeasePolicy {
  /** Hours after which a program should fetch a new lease; at the latest after half of the lease's lifetime. */
  leaseRefreshHours: number;
  /** Days for which a lease is valid. */
  leaseDays: number;
  /** Days after the end of a lease in which a program may go on running with a warning. */
  leaseGraceDays: number;
  /** Days for which the lease of a device without network is valid. */
  offlineLeaseDays: number;
}

/** The terms of a license. A generator gives its terms to its licenses. */
export interface LicenseTerms extends SeatPolicy, LeasePolicy {
  /** Names of the features that the customer may use. */
  entitlements: readonly string[];
}

export const TERMS_DEFAULTS: LicenseTerms = {
  ...SEAT_DEFAULTS,
  entitlements: [],
  leaseRefreshHours: 24,
  leaseDays: 14,
  leaseGraceDays: 7,
  offlineLeaseDays: 90,
};

const ENTITLEMENTS_MAX = 32;
/** "a,,b" has an empty name, which is refused with the words for its characters, not its length. */
const entitlement = refined(
  text({ max: 64 }),
  (name) => (/^[A-Za-z0-9._:-]+$/.test(name) ? good(name) : bad('not_entitlement')),
  text({ min: 1, max: 64 }).schema,
);
const entitlements = separated(
  listOf(
    entitlement,
    ENTITLEMENTS_MAX,
    'Names of features: letters, digits, ".", "_", ":" and "-". Also as text, separated by commas',
  ),
);

const LEASE_MAX = { hours: 366 * 24, days: 3_660, grace: 366 };
const days = (min: number, max: number, description: string) => optional(integer({ min, max, description }));

/** The parameters of the terms, for licenses and generators. */
export const termsShape = {
  ...seatShape,
  entitlements: optional(entitlements),
  leaseRefreshHours: optional(
    integer({
      min: 1,
      max: LEASE_MAX.hours,
      description: 'Hours after which programs fetch a new lease; 24 when not sent',
    }),
  ),
  leaseDays: days(1, LEASE_MAX.days, 'Days that a lease is good for; 14 when not sent'),
  leaseGraceDays: days(
    0,
    LEASE_MAX.grace,
    'Days after the end of a lease in which programs go on with a warning; 7 when not sent',
  ),
  offlineLeaseDays: days(
    1,
    LEASE_MAX.days,
    'Days that the lease of a device without network is good for; 90 when not sent',
  ),
};
export type TermsInput = Created<typeof termsShape>;

/** Names of the fields of the terms. */
export const TERM_FIELDS = Object.keys(TERMS_DEFAULTS) as (keyof LicenseTerms)[];

/** Returns only the terms of a record. */
export const termsIn = (record: LicenseTerms): LicenseTerms =>
  Object.fromEntries(TERM_FIELDS.map((name) => [name, record[name]])) as unknown as LicenseTerms;
