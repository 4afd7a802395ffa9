import { type ApiKey, type ApiKeyRights, type ApiKeyValues, isUsable } from '../../domain/api-key.ts';
import type { Datetime } from '../../domain/datetime.ts';
import { done, notFound, type Outcome, refused } from '../../domain/refusal.ts';
import type { Transaction } from '../../store/store.ts';
import { defineCommand } from '../command.ts';
import { unlessTaken } from '../unless-taken.ts';
import type { HashedCredentials } from './credentials.ts';

async function findUnrevoked({ apiKeys }: Transaction, id: number): Promise<Outcome<ApiKey>> {
  const apiKey = await apiKeys.find(id);
  if (!apiKey) return notFound('api_key', String(id));
  if (apiKey.revokedAt !== null) return refused('api_key_revoked', { id, since: apiKey.revokedAt });
  return done(apiKey);
}

export type CreateApiKey = HashedCredentials & ApiKeyRights & Pick<ApiKey, 'userId' | 'description'>;

/** Stores a new API key. The caller makes the credentials and shows them once. Returns the id. */
export const createApiKey = defineCommand({
  name: 'create-api-key',
  audit: 'always',
  run: async ({ apiKeys, users }, input: CreateApiKey, { now, record }): Promise<Outcome<number>> => {
    const { userId } = input;
    if (!(await users.find(userId))) return notFound('user', String(userId));
    const row = { ...input, hashedBy: 'sha256' as const, createdAt: now };
    const insert = () => apiKeys.insert(row);
    const created = await unlessTaken(refused('api_key_exists'), insert);
    if (created.ok) record({ action: 'api_key.create', id: created.value, after: row });
    return created;
  },
});

interface UpdateApiKey {
  id: number;
  changes: Partial<ApiKeyValues>;
  /** Hash of the consumer key in the settings; null if the settings have none. */
  configuredKey: Uint8Array | null;
}

/** Changes an API key. The changes apply from the next request on. */
export const updateApiKey = defineCommand({
  name: 'update-api-key',
  audit: 'always',
  run: async (transaction, input: UpdateApiKey, { record }): Promise<Outcome<null>> => {
    const { apiKeys } = transaction;
    const { id, changes, configuredKey } = input;
    const found = await findUnrevoked(transaction, id);
    if (!found.ok) return found;
    // The API key from the settings always has full permission.
    if (configuredKey !== null && (await apiKeys.findByHash(configuredKey))?.id === id)
      return refused('api_key_of_settings', { id });
    if (Object.keys(changes).length === 0) return done(null);
    await apiKeys.update(id, changes);
    record({ action: 'api_key.update', id, before: found.value, after: { ...found.value, ...changes } });
    return done(null);
  },
});

/** Revokes an API key for good. Requests with it are refused from now on. */
export const revokeApiKey = defineCommand({
  name: 'revoke-api-key',
  audit: 'always',
  run: async (transaction, { id }: { id: number }, { now, record }): Promise<Outcome<null>> => {
    const found = await findUnrevoked(transaction, id);
    if (!found.ok) return found;
    await transaction.apiKeys.update(id, { revokedAt: now });
    record({ action: 'api_key.revoke', id, about: { revoked_at: now } });
    return done(null);
  },
});

interface RotateApiKey extends HashedCredentials {
  id: number;
  /** The latest expiry of the old key; null to revoke the old key now. */
  endsAt: Datetime | null;
}

/** Replaces an API key with a new key of the same rights and expiry. Returns the id of the new key. */
export const rotateApiKey = defineCommand({
  name: 'rotate-api-key',
  audit: 'always',
  run: async (transaction, { id, endsAt, ...hashed }: RotateApiKey, context): Promise<Outcome<number>> => {
    const found = await findUnrevoked(transaction, id);
    if (!found.ok) return found;
    const { userId, description, expiresAt, replacedBy } = found.value;
    if (expiresAt !== null && !isUsable(found.value, context.now))
      return refused('api_key_expired', { id, since: expiresAt });
    // A replaced key's `expiresAt` is the end of its grace period, which a second replacement must not inherit.
    if (replacedBy !== null) return refused('api_key_replaced', { id, by: String(replacedBy) });
    const { permission, endpoints, products, compatibility, lmfwcVersion } = found.value;
    const rights = { permission, endpoints, products, compatibility, lmfwcVersion, expiresAt };
    const created = await createApiKey.run(
      transaction,
      { ...hashed, ...rights, userId, description },
      context,
    );
    if (!created.ok) return created;
    const end = endsAt ?? context.now;
    const ends_at = expiresAt !== null && expiresAt < end ? expiresAt : end;
    await transaction.apiKeys.update(id, { replacedBy: created.value, expiresAt: ends_at });
    context.record({ action: 'api_key.rotate', id, about: { replaced_by: created.value, ends_at } });
    if (endsAt !== null) return created;
    const revoked = await revokeApiKey.run(transaction, { id }, context);
    return revoked.ok ? created : revoked;
  },
});
