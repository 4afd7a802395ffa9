import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

/** Keeps the secret of an authenticator, which counts when a code of it was shown. */
export const beginTotp: Command<{ userId: number; secret: string }, Outcome<null>> = async (
  { users },
  { userId, secret },
) => {
  const user = await users.find(userId);
  if (!user) return refused('user_not_found', { named: String(userId) });
  if (user.hasTotp) return refused('totp_is_on');
  await users.update(userId, { totpPending: secret });
  return done(null);
};
