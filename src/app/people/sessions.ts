import { done, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import { CODES_MAX, FAILURES_MAX, isLive, sessionEnd, touchedSince } from '../../domain/session.ts';
import type { Transaction } from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';

/** The browser of a session, and the hash of its token. */
export interface NewSession {
  tokenHash: Uint8Array;
  ipAddress: string | null;
  userAgent: string | null;
}

export interface CreateSession extends NewSession {
  userId: number;
  /** The password hash that the entered password matched. */
  passwordHash: string;
  /** Hash of the browser's earlier token, whose session ends; null if the browser has none. */
  replaces: Uint8Array | null;
}

/** Signs in a user who entered the right password. With a second factor, the session is pending until the right code. */
export const createSession = defineCommand({
  name: 'create-session',
  audit: 'always',
  run: async (
    transaction,
    { userId, passwordHash, replaces, ...browser }: CreateSession,
    context,
  ): Promise<Outcome<{ pending: boolean }>> => {
    const { users } = transaction;
    const user = await users.find(userId);
    const secrets = await users.secrets(userId);
    const isRight = user?.role != null && user.disabledAt === null && secrets?.passwordHash === passwordHash;
    if (!user || !isRight) return refused('sign_in_refused');
    await endReplaced(transaction, replaces);
    await insertSession(transaction, context, {
      ...browser,
      userId,
      secondFactor: null,
      pending: user.hasTotp,
    });
    return done({ pending: user.hasTotp });
  },
});

/** Ends the session that the browser had before. @param replaces the hash of its token, if any */
export async function endReplaced({ sessions }: Transaction, replaces: Uint8Array | null): Promise<void> {
  const earlier = replaces && (await sessions.find(replaces));
  // Keep a session with wrong codes: its failures count towards CODES_MAX.
  if (earlier && earlier.session.failures === 0)
    await sessions.delete(earlier.session.userId, earlier.session.id);
}

/**
 * Creates a session. Records a sign-in unless it is pending.
 * @param session.secondFactor kind of the entered code, if any
 */
export async function insertSession(
  { sessions, users }: Transaction,
  { now, record }: Context,
  session: NewSession & {
    userId: number;
    secondFactor: 'totp' | 'recovery_code' | null;
    pending: boolean;
  },
): Promise<void> {
  const { secondFactor, pending, userId } = session;
  const id = await sessions.insert({
    ...session,
    secondFactor: secondFactor !== null,
    createdAt: now,
    lastSeenAt: now,
    confirmedAt: now,
    expiresAt: sessionEnd(now, pending),
  });
  if (pending) return;
  await users.update(userId, { lastSeenAt: now });
  record({ action: 'session.create', id: userId, about: { session: id, second_factor: secondFactor } });
}

/** An authenticator code with its time step, null if the code is wrong; or a recovery code. */
export type EnteredCode =
  | { kind: 'totp'; secret: string; step: number | null }
  | { kind: 'recovery_code'; hash: Uint8Array };

interface CompleteSession extends NewSession {
  /** Hash of the pending session's token. */
  pendingHash: Uint8Array;
  code: EnteredCode;
}

/** Replaces a pending session with a full one if the code is right. */
export const completeSession = defineCommand({
  name: 'complete-session',
  audit: 'always',
  run: async (
    transaction,
    { pendingHash, code, ...browser }: CompleteSession,
    context,
  ): Promise<Outcome<{ right: boolean; left: number }>> => {
    const { sessions } = transaction;
    const found = await sessions.find(pendingHash);
    const isGood =
      found?.session.pending === true &&
      isLive(found.session, context.now) &&
      found.user.role !== null &&
      found.user.disabledAt === null;
    if (!found || !isGood) return refused('second_factor_expired');
    const { id, userId, failures } = found.session;
    if (code.kind === 'totp') {
      const all = await sessions.ofUser(userId);
      const pending = all.filter((one) => one.pending && one.expiresAt > context.now);
      if (pending.reduce((sum, one) => sum + one.failures, 0) >= CODES_MAX) return refused('too_many_codes');
    }
    if (!(await useCode(transaction, userId, code, context.now))) {
      await sessions.noteFailure(id);
      return done({ right: false, left: Math.max(0, FAILURES_MAX - failures - 1) });
    }
    await sessions.delete(userId, id);
    await insertSession(transaction, context, {
      ...browser,
      userId,
      secondFactor: code.kind,
      pending: false,
    });
    return done({ right: true, left: 0 });
  },
});

/** Uses up a code. Returns whether the code was right. */
async function useCode(
  { users }: Transaction,
  userId: number,
  code: EnteredCode,
  now: string,
): Promise<boolean> {
  if (code.kind === 'recovery_code') return users.useRecoveryCode(userId, code.hash, now);
  const secrets = await users.secrets(userId);
  const { step, secret } = code;
  if (step === null || secrets?.totpSecret !== secret || step <= (secrets.totpLastStep ?? -1)) return false;
  await users.update(userId, { totpLastStep: step });
  return true;
}

/** @property verified the password hash that the entered password matched */
type ConfirmSession = { id: number; userId: number; verified: string };

/** Records that the user of a session has entered the password again. */
export const confirmSession = defineCommand({
  name: 'confirm-session',
  audit: { never: 'the actions that it allows are recorded' },
  run: async (
    { users, sessions },
    { id, userId, verified }: ConfirmSession,
    { now },
  ): Promise<Outcome<null>> => {
    if ((await users.secrets(userId))?.passwordHash !== verified) return refused('user_changed_meanwhile');
    await sessions.confirm(id, now);
    return done(null);
  },
});

/** Stores when a session and its user were last seen, unless the stored time is only a few minutes old. */
export const touchSession = defineCommand({
  name: 'touch-session',
  guarded: true,
  audit: { never: 'when a session was last seen' },
  run: async ({ sessions, users }, { id }: { id: number }, { actor, now }): Promise<null> => {
    await users.update(actor.userId, { lastSeenAt: now });
    await sessions.touch(id, now, touchedSince(now));
    return null;
  },
});

interface EndSessions {
  userId: number;
  /** One session of the user, or all except one (null: all). */
  which: { id: number } | { except: number | null };
}

/** Signs a user out, in one browser or in several. Returns how many sessions ended. */
export const endSessions = defineCommand({
  name: 'end-sessions',
  audit: 'always',
  run: async ({ sessions }, { userId, which }: EndSessions, { record }): Promise<Outcome<number>> => {
    if ('id' in which) {
      if (!(await sessions.delete(userId, which.id))) return notFound('session', String(which.id));
      record({ action: 'session.end', id: userId, about: { session: which.id } });
      return done(1);
    }
    const ended = await sessions.deleteOf(userId, which.except);
    if (ended > 0) record({ action: 'session.end', id: userId, about: { sessions: ended } });
    return done(ended);
  },
});
