import type { Activation, LicensedActivation } from './activation.ts';
import { addDays, type Datetime, toDatetime, toSeconds } from './datetime.ts';
import type { License } from './licenses/license.ts';
import { isBorrowed } from './seats.ts';

// Leases as described in docs/integrate/lease-format.md. Times of type `number` are seconds since 1970.

/** The device that the leases of an activation are bound to. */
export interface Binding {
  /** base64url(SHA-256(fingerprint)); null if the device has sent no fingerprint. */
  fp: string | null;
  /** Public half of the device key; null if the device has none. */
  x: string | null;
}

/** An activation with what its leases depend on. */
export interface Leasable extends LicensedActivation {
  /** Null if the device has sent neither a fingerprint nor a device key since leases exist. */
  binding: Binding | null;
  /** The latest end of the leases, apart from leases that end with a floating seat; null if there never was a lease. */
  leasedUntil: Datetime | null;
}

export interface LeaseTimes {
  iat: number;
  ref: number;
  exp: number;
  grc: number;
  lxp: number | undefined;
}

const DAY = 86_400;
const HOUR = 3_600;
const orNever = (at: Datetime | null): number => (at === null ? Number.POSITIVE_INFINITY : toSeconds(at));

interface Now {
  now: number;
  /** End of the signing key's certificate: no lease may last longer. */
  until: number;
  /** For a device without network. */
  isOffline: boolean;
  /** Random number from 0 to 1. Spreads the refreshes of devices that were activated at the same time. */
  random: number;
}
/** Fraction by which the time until the refresh varies in both directions. */
const JITTER = 0.1;

/** Returns the times of a lease; null if no time is left. @param activation null for a license file */
export function leaseTimes(
  license: License,
  activation: Activation | null,
  { now, until, isOffline, random }: Now,
): LeaseTimes | null {
  const seatEnd = activation?.seatExpiresAt ?? null;
  const last = Math.min(until, orNever(license.expiresAt));
  // A revocation voids leases signed up to its second: date this lease a second later, so that it survives.
  const changed = [license.updatedAt, activation?.updatedAt ?? null];
  const iat = changed.some((at) => at !== null && toSeconds(at) === now) ? now + 1 : now;
  const days = isOffline ? license.offlineLeaseDays : license.leaseDays;
  // A borrowed seat is for a device without a network, which cannot renew its lease.
  const borrowed = activation !== null && isBorrowed(license, activation, toDatetime(now * 1_000));
  const exp = Math.min(borrowed ? last : iat + days * DAY, orNever(seatEnd), last);
  if (exp <= iat) return null;
  const grc = seatEnd === null ? Math.min(exp + license.leaseGraceDays * DAY, last) : exp;
  const middle = iat + Math.floor((exp - iat) / 2);
  const refresh = license.leaseRefreshHours * HOUR * (1 - JITTER + 2 * JITTER * random);
  const ref = isOffline ? middle : Math.min(iat + Math.floor(refresh), middle);
  const lxp = license.expiresAt === null ? undefined : toSeconds(license.expiresAt);
  return { iat, ref, exp, grc, lxp };
}

/** Days by which `leasedUntil` is ahead of the end of a lease, so that it is written only once in that many days. */
const AHEAD_DAYS = 7;
const LATEST = '9999-12-31 23:59:59';

/** Returns the `leasedUntil` for a lease given now. Leases of a floating seat end with the seat, so now is enough. */
export function leasedUntilFrom(
  license: License,
  seatExpiresAt: Datetime | null,
  now: Datetime,
  isOffline = false,
): Datetime {
  if (seatExpiresAt !== null) return now;
  const days = isOffline ? license.offlineLeaseDays : license.leaseDays;
  return addDays(now, days + license.leaseGraceDays + AHEAD_DAYS) ?? LATEST;
}

/** Whether the stored `leasedUntil` covers a lease that ends at `grc`. */
export const isNoted = (leasedUntil: Datetime | null, seatExpiresAt: Datetime | null, grc: number): boolean =>
  leasedUntil !== null && (seatExpiresAt !== null || toSeconds(leasedUntil) >= grc);

/** Voids all leases of a license or an activation that were signed up to a time. */
export interface Revocation {
  kind: 'license' | 'activation';
  objectId: number;
  revokedAt: Datetime;
}

/** Seconds. Leases that end sooner are not revoked, which covers most floating seats. */
const SOON = HOUR;

/** Returns until when leases must stay revoked; null if there are none or they end soon. @param ends of leases and seats */
export function revokedUntil(ends: readonly (Datetime | null)[], now: Datetime): Datetime | null {
  const last =
    ends
      .filter((end) => end !== null)
      .sort()
      .at(-1) ?? null;
  return last !== null && toSeconds(last) > toSeconds(now) + SOON ? last : null;
}
