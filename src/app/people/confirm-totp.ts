import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

export interface ConfirmTotp {
  userId: number;
  /** That the code was right for, and its time step. */
  secret: string;
  step: number;
  recoveryHashes: readonly Uint8Array[];
  /** The session that goes on; the others of the user end. */
  session: number;
}

/** From now on the user is asked for a second factor. */
export const confirmTotp: Command<ConfirmTotp, Outcome<null>> = async (
  { users, sessions },
  { userId, secret, step, recoveryHashes, session },
  { record },
) => {
  const secrets = await users.secrets(userId);
  if (secrets?.totpPending !== secret || secrets.totpSecret !== null)
    return refused('user_changed_meanwhile');
  await users.update(userId, { totpSecret: secret, totpPending: null, totpLastStep: step });
  await users.replaceRecoveryCodes(userId, recoveryHashes);
  const sessions_ended = await sessions.deleteOf(userId, session);
  const about = { second_factor: true, sessions_ended };
  record({ action: 'user.totp', subject: { type: 'user', id: userId }, about });
  return done(null);
};
