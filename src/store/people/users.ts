import type { Datetime } from '../../domain/datetime.ts';
import type { Role, User, UserSecrets } from '../../domain/user.ts';

export interface UserReads {
  /** As `Keyring.signInTag`: without the keys of the database, nobody can compute it or learn the text from it. */
  signInTag(text: string): string;
  /** Names by id. Unknown ids are left out. */
  names(ids: readonly number[]): Promise<Map<number, string>>;
  find(id: number): Promise<User | null>;
  /** @param emailKey returned by `emailKeyOf` */
  findByEmail(emailKey: string): Promise<User | null>;
  /** The credentials of a user; null where no such user exists. */
  secrets(id: number): Promise<UserSecrets | null>;
  /** Users with an email address, oldest first; at most USERS_AT_ONCE. */
  list(): Promise<User[]>;
  /** Whether an owner has a password. */
  areSetUp(): Promise<boolean>;
  /** The number of unused recovery codes of a user. */
  countRecoveryCodes(id: number): Promise<number>;
}

/** Changed values of a user, credentials included. */
export type UserChanges = Partial<
  Pick<User, 'name' | 'disabledAt' | 'lastSeenAt'> & { email: string; role: Role } & UserSecrets
>;

export interface UserWrites {
  insert(row: { id: number; name: string; createdAt: Datetime }): Promise<void>;
  /** Returns its id. @throws UniqueViolation where another user has the address */
  create(row: { name: string; email: string; role: Role; createdAt: Datetime }): Promise<number>;
  /** @throws UniqueViolation where another user has the address */
  update(id: number, changes: UserChanges): Promise<void>;
  /** Adds one to `totpTries`. */
  noteTotpTry(id: number): Promise<void>;
  /** The number of other owners who can sign in. */
  countOtherOwners(id: number): Promise<number>;
  /** Replaces all recovery codes. */
  replaceRecoveryCodes(id: number, hashes: readonly Uint8Array[]): Promise<void>;
  /** Marks a recovery code as used. @returns false if there is no such code, or it was used */
  useRecoveryCode(id: number, hash: Uint8Array, now: Datetime): Promise<boolean>;
}
