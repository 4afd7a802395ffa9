import type { Datetime } from '../../domain/datetime.ts';
import type { Command } from '../command.ts';

/** Writes down when API keys were last used; gathered in memory meanwhile, so that no request waits for it. */
export const touchApiKeys: Command<{ id: number; at: Datetime }[], null> = async ({ apiKeys }, uses) => {
  // In one order on every node, so that none waits for another that waits for it.
  const sorted = uses.toSorted((one, other) => one.id - other.id);
  await Promise.all(sorted.map(({ id, at }) => apiKeys.touch(id, at)));
  return null;
};
