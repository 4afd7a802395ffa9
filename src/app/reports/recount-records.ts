import { defineCommand } from '../command.ts';

/** Corrects the totals of lists, if somebody has changed the triggers or counters that keep them. */
export const recountRecords = defineCommand({
  name: 'recount-records',
  audit: { never: 'totals of what is there' },
  run: async ({ recordCounts }, _input: Record<never, never>): Promise<null> => {
    await recordCounts.recount();
    return null;
  },
});
