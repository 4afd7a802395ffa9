import type { TFunction } from 'i18next';
import type { Item } from '../../client/api.ts';
import { formatDuration } from '../format.ts';
import { SEAT_NAMES } from './seat-words.ts';

/** The lifetimes of a license's leases, in the order in which they are shown. */
export const LEASE_NAMES = [
  'lease_days',
  'lease_refresh_hours',
  'lease_grace_days',
  'offline_lease_days',
] as const satisfies (keyof Item<'listLicenses'>)[];

/** The fields of the terms, in the order in which they are shown. */
export const TERM_NAMES = ['entitlements', ...SEAT_NAMES, ...LEASE_NAMES] as const;
/** The terms of a license, as the API sends them. */
export type LicenseTerms = Pick<Item<'listLicenses'>, (typeof TERM_NAMES)[number]>;

/** The terms as form values. Numbers are strings while the user types. */
export type TermsValues = {
  [Name in keyof LicenseTerms]: LicenseTerms[Name] extends number ? number | string : LicenseTerms[Name];
};
/** The server's defaults. */
export const DEFAULT_TERMS: TermsValues = {
  entitlements: [],
  seat_ttl: 0,
  match: 'fingerprint',
  borrow_max_hours: 0,
  reclaim_after_days: 0,
  takeovers_per_month: 0,
  lease_days: 14,
  lease_refresh_hours: 24,
  lease_grace_days: 7,
  offline_lease_days: 90,
};

/** Describes the lifetimes of leases. */
export const leaseWords = (t: TFunction<'terms'>, policy: LicenseTerms): string[] => [
  t('leaseDays', { time: formatDuration(policy.lease_days, 'day') }),
  t('leaseRefresh', { time: formatDuration(policy.lease_refresh_hours, 'hour') }),
  t('leaseGrace', { time: formatDuration(policy.lease_grace_days, 'day') }),
  t('offlineLease', { time: formatDuration(policy.offline_lease_days, 'day') }),
];
