import type { Datetime } from '../../domain/datetime.ts';
import type { EndedState, SigningKeyRecord } from '../../domain/signing-key.ts';

export interface SigningKeyReads {
  /** All keys there ever were, oldest first, as of one moment. None until a server has started. */
  list(): Promise<SigningKeyRecord[]>;
  /** PKCS #8 in PEM; null where the database has none. @throws StoreDamaged where it cannot be decrypted */
  privateHalf(kid: string): Promise<string | null>;
}

export interface SigningKeyWrites {
  /** @param privateHalf PKCS #8 in PEM. @throws UniqueViolation where another key of the role has the state */
  insert(key: Omit<SigningKeyRecord, 'hasPrivateHalf' | 'retiredAt'>, privateHalf: string): Promise<void>;
  /** Makes the spare root the active one. */
  activate(kid: string): Promise<void>;
  /** Ends the use of a key, and deletes its private half. */
  end(kid: string, state: EndedState, now: Datetime): Promise<void>;
  /** False where the database has none. */
  deletePrivateHalf(kid: string): Promise<boolean>;
}
