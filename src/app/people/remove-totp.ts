import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

/** The user is asked for a second factor no more. @param session that goes on; the others end, all where it is null */
export const removeTotp: Command<{ userId: number; session: number | null }, Outcome<null>> = async (
  { users, sessions },
  { userId, session },
  { record },
) => {
  const user = await users.find(userId);
  if (!user) return refused('user_not_found', { named: String(userId) });
  if (!user.hasTotp) return refused('totp_is_off');
  await users.update(userId, { totpSecret: null, totpPending: null, totpLastStep: null });
  await users.replaceRecoveryCodes(userId, []);
  const sessions_ended = await sessions.deleteOf(userId, session);
  const about = { second_factor: false, sessions_ended };
  record({ action: 'user.totp', subject: { type: 'user', id: userId }, about });
  return done(null);
};
