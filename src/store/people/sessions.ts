import type { Datetime } from '../../domain/datetime.ts';
import type { Invitation, Session } from '../../domain/session.ts';
import type { User } from '../../domain/user.ts';

/** A session and its user. */
export interface SessionOfUser {
  session: Session;
  user: Pick<User, 'id' | 'name' | 'email' | 'role' | 'hasTotp' | 'disabledAt'>;
}

/** A session without the fields that the store assigns. */
export type SessionRow = Omit<Session, 'id' | 'failures'> & { tokenHash: Uint8Array };

export interface SessionReads {
  /** @param tokenHash SHA-256 of the token */
  find(tokenHash: Uint8Array): Promise<SessionOfUser | null>;
  /** Sessions of a user, newest first. */
  ofUser(userId: number): Promise<Session[]>;
}

export interface SessionWrites {
  /** Returns its id. */
  insert(row: SessionRow): Promise<number>;
  /** Deletes a session. @returns false if the user has no such session */
  delete(userId: number, id: number): Promise<boolean>;
  /** Deletes all sessions of a user but one. @returns how many */
  deleteOf(userId: number, except: number | null): Promise<number>;
  noteFailure(id: number): Promise<void>;
  /** Records that the password was given at this time. */
  confirm(id: number, at: Datetime): Promise<void>;
  /** Updates `lastSeenAt` if it is before an instant. */
  touch(id: number, at: Datetime, before: Datetime): Promise<void>;
  /** Deletes sessions that have expired, or were last seen before an instant. */
  discard(now: Datetime, idleSince: Datetime): Promise<void>;
}

export type InvitationRow = Invitation & { tokenHash: Uint8Array; createdAt: Datetime };

export interface InvitationReads {
  /** Finds an unused invitation; null if there is none. */
  find(tokenHash: Uint8Array): Promise<Invitation | null>;
}

export interface InvitationWrites {
  /** Inserts an invitation, and deletes unused ones of the user. */
  replace(row: InvitationRow): Promise<void>;
  /** Marks an invitation as used. @returns false if it does not exist, was used or has expired */
  use(tokenHash: Uint8Array, now: Datetime): Promise<boolean>;
  /** Deletes unused invitations of a user. */
  deleteOf(userId: number): Promise<void>;
  /** Deletes expired invitations. */
  discard(now: Datetime): Promise<void>;
}
