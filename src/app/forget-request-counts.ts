import type { Command } from './command.ts';

/** Forgets the counts of minutes that are over. */
export const forgetRequestCounts: Command<{ at: number }, null> = async ({ requestCounts }, { at }) => {
  await requestCounts.forget(at);
  return null;
};
