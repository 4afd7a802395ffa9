import type { ApiKey } from '../../domain/api-key.ts';
import { done, type Outcome, refused } from '../../domain/refusal.ts';
import type { Transaction } from '../../store/store.ts';

/** The API key of an id, unless it was revoked. */
export async function findUnrevoked(
  { apiKeys }: Pick<Transaction, 'apiKeys'>,
  id: number,
): Promise<Outcome<ApiKey>> {
  const apiKey = await apiKeys.find(id);
  if (!apiKey) return refused('api_key_not_found', { named: String(id) });
  if (apiKey.revokedAt !== null) return refused('api_key_revoked', { id, since: apiKey.revokedAt });
  return done(apiKey);
}
