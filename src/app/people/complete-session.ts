import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { CODES_MAX, FAILURES_MAX, isLive } from '../../domain/session.ts';
import type { Transaction } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { begin, type NewSession } from './create-session.ts';

/** A code of an authenticator that was looked at, or a recovery code. */
export type ShownCode =
  | { kind: 'totp'; secret: string; step: number | null }
  | { kind: 'recovery_code'; hash: Uint8Array };

export interface CompleteSession extends NewSession {
  /** Of the session that waits for the second factor. */
  pendingHash: Uint8Array;
  shown: ShownCode;
}

/** Replaces a session that waits for the second factor, if the code is right. */
export const completeSession = defineCommand({
  name: 'complete-session',
  audit: 'always',
  run: async (
    transaction,
    { pendingHash, shown, ...browser }: CompleteSession,
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
    if (shown.kind === 'totp') {
      // Sessions with wrong codes are kept until they expire, so that their codes count.
      const waiting = (await sessions.ofUser(userId)).filter(
        (one) => one.pending && one.expiresAt > context.now,
      );
      if (waiting.reduce((sum, one) => sum + one.failures, 0) >= CODES_MAX) return refused('too_many_codes');
    }
    if (!(await isRight(transaction, userId, shown, context.now))) {
      await sessions.noteFailure(id);
      return done({ right: false, left: Math.max(0, FAILURES_MAX - failures - 1) });
    }
    await sessions.delete(userId, id);
    await begin(transaction, context, { userId, ...browser, secondFactor: shown.kind, pending: false });
    return done({ right: true, left: 0 });
  },
});

/** Uses the code, which works once. */
async function isRight(
  { users }: Transaction,
  userId: number,
  shown: ShownCode,
  now: string,
): Promise<boolean> {
  if (shown.kind === 'recovery_code') return users.useRecoveryCode(userId, shown.hash, now);
  const secrets = await users.secrets(userId);
  const { step, secret } = shown;
  if (step === null || secrets?.totpSecret !== secret || step <= (secrets.totpLastStep ?? -1)) return false;
  await users.update(userId, { totpLastStep: step });
  return true;
}
