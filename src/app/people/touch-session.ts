import { touchedSince } from '../../domain/session.ts';
import type { Command } from '../command.ts';

/** Writes down when a session was last seen, where what stands there is some minutes old. */
export const touchSession: Command<{ id: number }, null> = async ({ sessions }, { id }, { now }) => {
  await sessions.touch(id, now, touchedSince(now));
  return null;
};
