import type { KeyObject } from 'node:crypto';
import { type Datetime, toSeconds } from '../../domain/datetime.ts';
import { type Compact, keyId, publicKeyOf, readCompact, signCompact } from '../leases/compact.ts';

const DAY = 86_400;
/** Lifetime of a certificate in seconds. No lease signed with its key outlasts the certificate. */
const LIFETIME = 3 * 365 * DAY;
/** Clocks of nodes that share a database may be this many seconds apart. */
const DRIFT = 3_600;
/** Seconds before its end at which a server that has the root key renews a certificate. */
const RENEWED_BEFORE = 365 * DAY;
/** Seconds before its end at which a server without the root key warns. */
const WARNED_BEFORE = 180 * DAY;

/** A signing key's certificate, signed by a root key (docs/integrate/lease-format.md). Times in seconds since 1970. */
export interface Certificate {
  /** Id of the root key. */
  root: string;
  kid: string;
  x: string;
  nbf: number;
  exp: number;
  /** Ids of revoked keys. */
  rvk: readonly string[];
}

/** Returns a certificate signed by the root key. @param revoked ids of keys that programs must refuse from now on */
export function certify(
  root: KeyObject,
  { kid, x }: Pick<Certificate, 'kid' | 'x'>,
  revoked: readonly string[],
  now: Datetime,
): string {
  const at = toSeconds(now);
  const payload = { kid, x, nbf: at - DRIFT, exp: at + LIFETIME, use: 'lease' };
  const rvk = revoked.length > 0 ? revoked : undefined;
  return signCompact('lk-cert+jwt', { kid: keyId(publicKeyOf(root)) }, { ...payload, rvk }, root);
}

/** Reads a certificate without checking its signature. @returns null for text that is not a certificate */
export function readCertificate(text: string | null): (Certificate & Pick<Compact, 'isSignedBy'>) | null {
  const read = text === null ? null : readCompact(text, 'lk-cert+jwt', ['kid']);
  if (!read) return null;
  const { kid, x, nbf, exp, use, rvk = [] } = read.payload;
  const isGood =
    [kid, x].every((one) => typeof one === 'string') &&
    [nbf, exp].every(Number.isSafeInteger) &&
    use === 'lease';
  if (!isGood || !Array.isArray(rvk)) return null;
  const values = { root: read.header.kid, kid, x, nbf, exp, rvk } as unknown as Certificate;
  return { ...values, isSignedBy: read.isSignedBy };
}

/** Returns the seconds until the certificate ends; negative after its end. */
export const secondsLeft = ({ exp }: Pick<Certificate, 'exp'>, now: Datetime): number => exp - toSeconds(now);

export const daysLeft = (certificate: Certificate, now: Datetime): number =>
  Math.floor(secondsLeft(certificate, now) / DAY);

/** Whether the clock was ahead when the certificate was made. Programs refuse leases from before `nbf`. */
export const isOfFuture = ({ nbf }: Certificate, now: Datetime): boolean => nbf > toSeconds(now);

/** Whether a server with the root key should renew the certificate. */
export const isDue = (certificate: Certificate, now: Datetime): boolean =>
  secondsLeft(certificate, now) < RENEWED_BEFORE || isOfFuture(certificate, now);

/** Whether an operator should renew the certificate, if no server has the root key. */
export const endsSoon = (certificate: Certificate, now: Datetime): boolean =>
  secondsLeft(certificate, now) < WARNED_BEFORE;
