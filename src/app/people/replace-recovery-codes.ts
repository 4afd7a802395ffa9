import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

export interface ReplaceRecoveryCodes {
  userId: number;
  hashes: readonly Uint8Array[];
}

/** Gives a user with a second factor other recovery codes; those before are good no more. */
export const replaceRecoveryCodes: Command<ReplaceRecoveryCodes, Outcome<null>> = async (
  { users },
  { userId, hashes },
  { record },
) => {
  const user = await users.find(userId);
  if (!user?.hasTotp) return refused('totp_is_off');
  await users.replaceRecoveryCodes(userId, hashes);
  record({ action: 'user.recovery_codes', subject: { type: 'user', id: userId } });
  return done(null);
};
