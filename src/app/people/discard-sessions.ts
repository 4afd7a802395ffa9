import { idleSince } from '../../domain/session.ts';
import { defineCommand } from '../command.ts';

/** Deletes sessions and links that have expired. */
export const discardSessions = defineCommand({
  name: 'discard-sessions',
  guarded: true,
  audit: { never: 'what had expired before' },
  run: async ({ sessions, invitations }, _input: null, { now }): Promise<null> => {
    await sessions.discard(now, idleSince(now));
    await invitations.discard(now);
    return null;
  },
});
