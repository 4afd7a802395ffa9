import type { ApiKeyValues } from '../../domain/api-key.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';

export interface UpdateApiKey {
  id: number;
  changes: Partial<ApiKeyValues>;
  /** Hash of the consumer key that the settings give; null where they give none. */
  configuredKey: Uint8Array | null;
}

/** Changes what an API key may do; that holds from the next request on. */
export const updateApiKey: Command<UpdateApiKey, Outcome<null>> = async (
  { apiKeys },
  { id, changes, configuredKey },
  { record },
) => {
  const apiKey = await apiKeys.find(id);
  if (!apiKey) return refused('api_key_not_found', { named: String(id) });
  if (apiKey.revokedAt !== null) return refused('api_key_revoked', { id, since: apiKey.revokedAt });
  // It has every right wherever the settings make it; what another database has for it should not be less.
  if (configuredKey !== null && (await apiKeys.findByHash(configuredKey))?.id === id)
    return refused('api_key_of_settings', { id });
  if (Object.keys(changes).length === 0) return done(null);
  if (!(await apiKeys.update(id, changes))) return refused('api_key_not_found', { named: String(id) });
  const subject = { type: 'api_key', id } as const;
  record({ action: 'api_key.update', subject, before: apiKey, after: { ...apiKey, ...changes } });
  return done(null);
};
