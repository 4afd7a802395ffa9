import type { ApiKeyLimits } from '../../domain/api-key.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { UniqueViolation } from '../../store/store.ts';
import type { Command } from '../command.ts';

export interface CreateApiKey extends ApiKeyLimits {
  userId: number;
  description: string;
  keyHash: Uint8Array;
  keyEnding: string;
  secretHash: Uint8Array;
}

/** Keeps a new API key; its key and secret were made, hashed and are shown by the caller. Answers its id. */
export const createApiKey: Command<CreateApiKey, Outcome<number>> = async (
  { apiKeys, users },
  input,
  { now, record },
) => {
  if (!(await users.exists(input.userId))) return refused('user_not_found', { named: String(input.userId) });
  try {
    const id = await apiKeys.insert({ ...input, createdAt: now });
    record({ action: 'api_key.create', subject: { type: 'api_key', id }, after: input });
    return done(id);
  } catch (error) {
    if (error instanceof UniqueViolation) return refused('api_key_exists');
    throw error;
  }
};
