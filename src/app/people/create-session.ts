import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { sessionEnd } from '../../domain/session.ts';
import type { Transaction } from '../../store/store.ts';
import type { Command, Context } from '../command.ts';

/** Whose browser it is, and what that is to show. */
export interface NewSession {
  tokenHash: Uint8Array;
  ipAddress: string | null;
  userAgent: string | null;
}

export interface CreateSession extends NewSession {
  userId: number;
  /** The hash that the password was right for. */
  passwordHash: string;
  /** Of a session that the browser has shown: it ends. */
  replaces: Uint8Array | null;
}

/** Signs a user in whose password was right; a user with a second factor only as far as to show that. */
export const createSession: Command<CreateSession, Outcome<{ pending: boolean }>> = async (
  transaction,
  { userId, passwordHash, replaces, ...browser },
  context,
) => {
  const { users, sessions } = transaction;
  const user = await users.find(userId);
  const secrets = await users.secrets(userId);
  const isRight = user?.role != null && user.disabledAt === null && secrets?.passwordHash === passwordHash;
  if (!user || !isRight) return refused('sign_in_refused');
  const earlier = replaces && (await sessions.find(replaces));
  // One with wrong codes stays, so that they count.
  if (earlier && earlier.session.failures === 0)
    await sessions.delete(earlier.session.userId, earlier.session.id);
  await begin(transaction, context, { userId, ...browser, secondFactor: null, pending: user.hasTotp });
  return done({ pending: user.hasTotp });
};

/** @param session.secondFactor by what it was shown; null for not at all */
export async function begin(
  { sessions }: Transaction,
  { now, record }: Pick<Context, 'now' | 'record'>,
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
  const about = { session: id, second_factor: secondFactor };
  record({ action: 'session.create', subject: { type: 'user', id: userId }, about });
}
