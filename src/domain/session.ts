import { type Datetime, toDatetime, toMilliseconds } from './datetime.ts';

/** Somebody who has signed in to the console in one browser. */
export interface Session {
  id: number;
  userId: number;
  createdAt: Datetime;
  lastSeenAt: Datetime;
  expiresAt: Datetime;
  ipAddress: string | null;
  userAgent: string | null;
  /** Whether a second factor was shown. */
  secondFactor: boolean;
  /** Only the password was right so far: it is good for nothing but to show the second factor. */
  pending: boolean;
  /** Wrong codes so far. */
  failures: number;
  /** When the password was last given in it; null where that is not known. */
  confirmedAt: Datetime | null;
}

export const INVITATION_PURPOSES = ['setup', 'invitation', 'reset'] as const;
/** Who a link that sets a password is for: the first owner, somebody new, somebody who cannot get in any more. */
export type InvitationPurpose = (typeof INVITATION_PURPOSES)[number];

export interface Invitation {
  userId: number;
  purpose: InvitationPurpose;
  expiresAt: Datetime;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A session ends so long after it began, whatever happens, and so long after its last request. */
const SESSION_MS = 30 * DAY_MS;
const IDLE_MS = 7 * DAY_MS;
/** For this long the second factor may be shown after the password. */
const PENDING_MS = 5 * MINUTE_MS;
/** For this long after the password was given, what could take the account over is done without asking again. */
const CONFIRMED_MS = 10 * MINUTE_MS;
/** The last request is written down when it is so much later than what stands there. */
const TOUCHED_MS = 5 * MINUTE_MS;
const INVITATION_MS: Record<InvitationPurpose, number> = {
  setup: DAY_MS,
  invitation: 7 * DAY_MS,
  reset: DAY_MS,
};

/** Wrong codes after which the password is to be given again. */
export const FAILURES_MAX = 5;
/**
 * Wrong codes of one user in the minutes that a second factor is waited for, after which no code of an authenticator is
 * taken: of six digits there are few, and who knows the password could try them one after the other.
 */
export const CODES_MAX = 10;

const later = (at: Datetime, ms: number): Datetime => toDatetime(toMilliseconds(at) + ms);

export const sessionEnd = (now: Datetime, pending: boolean): Datetime =>
  later(now, pending ? PENDING_MS : SESSION_MS);
export const invitationEnd = (now: Datetime, purpose: InvitationPurpose): Datetime =>
  later(now, INVITATION_MS[purpose]);
/** A session that was last seen before this has ended. */
export const idleSince = (now: Datetime): Datetime => later(now, -IDLE_MS);
/** A session that was last seen before this is to be touched. */
export const touchedSince = (now: Datetime): Datetime => later(now, -TOUCHED_MS);

export const isConfirmed = ({ confirmedAt }: Pick<Session, 'confirmedAt'>, now: Datetime): boolean =>
  confirmedAt !== null && confirmedAt > later(now, -CONFIRMED_MS);

export const isLive = (
  { expiresAt, lastSeenAt, failures }: Pick<Session, 'expiresAt' | 'lastSeenAt' | 'failures'>,
  now: Datetime,
): boolean => now < expiresAt && lastSeenAt >= idleSince(now) && failures < FAILURES_MAX;
