import { done, type Outcome, refused } from '../domain/refusal.ts';
import type { Command } from './command.ts';

/** Ends an API key for good; it is refused from the next request on. */
export const revokeApiKey: Command<{ id: number }, Outcome<null>> = async ({ apiKeys }, { id }, { now }) =>
  (await apiKeys.revoke(id, now)) ? done(null) : refused({ reason: 'api_key_not_found', named: String(id) });
