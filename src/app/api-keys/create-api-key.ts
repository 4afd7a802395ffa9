import type { ApiKeyLimits } from '../../domain/api-key.ts';
import { type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import type { HashedCredentials } from './credentials.ts';

export interface CreateApiKey extends ApiKeyLimits, HashedCredentials {
  userId: number;
  description: string;
}

/** Stores a new API key. The caller makes its key and secret, hashes them and shows them once. Returns its id. */
export const createApiKey = defineCommand({
  name: 'create-api-key',
  audit: 'always',
  run: async ({ apiKeys, users }, input: CreateApiKey, { now, record }): Promise<Outcome<number>> => {
    if (!(await users.exists(input.userId)))
      return refused('user_not_found', { named: String(input.userId) });
    const made = await unlessTaken(refused('api_key_exists'), () =>
      apiKeys.insert({ ...input, createdAt: now }),
    );
    if (made.ok) record({ action: 'api_key.create', id: made.value, after: input });
    return made;
  },
});
