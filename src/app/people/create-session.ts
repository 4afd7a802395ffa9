import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { sessionEnd } from '../../domain/session.ts';
import type { Transaction } from '../../store/store.ts';
import { type Context, defineCommand } from '../command.ts';

/** The browser of a session, and the hash of the token that it shows. */
export interface NewSession {
  tokenHash: Uint8Array;
  ipAddress: string | null;
  userAgent: string | null;
}

export interface CreateSession extends NewSession {
  userId: number;
  /** The hash that the password was right for. */
  passwordHash: string;
  /** The hash of the token that the browser had before; its session ends. */
  replaces: Uint8Array | null;
}

/** Signs a user in after the right password; a user with a second factor only until the code. */
export const createSession = defineCommand({
  name: 'create-session',
  audit: 'always',
  run: async (
    transaction,
    { userId, passwordHash, replaces, ...browser }: CreateSession,
    context,
  ): Promise<Outcome<{ pending: boolean }>> => {
    const { users, sessions } = transaction;
    const user = await users.find(userId);
    const secrets = await users.secrets(userId);
    const isRight = user?.role != null && user.disabledAt === null && secrets?.passwordHash === passwordHash;
    if (!user || !isRight) return refused('sign_in_refused');
    const earlier = replaces && (await sessions.find(replaces));
    // A session with wrong codes stays: the codes count.
    if (earlier && earlier.session.failures === 0)
      await sessions.delete(earlier.session.userId, earlier.session.id);
    await begin(transaction, context, { userId, ...browser, secondFactor: null, pending: user.hasTotp });
    return done({ pending: user.hasTotp });
  },
});

/** @param session.secondFactor how the user showed it; null if it was not asked for */
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
  record({ action: 'session.create', id: userId, about: { session: id, second_factor: secondFactor } });
}
