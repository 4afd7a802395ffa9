import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export interface ConfirmTotp {
  userId: number;
  /** The secret that the code was right for, and the time step of the code. */
  secret: string;
  step: number;
  recoveryHashes: readonly Uint8Array[];
  /** The session that goes on; the others of the user end. */
  session: number;
}

/** Turns the second factor on. */
export const confirmTotp = defineCommand({
  name: 'confirm-totp',
  audit: 'always',
  run: async (
    { users, sessions },
    { userId, secret, step, recoveryHashes, session }: ConfirmTotp,
    { record },
  ): Promise<Outcome<null>> => {
    const secrets = await users.secrets(userId);
    if (secrets?.totpPending !== secret || secrets.totpSecret !== null)
      return refused('user_changed_meanwhile');
    await users.update(userId, { totpSecret: secret, totpPending: null, totpLastStep: step });
    await users.replaceRecoveryCodes(userId, recoveryHashes);
    const sessions_ended = await sessions.deleteOf(userId, session);
    record({ action: 'user.totp', id: userId, about: { second_factor: true, sessions_ended } });
    return done(null);
  },
});
