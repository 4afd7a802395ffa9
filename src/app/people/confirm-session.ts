import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

export interface ConfirmSession {
  id: number;
  userId: number;
  /** The hash that the password was right for. */
  verified: string;
}

/** Notes that whoever has a session has given the password again. */
export const confirmSession: Command<ConfirmSession, Outcome<null>> = async (
  { users, sessions },
  { id, userId, verified },
  { now },
) => {
  if ((await users.secrets(userId))?.passwordHash !== verified) return refused('user_changed_meanwhile');
  await sessions.confirm(id, now);
  return done(null);
};
