import { createHash } from 'node:crypto';
import { bad, good, refined, text } from '../../domain/fields.ts';
import type { Binding } from '../../domain/lease.ts';
import { readPublicKey } from './compact.ts';

export const publicKey = refined(
  text({ max: 43, description: 'Public half of an Ed25519 key of the device: 32 bytes in base64url' }),
  (x) => (readPublicKey(x) ? good(x) : bad('not_public_key')),
);

/** Returns the `fp` of leases: base64url(SHA-256(fingerprint)). */
export const hashOfFingerprint = (fingerprint: string): string =>
  createHash('sha256').update(fingerprint).digest('base64url');

interface Sent {
  fingerprint?: string | null;
  deviceKey?: string | null;
}

/** Returns the binding of leases to a fingerprint and a device key; null if the device has sent neither. */
export function bindingOf({ fingerprint = null, deviceKey = null }: Sent): Binding | null {
  if (fingerprint === null && deviceKey === null) return null;
  return { fp: fingerprint === null ? null : hashOfFingerprint(fingerprint), x: deviceKey };
}
