import { isUsable } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { type Outcome, refused } from '../../domain/refusal.ts';
import { defineCommand } from '../command.ts';
import { findUnrevoked } from './api-keys.ts';
import { createApiKey } from './create-api-key.ts';
import type { HashedCredentials } from './credentials.ts';
import { revokeApiKey } from './revoke-api-key.ts';

export interface RotateApiKey extends HashedCredentials {
  id: number;
  /** When the old key ends at the latest; null to revoke it now. */
  endsAt: Datetime | null;
}

/** Replaces an API key by a new one with the same rights and the same end. Returns the id of the new one. */
export const rotateApiKey = defineCommand({
  name: 'rotate-api-key',
  audit: 'always',
  run: async (transaction, { id, endsAt, ...hashed }: RotateApiKey, context): Promise<Outcome<number>> => {
    const found = await findUnrevoked(transaction, id);
    if (!found.ok) return found;
    const { userId, description, permission, endpoints, products, expiresAt, replacedBy } = found.value;
    if (expiresAt !== null && !isUsable(found.value, context.now))
      return refused('api_key_expired', { id, since: expiresAt });
    // During a grace period, `expiresAt` is the end of that period, which another new key must not inherit.
    if (replacedBy !== null) return refused('api_key_replaced', { id, by: String(replacedBy) });
    const rights = { userId, description, permission, endpoints, products, expiresAt };
    const made = await createApiKey.run(transaction, { ...hashed, ...rights }, context);
    if (!made.ok) return made;
    if (endsAt === null) {
      const revoked = await revokeApiKey.run(transaction, { id }, context);
      return revoked.ok ? made : revoked;
    }
    const ends_at = expiresAt !== null && expiresAt < endsAt ? expiresAt : endsAt;
    await transaction.apiKeys.replace(id, made.value, ends_at);
    context.record({ action: 'api_key.rotate', id, about: { replaced_by: made.value, ends_at } });
    return made;
  },
});
