import { idleSince } from '../../domain/session.ts';
import type { Command } from '../command.ts';

/** Removes sessions that have ended by themselves, and links that are good no more. */
export const discardSessions: Command<null, null> = async ({ sessions, invitations }, _, { now }) => {
  await sessions.discard(now, idleSince(now));
  await invitations.discard(now);
  return null;
};
