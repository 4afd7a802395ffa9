import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

export interface EndSessions {
  userId: number;
  /** One of the user, or all but one; null for all. */
  which: { id: number } | { except: number | null };
}

/** Signs a user out, in one browser or in others: how many sessions ended. */
export const endSessions: Command<EndSessions, Outcome<number>> = async (
  { sessions },
  { userId, which },
  { record },
) => {
  const ended =
    'id' in which
      ? Number(await sessions.delete(userId, which.id))
      : await sessions.deleteOf(userId, which.except);
  if (ended === 0 && 'id' in which) return refused('session_not_found', { named: String(which.id) });
  const about = 'id' in which ? { session: which.id } : { sessions: ended };
  if (ended > 0) record({ action: 'session.end', subject: { type: 'user', id: userId }, about });
  return done(ended);
};
