import type { Datetime } from '../../domain/datetime.ts';
import type { EndedState, SigningKeyRecord } from '../../domain/signing-key.ts';

export interface SigningKeyReads {
  /** All keys that ever existed, oldest first, as of one moment. Empty until a server has started. */
  list(): Promise<SigningKeyRecord[]>;
  /**
   * The private half of a key, PKCS #8 in PEM; null if the database has none.
   * @throws StoreDamaged if it cannot be decrypted
   */
  privateHalf(kid: string): Promise<string | null>;
}

export interface SigningKeyWrites {
  /** @param privateHalf PKCS #8 in PEM. @throws UniqueViolation if another key of the role has this state */
  insert(key: Omit<SigningKeyRecord, 'hasPrivateHalf' | 'retiredAt'>, privateHalf: string): Promise<void>;
  /** Makes the spare root the active one. */
  activate(kid: string): Promise<void>;
  /** Ends the use of a key, and deletes its private half. */
  end(kid: string, state: EndedState, now: Datetime): Promise<void>;
  /** Deletes the private half of a key. @returns false if the database has none */
  deletePrivateHalf(kid: string): Promise<boolean>;
}
