import type { Activation, LicensedActivation } from './activation.ts';
import { addDays, type Datetime, toSeconds } from './datetime.ts';
import type { License } from './licenses/license.ts';

// Leases, as docs/integrate/lease-format.md has them. Times without a type are seconds since 1970.

/** What leases of an activation are bound to. */
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
  /** When its leases beyond its floating seat have ended at the latest; null if it never had a lease. */
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
  /** Nothing may last longer. */
  until: number;
  /** For a device without network. */
  isOffline: boolean;
  /** From 0 to 1: spreads the refreshes of devices that were activated at the same time. */
  random: number;
}
/** Of the time until the refresh, to both sides. */
const JITTER = 0.1;

/** The times of a lease; null if there is no time left. @param activation null for a license file */
export function leaseTimes(
  license: License,
  activation: Activation | null,
  { now, until, isOffline, random }: Now,
): LeaseTimes | null {
  const seatEnd = activation?.seatExpiresAt ?? null;
  const last = Math.min(until, orNever(license.expiresAt));
  // A revocation voids what was signed until its second: leave that second to earlier leases.
  const changed = [license.updatedAt, activation?.updatedAt ?? null];
  const iat = changed.some((at) => at !== null && toSeconds(at) === now) ? now + 1 : now;
  const days = isOffline ? license.offlineLeaseDays : license.leaseDays;
  const exp = Math.min(iat + days * DAY, orNever(seatEnd), last);
  if (exp <= iat) return null;
  const grc = seatEnd === null ? Math.min(exp + license.leaseGraceDays * DAY, last) : exp;
  const middle = iat + Math.floor((exp - iat) / 2);
  const refresh = license.leaseRefreshHours * HOUR * (1 - JITTER + 2 * JITTER * random);
  const ref = isOffline ? middle : Math.min(iat + Math.floor(refresh), middle);
  const lxp = license.expiresAt === null ? undefined : toSeconds(license.expiresAt);
  return { iat, ref, exp, grc, lxp };
}

/** Days by which `leasedUntil` is ahead of the end of a lease, so that it is written once in so many days. */
const AHEAD_DAYS = 7;
const LATEST = '9999-12-31 23:59:59';

/** What `leasedUntil` becomes with a lease that is given now. The leases of a floating seat end with it. */
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

/** Whether a lease that ends at `grc` needs no later `leasedUntil`. */
export const isNoted = (leasedUntil: Datetime | null, seatExpiresAt: Datetime | null, grc: number): boolean =>
  leasedUntil !== null && (seatExpiresAt !== null || toSeconds(leasedUntil) >= grc);

/** What a revocation voids: leases of a license or an activation that were signed by a time. */
export interface Revocation {
  kind: 'license' | 'activation';
  objectId: number;
  revokedAt: Datetime;
}

/** Seconds: a lease that ends sooner by itself is not revoked. Most floating seats end so. */
const SOON = HOUR;

/** Until when leases must be revoked; null if there are none, or they end soon. @param ends of leases and seats */
export function revokedUntil(ends: readonly (Datetime | null)[], now: Datetime): Datetime | null {
  const last =
    ends
      .filter((end) => end !== null)
      .sort()
      .at(-1) ?? null;
  return last !== null && toSeconds(last) > toSeconds(now) + SOON ? last : null;
}
