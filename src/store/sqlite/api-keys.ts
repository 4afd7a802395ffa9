import type { ApiKey } from '../../domain/api-key.ts';
import type { Reads } from '../store.ts';

type FindByHash = Reads['apiKeys']['findByHash'];

/**
 * Finds an API key once for all requests that the event loop has at hand, which mostly bear the same one. Nothing is
 * remembered from one of its turns to the next: what another process has revoked is refused at once.
 */
export function oncePerTurn(findByHash: FindByHash): FindByHash {
  const asked = new Map<string, Promise<ApiKey | null>>();
  const forget = () => asked.clear();
  return (keyHash) => {
    const id = Buffer.from(keyHash).toString('latin1');
    const known = asked.get(id);
    if (known) return known;
    if (asked.size === 0) setImmediate(forget);
    const found = findByHash(keyHash);
    asked.set(id, found);
    return found;
  };
}
