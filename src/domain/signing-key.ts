import type { Datetime } from './datetime.ts';

/**
 * A key pair that leases depend on. Programs pin the two root keys; the active root certifies the signing key, which signs
 * leases (docs/decisions/0028-signing-keys.md).
 */
export interface SigningKeyRecord {
  /** Id of the key: 16 characters (docs/integrate/lease-format.md). */
  kid: string;
  role: 'root' | 'signing';
  /** One root and one signing key are active, and one root is spare. Programs refuse texts signed by a revoked key. */
  state: 'active' | 'spare' | EndedState;
  /** Public half: 32 bytes in base64url. */
  x: string;
  /** Whether the database has the private half. */
  hasPrivateHalf: boolean;
  /** Certificate of a signing key, signed by the root that was active then; null for a root key. */
  certificate: string | null;
  createdAt: Datetime;
  /** When the key was retired or revoked; null before that. */
  retiredAt: Datetime | null;
}

export type EndedState = 'retired' | 'revoked';
