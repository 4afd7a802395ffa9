import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Activation } from '../../domain/activation.ts';
import { SYSTEM } from '../../domain/actor.ts';
import { type Clock, type Datetime, toDatetime, toSeconds } from '../../domain/datetime.ts';
import {
  type Binding,
  isNoted,
  type Leasable,
  type LeaseTimes,
  leasedUntilFrom,
  leaseTimes,
} from '../../domain/lease.ts';
import { DISABLED, LICENSE_STATUSES, type License } from '../../domain/licenses/license.ts';
import { endedAt, isBorrowed } from '../../domain/seats.ts';
import { defineCommand, type Executes } from '../command.ts';
import type { Signer } from '../keys/create-signer.ts';
import { isKnownByFingerprint } from '../licenses/seats.ts';
import { hashOfFingerprint } from './binding.ts';
import { TEXT_MAX } from './compact.ts';

/** What a lease is for: an activated device, or, in a license file, any device. */
export type LeaseSubject = Leasable | { license: License; activation: null };

export interface LeaseRequest {
  /** Base URL of the server, as the caller knows it. */
  iss: string;
  /** The fingerprint that the device has sent. The caller has compared it with the known one. */
  fingerprint?: string | null;
  /** The lease repeats the nonce, and is not reused. */
  nonce?: string | null;
  /** For a device without network, or a license file: the lease is valid for `offlineLeaseDays`, and is not reused. */
  isOffline?: boolean;
}

/** Leases cached in each process, about 1.4 kB each. */
const KEPT_MAX = 10_000;
const JTI_BYTES = 12;

interface Kept extends LeaseTimes {
  /** The data that the lease was made from. A lease is reused only while these data are the same. */
  basis: string;
  text: string;
}

export type Leases = ReturnType<typeof createLeases>;

/** Makes leases. A signed lease is reused until its `ref`, unless the data in it have changed. */
export function createLeases(signer: Signer, execute: Executes<typeof noteLease>, clock: Clock) {
  const kept = new LRUCache<number, Kept>({ max: KEPT_MAX });
  return {
    /**
     * Returns a lease for a device that may use the program now.
     * @returns null if the seat has ended, no time is left, or the device cannot be identified
     * @throws StoreUnavailable
     */
    async lease(
      subject: LeaseSubject,
      { iss, fingerprint = null, nonce = null, isOffline = false }: LeaseRequest,
    ): Promise<string | null> {
      const { license, activation } = subject;
      const bound = boundTo(subject, fingerprint);
      if (!bound) return null;
      const { kid, until, sign } = await signer.current();
      const ms = clock();
      const now = Math.floor(ms / 1_000);
      const facts = factsOf(license, activation, bound);
      const at = toDatetime(ms);
      const borrowedUntil =
        activation && isBorrowed(license, activation, at) ? activation.seatExpiresAt : null;
      // `updatedAt`: a license that was disabled and enabled again has the same facts, but its earlier leases are revoked.
      const changed = [license.updatedAt, activation?.updatedAt, license.expiresAt, borrowedUntil];
      const { leaseRefreshHours, leaseDays, leaseGraceDays } = license;
      const basis = JSON.stringify([
        iss,
        kid,
        until,
        facts,
        changed,
        leaseRefreshHours,
        leaseDays,
        leaseGraceDays,
      ]);
      const reusable = nonce === null && !isOffline ? activation : null;
      const last = reusable && kept.get(reusable.id);
      if (last?.basis === basis && isGood(last, now, activation?.seatExpiresAt ?? null)) return last.text;

      // A repeated request returns the seat of the first request, which may have ended since.
      if (license.status === DISABLED || (activation && endedAt(activation, at) !== null)) return null;
      const times = leaseTimes(license, activation, { now, until, isOffline, random: Math.random() });
      if (!times) return null;
      if (!(await note(subject, bound.fp, times.grc, at, isOffline))) return null;
      const jti = randomBytes(JTI_BYTES).toString('base64url');
      const text = sign('lk-lease+jwt', { iss, jti, ...facts, ...times, n: nonce ?? undefined });
      if (text.length > TEXT_MAX) return null;
      if (reusable) kept.set(reusable.id, { ...times, basis, text });
      return text;
    },
  };

  /** Records a lease before it is given out, so that a revocation covers it. @returns false if no lease may be given */
  async function note(
    subject: LeaseSubject,
    fp: string | null,
    grc: number,
    now: Datetime,
    isOffline: boolean,
  ): Promise<boolean> {
    const { license, activation } = subject;
    const seatExpiresAt = activation?.seatExpiresAt ?? null;
    const until = leasedUntilFrom(license, seatExpiresAt, now, isOffline);
    if (subject.activation === null)
      return execute('note-lease', { licenseId: license.id, until, activation: null, fp: null }, SYSTEM);
    const isBound = fp === (subject.binding?.fp ?? null);
    if (isBound && isNoted(subject.leasedUntil, seatExpiresAt, grc)) return true;
    const { id, token } = subject.activation;
    const noted = { licenseId: license.id, until, activation: { id, token }, fp: isBound ? null : fp };
    return execute('note-lease', noted, SYSTEM);
  }
}

/**
 * Returns the binding of a lease. Null if the activation is identified by its fingerprint, but the fingerprint is neither
 * stored nor sent: an unbound lease would be valid on every device.
 */
function boundTo(subject: LeaseSubject, fingerprint: string | null): Binding | null {
  if (subject.activation === null) return { fp: null, x: null };
  const { binding, activation } = subject;
  const fp = binding?.fp ?? (fingerprint === null ? null : hashOfFingerprint(fingerprint));
  if (fp === null && isKnownByFingerprint(activation)) return null;
  return { fp, x: binding?.x ?? null };
}

/** Returns the members of a lease other than its times. */
const factsOf = (license: License, activation: Activation | null, { fp, x }: Binding) => ({
  sub: activation ? `act_${activation.id}` : undefined,
  lic: `lic_${license.id}`,
  prd: license.productId ?? undefined,
  fp: fp ?? undefined,
  cnf: x === null ? undefined : { x },
  st: LICENSE_STATUSES[license.status - 1],
  ent: license.entitlements,
});

/** Whether a cached lease may be reused. */
const isGood = ({ iat, ref, exp }: Kept, now: number, seatExpiresAt: Datetime | null): boolean =>
  // A lease from the future was signed before the clock was set back.
  iat <= now + 1 && now < ref && (seatExpiresAt === null || exp <= toSeconds(seatExpiresAt));

interface NoteLease {
  licenseId: number;
  until: Datetime;
  /** Null for a license file. */
  activation: Pick<Activation, 'id' | 'token'> | null;
  /** Hash of a fingerprint that the device sends for the first time, which binds its leases from now on; else null. */
  fp: string | null;
}

/**
 * Records, for the revocation list, the latest end of a lease that is about to be given out.
 * @returns false if no lease may be given
 */
export const noteLease = defineCommand({
  name: 'note-lease',
  guarded: true,
  audit: { never: 'leases are given again and again' },
  run: async (
    { activations, licenses },
    { licenseId, until, activation, fp }: NoteLease,
  ): Promise<boolean> => {
    if (activation === null) return licenses.noteLease(licenseId, until);
    // Locks the activation: if two devices send their fingerprints at the same time, the first one is bound.
    if (!(await activations.noteLease(activation.id, until))) return false;
    const found = fp === null ? null : await activations.findLeasable(activation.token);
    if (fp === null || !found) return fp === null;
    const { fp: known = null, x = null } = found.binding ?? {};
    if (known === null) await activations.bind(activation, { fp, x });
    return known === null || known === fp;
  },
});
