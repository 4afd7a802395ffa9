import type { Datetime } from './datetime.ts';

/**
 * A key pair that leases depend on. Programs pin the two root keys; the active root certifies the signing key, which signs
 * leases (docs/decisions/0028-signing-keys.md).
 */
export interface SigningKeyRecord {
  /** Id of the key: 16 characters (docs/integrate/lease-format.md). */
  kid: string;
  role: 'root' | 'signing';
  /** One root and one signing key are active, and one root is spare. Programs refuse what a revoked key has signed. */
  state: 'active' | 'spare' | EndedState;
  /** Its public half: 32 bytes in base64url. */
  x: string;
  /** Whether the database has its private half. */
  hasPrivateHalf: boolean;
  /** Of a signing key: a signed text by the root that was active. */
  certificate: string | null;
  createdAt: Datetime;
  /** When it was retired or revoked. */
  retiredAt: Datetime | null;
}

export type EndedState = 'retired' | 'revoked';
