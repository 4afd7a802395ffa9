import type { Typ } from './compact.ts';

/** Provides the active signing key for leases and revocation lists. */
export interface Signer {
  /** Returns the active signing key. A rotation reaches every node within seconds. @throws StoreUnavailable */
  current(): Promise<SigningKey>;
}

export interface SigningKey {
  /** Id of the key. */
  kid: string;
  /** End of the key's certificate in seconds since 1970. Signed texts must not be valid for longer. */
  until: number;
  /** Signs a payload. The header contains the certificate of the key. */
  sign(
    typ: Extract<Typ, 'lk-lease+jwt' | 'lk-revocations+jwt'>,
    payload: Readonly<Record<string, unknown>>,
  ): string;
}
