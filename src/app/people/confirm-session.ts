import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export interface ConfirmSession {
  id: number;
  userId: number;
  /** The hash that the password was right for. */
  verified: string;
}

/** Notes that the user of a session has entered the password again. */
export const confirmSession = defineCommand({
  name: 'confirm-session',
  audit: { never: 'what the session is then used for is recorded' },
  run: async (
    { users, sessions },
    { id, userId, verified }: ConfirmSession,
    { now },
  ): Promise<Outcome<null>> => {
    if ((await users.secrets(userId))?.passwordHash !== verified) return refused('user_changed_meanwhile');
    await sessions.confirm(id, now);
    return done(null);
  },
});
