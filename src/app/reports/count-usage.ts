import type { UsageCount } from '../../domain/audit.ts';
import type { Command } from '../command.ts';

/** Adds to the counts of days; gathered in memory meanwhile, so that no request waits for it. */
export const countUsage: Command<UsageCount[], null> = async ({ audit }, counts) => {
  const placeOf = ({ day, counted }: UsageCount) => `${day} ${counted}`;
  // In one order on every node, so that none waits for another that waits for it.
  await audit.count(counts.toSorted((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1)));
  return null;
};
