import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

/** Ends an API key for good; it is refused from the next request on. */
export const revokeApiKey: Command<{ id: number }, Outcome<null>> = async (
  { apiKeys },
  { id },
  { now, record },
) => {
  if (!(await apiKeys.revoke(id, now))) return refused('api_key_not_found', { named: String(id) });
  record({ action: 'api_key.revoke', subject: { type: 'api_key', id }, about: { revoked_at: now } });
  return done(null);
};
