import { defineCommand } from '../command.ts';

/** Corrects the totals of lists, after manual changes to the triggers or counters that maintain them. */
export const recountRecords = defineCommand({
  name: 'recount-records',
  audit: { never: 'totals of existing records' },
  run: async ({ recordCounts }, _input: Record<never, never>): Promise<null> => {
    await recordCounts.recount();
    return null;
  },
});
