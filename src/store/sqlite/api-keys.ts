import type { ApiKey } from '../../domain/api-key.ts';
import type { Reads } from '../store.ts';

type FindByHash = Reads['apiKeys']['findByHash'];

/**
 * Finds an API key once for all requests that the event loop has at hand, which mostly bear the same one. Nothing is
 * remembered from one of its turns to the next: what another process has revoked is refused at once.
 */
export function oncePerTurn(findByHash: FindByHash): FindByHash {
  // By the hash itself, not by its bytes: authentication has one hash for all requests with the same header.
  const asked = new Map<Uint8Array, Promise<ApiKey | null>>();
  const forget = () => asked.clear();
  return (keyHash) => {
    const known = asked.get(keyHash);
    if (known) return known;
    if (asked.size === 0) setImmediate(forget);
    const found = findByHash(keyHash);
    asked.set(keyHash, found);
    return found;
  };
}
