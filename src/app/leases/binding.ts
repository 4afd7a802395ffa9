import { createHash } from 'node:crypto';
import type { Binding } from '../../domain/lease.ts';

/** How leases name a fingerprint. */
export const hashOfFingerprint = (fingerprint: string): string =>
  createHash('sha256').update(fingerprint).digest('base64url');

interface Sent {
  fingerprint?: string | null;
  deviceKey?: string | null;
}

/** What leases are bound to by what a device has sent; null if it has sent nothing of that. */
export function bindingOf({ fingerprint = null, deviceKey = null }: Sent): Binding | null {
  if (fingerprint === null && deviceKey === null) return null;
  return { fp: fingerprint === null ? null : hashOfFingerprint(fingerprint), x: deviceKey };
}
