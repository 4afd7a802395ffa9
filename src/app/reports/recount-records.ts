import type { Command } from '../command.ts';

/** Mends the totals that lists tell, where somebody has changed what they are counted by. */
export const recountRecords: Command<Record<never, never>, null> = async ({ recordCounts }) => {
  await recordCounts.recount();
  return null;
};
