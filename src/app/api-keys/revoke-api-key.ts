import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';

/** Ends an API key for good; requests with it are refused from now on. */
export const revokeApiKey = defineCommand({
  name: 'revoke-api-key',
  audit: 'always',
  run: async ({ apiKeys }, { id }: { id: number }, { now, record }): Promise<Outcome<null>> => {
    if (!(await apiKeys.revoke(id, now))) return refused('api_key_not_found', { named: String(id) });
    record({ action: 'api_key.revoke', id, about: { revoked_at: now } });
    return done(null);
  },
});
