import type { Typ } from './compact.ts';

/** Signs with the present signing key, for leases and revocation lists. */
export interface Signer {
  /** The present signing key. It changes when it is rotated, on every node within seconds. @throws StoreUnavailable */
  current(): Promise<SigningKey>;
}

export interface SigningKey {
  /** Id of the key. */
  kid: string;
  /** Seconds since 1970: nothing that is signed may last longer. */
  until: number;
  /** Signs a payload under the header with the certificate of the key. */
  sign(
    typ: Extract<Typ, 'lk-lease+jwt' | 'lk-revocations+jwt'>,
    payload: Readonly<Record<string, unknown>>,
  ): string;
}
