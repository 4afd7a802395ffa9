import type { ApiKey } from '../../../domain/api-key.ts';
import type { Reads } from '../../store.ts';

type FindByHash = Reads['apiKeys']['findByHash'];

/** Maximum number of cached keys. Beyond it, the oldest entry is removed. */
const KEYS_MAX = 10_000;

/**
 * Caches API keys in memory. Wrong keys are not cached. A wrong secret causes a read of the database, as a wrong key
 * does.
 * @param isFresh whether a key that was read this many milliseconds ago may still be used
 */
export function createApiKeyCache(findByHash: FindByHash, isFresh: (age: number) => boolean) {
  const cached = new Map<string, { apiKey: ApiKey; at: number }>();
  let changes = 0;
  return {
    async findByHash(
      keyHash: Uint8Array,
      isGood: (apiKey: ApiKey) => boolean = () => true,
    ): Promise<ApiKey | null> {
      const id = Buffer.from(keyHash).toString('latin1');
      const now = performance.now();
      const known = cached.get(id);
      if (known && isFresh(now - known.at) && isGood(known.apiKey)) return known.apiKey;
      const before = changes;
      const apiKey = await findByHash(keyHash);
      cached.delete(id);
      // A key that was read before a change must not be cached after it.
      if (apiKey && changes === before) {
        if (cached.size >= KEYS_MAX) cached.delete(cached.keys().next().value as string);
        cached.set(id, { apiKey, at: now });
      }
      return apiKey;
    },
    /** Empties the cache after a change. */
    forget(): void {
      changes++;
      cached.clear();
    },
  };
}
