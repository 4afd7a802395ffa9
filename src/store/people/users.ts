import type { Datetime } from '../../domain/datetime.ts';
import type { Role, User, UserSecrets } from '../../domain/user.ts';

export interface UserReads {
  /**
   * A keyed hash of a text about an account or a browser that signs in, 64 hex digits: the same on every node. Nobody
   * without the keys of the database can make it, or tell the text from it.
   */
  signInTag(text: string): string;
  exists(id: number): Promise<boolean>;
  /** Of those users that there are. */
  names(ids: readonly number[]): Promise<Map<number, string>>;
  find(id: number): Promise<User | null>;
  /** @param emailKey as `emailKeyOf` makes it */
  findByEmail(emailKey: string): Promise<User | null>;
  /** What a user proves by who it is; null where there is no such user. */
  secrets(id: number): Promise<UserSecrets | null>;
  /** Those with an address, oldest first; at most USERS_AT_ONCE. */
  list(): Promise<User[]>;
  /** Whether there is an owner who has a password. */
  areSetUp(): Promise<boolean>;
  /** Recovery codes that a user has left. */
  countRecoveryCodes(id: number): Promise<number>;
}

/** Values of a user that change, with what it proves who it is by. */
export interface UserChanges {
  name?: string;
  email?: string;
  role?: Role;
  disabledAt?: Datetime | null;
  passwordHash?: string;
  totpSecret?: string | null;
  totpPending?: string | null;
  totpLastStep?: number | null;
}

export interface UserWrites {
  insert(row: { id: number; name: string; createdAt: Datetime }): Promise<void>;
  /** Its id. @throws UniqueViolation where another has the address */
  create(row: { name: string; email: string; role: Role; createdAt: Datetime }): Promise<number>;
  /** @throws UniqueViolation where another has the address */
  update(id: number, changes: UserChanges): Promise<void>;
  /** Owners that can sign in, but for one. */
  countOtherOwners(id: number): Promise<number>;
  /** Puts others in the place of the recovery codes that there are. */
  replaceRecoveryCodes(id: number, hashes: readonly Uint8Array[]): Promise<void>;
  /** False where there is no such code, or it was used. */
  useRecoveryCode(id: number, hash: Uint8Array, now: Datetime): Promise<boolean>;
}
