import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

export interface EndSessions {
  userId: number;
  /** One session of the user, or all except one; null for all. */
  which: { id: number } | { except: number | null };
}

/** Signs a user out, in one browser or in several. Returns how many sessions ended. */
export const endSessions = defineCommand({
  name: 'end-sessions',
  audit: 'always',
  run: async ({ sessions }, { userId, which }: EndSessions, { record }): Promise<Outcome<number>> => {
    if ('id' in which) {
      if (!(await sessions.delete(userId, which.id)))
        return refused('session_not_found', { named: String(which.id) });
      record({ action: 'session.end', id: userId, about: { session: which.id } });
      return done(1);
    }
    const ended = await sessions.deleteOf(userId, which.except);
    if (ended > 0) record({ action: 'session.end', id: userId, about: { sessions: ended } });
    return done(ended);
  },
});
