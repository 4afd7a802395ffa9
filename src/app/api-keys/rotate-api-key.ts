import { isUsable } from '../../domain/api-key.ts';
import type { AuditFilter } from '../../domain/audit.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { MAX_REFERENCE } from '../../domain/fields.ts';
import { type Outcome, refused } from '../../domain/refusal.ts';
import type { Command } from '../command.ts';
import { createApiKey } from './create-api-key.ts';
import type { HashedCredentials } from './credentials.ts';

export interface RotateApiKey extends HashedCredentials {
  id: number;
  /** When the old key ends, where it does not sooner; null for at once and for good. */
  endsAt: Datetime | null;
}

/** Makes an API key with the rights of another, its end included, and lets that one end. Answers the id of the new one. */
export const rotateApiKey: Command<RotateApiKey, Outcome<number>> = async (
  transaction,
  { id, endsAt, ...hashed },
  context,
) => {
  const { apiKeys, audit } = transaction;
  const old = await apiKeys.find(id);
  if (!old) return refused('api_key_not_found', { named: String(id) });
  if (old.revokedAt !== null) return refused('api_key_revoked', { id, since: old.revokedAt });
  if (old.expiresAt !== null && !isUsable(old, context.now))
    return refused('api_key_expired', { id, since: old.expiresAt });
  // What it has of an end is that of the grace then, which another new key would take over.
  const [replaced] = await audit.list(rotationOf(id), { above: 0, upTo: MAX_REFERENCE, limit: 1 });
  if (replaced) return refused('api_key_replaced', { id, by: String(replaced.details.about?.replaced_by) });
  const { userId, description, permission, endpoints, products, expiresAt } = old;
  const made = await createApiKey(
    transaction,
    { ...hashed, userId, description, permission, endpoints, products, expiresAt },
    context,
  );
  if (!made.ok) return made;
  const subject = { type: 'api_key', id } as const;
  if (endsAt === null) {
    await apiKeys.revoke(id, context.now);
    context.record({ action: 'api_key.revoke', subject, about: { revoked_at: context.now } });
  } else {
    await apiKeys.expire(id, endsAt);
    context.record({
      action: 'api_key.rotate',
      subject,
      about: {
        replaced_by: made.value,
        ends_at: expiresAt !== null && expiresAt < endsAt ? expiresAt : endsAt,
      },
    });
  }
  return made;
};

const rotationOf = (id: number): AuditFilter => ({
  ...{ action: ['api_key.rotate'], subject: { type: 'api_key', id } },
  ...{ apiKeyId: null, userId: null, from: null, to: null },
});
