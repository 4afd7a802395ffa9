import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

export interface SetPassword {
  userId: number;
  passwordHash: string;
  /** The hash that the password before was right for. */
  verified: string;
  /** The session that goes on; the others of the user end. */
  session: number;
}

/** Gives a user another password, who has shown the one before. */
export const setPassword: Command<SetPassword, Outcome<null>> = async (
  { users, sessions, invitations },
  { userId, passwordHash, verified, session },
  { record },
) => {
  if ((await users.secrets(userId))?.passwordHash !== verified) return refused('user_changed_meanwhile');
  await users.update(userId, { passwordHash });
  await invitations.deleteOf(userId);
  const sessions_ended = await sessions.deleteOf(userId, session);
  record({ action: 'user.password', subject: { type: 'user', id: userId }, about: { sessions_ended } });
  return done(null);
};
