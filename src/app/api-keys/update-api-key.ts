import type { ApiKeyValues } from '../../domain/api-key.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { findUnrevoked } from './api-keys.ts';

export interface UpdateApiKey {
  id: number;
  changes: Partial<ApiKeyValues>;
  /** Hash of the consumer key that the settings give; null if they give none. */
  configuredKey: Uint8Array | null;
}

/** Changes what an API key may do, from the next request on. */
export const updateApiKey = defineCommand({
  name: 'update-api-key',
  audit: 'always',
  run: async (
    transaction,
    { id, changes, configuredKey }: UpdateApiKey,
    { record },
  ): Promise<Outcome<null>> => {
    const found = await findUnrevoked(transaction, id);
    if (!found.ok) return found;
    const { apiKeys } = transaction;
    // The key of the settings always has full permission: no database may hold less for it.
    if (configuredKey !== null && (await apiKeys.findByHash(configuredKey))?.id === id)
      return refused('api_key_of_settings', { id });
    if (Object.keys(changes).length === 0) return done(null);
    await apiKeys.update(id, changes);
    record({ action: 'api_key.update', id, before: found.value, after: { ...found.value, ...changes } });
    return done(null);
  },
});
