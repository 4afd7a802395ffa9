import type { Command } from '../command.ts';

/** Forgets the counts whose time is over. */
export const forgetRequestCounts: Command<{ at: number }, null> = async ({ requestCounts }, { at }) => {
  await requestCounts.forget(at);
  return null;
};
