import type { Datetime } from '../../domain/datetime.ts';
import type { Invitation, Session } from '../../domain/session.ts';
import type { User } from '../../domain/user.ts';

/** A session and who has signed in by it. */
export interface SessionOfUser {
  session: Session;
  user: Pick<User, 'id' | 'name' | 'email' | 'role' | 'hasTotp' | 'disabledAt'>;
}

/** A session without what the store gives it. */
export type SessionRow = Omit<Session, 'id' | 'failures'> & { tokenHash: Uint8Array };

export interface SessionReads {
  /** @param tokenHash SHA-256 of the token */
  find(tokenHash: Uint8Array): Promise<SessionOfUser | null>;
  /** Those of a user, newest first. */
  ofUser(userId: number): Promise<Session[]>;
}

export interface SessionWrites {
  /** Its id. */
  insert(row: SessionRow): Promise<number>;
  /** False where the user has no such session. */
  delete(userId: number, id: number): Promise<boolean>;
  /** All of a user but for one: how many. */
  deleteOf(userId: number, except: number | null): Promise<number>;
  noteFailure(id: number): Promise<void>;
  /** Notes that the password was given just now. */
  confirm(id: number, at: Datetime): Promise<void>;
  /** Where it was last seen before an instant. */
  touch(id: number, at: Datetime, before: Datetime): Promise<void>;
  /** Removes those that have expired, or were last seen before an instant. */
  discard(now: Datetime, idleSince: Datetime): Promise<void>;
}

export type InvitationRow = Invitation & { tokenHash: Uint8Array; createdAt: Datetime };

export interface InvitationReads {
  /** Null also where it was used. */
  find(tokenHash: Uint8Array): Promise<Invitation | null>;
}

export interface InvitationWrites {
  /** Takes the place of those that the user has. */
  replace(row: InvitationRow): Promise<void>;
  /** False where there is none, or it was used. */
  use(tokenHash: Uint8Array, now: Datetime): Promise<boolean>;
  /** Ends those of a user. */
  deleteOf(userId: number): Promise<void>;
  /** Removes those that have expired. */
  discard(now: Datetime): Promise<void>;
}
