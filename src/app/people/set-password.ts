import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export interface SetPassword {
  userId: number;
  passwordHash: string;
  /** The hash that the old password was right for. */
  verified: string;
  /** The session that goes on; the others of the user end. */
  session: number;
}

/** Changes the password of a user who has entered the old one. */
export const setPassword = defineCommand({
  name: 'set-password',
  audit: 'always',
  run: async (
    { users, sessions, invitations },
    { userId, passwordHash, verified, session }: SetPassword,
    { record },
  ): Promise<Outcome<null>> => {
    if ((await users.secrets(userId))?.passwordHash !== verified) return refused('user_changed_meanwhile');
    await users.update(userId, { passwordHash });
    await invitations.deleteOf(userId);
    const sessions_ended = await sessions.deleteOf(userId, session);
    record({ action: 'user.password', id: userId, about: { sessions_ended } });
    return done(null);
  },
});
