import { touchedSince } from '../../domain/session.ts';
import { defineCommand } from '../command.ts';

/** Stores when a session was last seen, unless the stored time is only a few minutes old. */
export const touchSession = defineCommand({
  name: 'touch-session',
  guarded: true,
  audit: { never: 'when a session was last seen' },
  run: async ({ sessions }, { id }: { id: number }, { now }): Promise<null> => {
    await sessions.touch(id, now, touchedSince(now));
    return null;
  },
});
