import { DAY_MS, type Datetime, toDatetime, toMilliseconds } from './datetime.ts';

/** A user signed in to the console in one browser. */
export interface Session {
  id: number;
  userId: number;
  createdAt: Datetime;
  lastSeenAt: Datetime;
  expiresAt: Datetime;
  ipAddress: string | null;
  userAgent: string | null;
  /** Whether the user signed in with a second factor. */
  secondFactor: boolean;
  /** The password was right, but the second factor is still missing. A pending session allows only entering it. */
  pending: boolean;
  /** Number of wrong codes entered so far. */
  failures: number;
  /** When the user last entered the password; null if unknown. */
  confirmedAt: Datetime | null;
}

export const INVITATION_PURPOSES = ['setup', 'invitation', 'reset'] as const;
/** Who sets a password through the link: the first owner, a new user, or a user who lost access. */
export type InvitationPurpose = (typeof INVITATION_PURPOSES)[number];

export interface Invitation {
  userId: number;
  purpose: InvitationPurpose;
  expiresAt: Datetime;
}

const MINUTE_MS = 60_000;
/** The longest time from the sign-in, and from the last request, to the end of a session. */
const SESSION_MS = 30 * DAY_MS;
const IDLE_MS = 7 * DAY_MS;
/** Time to enter the second factor after the password. */
const PENDING_MS = 5 * MINUTE_MS;
/** Time after entering the password in which sensitive changes do not ask for it again. */
const CONFIRMED_MS = 10 * MINUTE_MS;
/** Age at which the stored time of the last request is updated. */
const TOUCHED_MS = 5 * MINUTE_MS;
const INVITATION_MS: Record<InvitationPurpose, number> = {
  setup: DAY_MS,
  invitation: 7 * DAY_MS,
  reset: DAY_MS,
};

/** Wrong codes after which the user must enter the password again. */
export const FAILURES_MAX = 5;
/**
 * Wrong codes of one user, in all pending sessions together, after which authenticator codes are refused. Otherwise
 * somebody who knows the password could try all codes of six digits.
 */
export const CODES_MAX = 10;

const later = (at: Datetime, ms: number): Datetime => toDatetime(toMilliseconds(at) + ms);

export const sessionEnd = (now: Datetime, pending: boolean): Datetime =>
  later(now, pending ? PENDING_MS : SESSION_MS);
export const invitationEnd = (now: Datetime, purpose: InvitationPurpose): Datetime =>
  later(now, INVITATION_MS[purpose]);
/** Sessions last seen earlier have ended. */
export const idleSince = (now: Datetime): Datetime => later(now, -IDLE_MS);
/** Sessions last seen earlier need an update of `lastSeenAt`. */
export const touchedSince = (now: Datetime): Datetime => later(now, -TOUCHED_MS);

export const isConfirmed = ({ confirmedAt }: Pick<Session, 'confirmedAt'>, now: Datetime): boolean =>
  confirmedAt !== null &&
  confirmedAt > later(now, -CONFIRMED_MS) &&
  // Written while the clock was ahead, it would last too long.
  confirmedAt <= later(now, CONFIRMED_MS);

export const isLive = (
  { expiresAt, lastSeenAt, failures }: Pick<Session, 'expiresAt' | 'lastSeenAt' | 'failures'>,
  now: Datetime,
): boolean => now < expiresAt && lastSeenAt >= idleSince(now) && failures < FAILURES_MAX;
