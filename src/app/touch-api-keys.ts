import type { Datetime } from '../domain/datetime.ts';
import type { Command } from './command.ts';

/** Writes down when API keys were last used; gathered in memory meanwhile, so that no request waits for it. */
export const touchApiKeys: Command<{ id: number; at: Datetime }[], null> = async ({ apiKeys }, uses) => {
  for (const { id, at } of uses) await apiKeys.touch(id, at);
  return null;
};
