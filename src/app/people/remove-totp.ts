import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export interface RemoveTotp {
  userId: number;
  /** The session that goes on; null to end all of the user's sessions. */
  session: number | null;
}

/** Turns the second factor off. */
export const removeTotp = defineCommand({
  name: 'remove-totp',
  audit: 'always',
  run: async ({ users, sessions }, { userId, session }: RemoveTotp, { record }): Promise<Outcome<null>> => {
    const user = await users.find(userId);
    if (!user) return refused('user_not_found', { named: String(userId) });
    if (!user.hasTotp) return refused('totp_is_off');
    await users.update(userId, { totpSecret: null, totpPending: null, totpLastStep: null });
    await users.replaceRecoveryCodes(userId, []);
    const sessions_ended = await sessions.deleteOf(userId, session);
    record({ action: 'user.totp', id: userId, about: { second_factor: false, sessions_ended } });
    return done(null);
  },
});
