import { defineCommand } from '../command.ts';

/** Recounts the totals of lists, for use after manual changes to the triggers or counters that maintain the totals. */
export const recountRecords = defineCommand({
  name: 'recount-records',
  audit: { never: 'totals of existing records' },
  run: async ({ recordCounts }, _input: Record<never, never>): Promise<null> => {
    await recordCounts.recount();
    return null;
  },
});
