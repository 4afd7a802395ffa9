import type { Actor } from '../../domain/actor.ts';
import { isUsable } from '../../domain/api-key.ts';
import { createApiKey } from '../api-keys/create-api-key.ts';
import { FULL_ACCESS, type HashedCredentials } from '../api-keys/credentials.ts';
import type { Command } from '../command.ts';

export const FIRST_USER = 1;
/** Does what nobody in particular asked for, as user 1. */
export const SYSTEM: Actor = {
  userId: FIRST_USER,
  via: 'system',
  apiKeyId: null,
  origin: null,
  products: null,
};

export interface SetUp {
  /** Becomes the first API key where there is none yet; null where none is wanted. */
  first: HashedCredentials | null;
  /** The key that the settings give. */
  configured: HashedCredentials | null;
}
export interface SetUpDone {
  /** Whether `first` is an API key now, to be shown once. */
  madeFirst: boolean;
  /** The key that the settings give was revoked earlier, or has expired, and stays so. */
  configuredIsRevoked: boolean;
}

/** Makes what the service needs to have: user 1, the API key that the settings give, or else a first one. */
export const setUp: Command<SetUp, SetUpDone> = async (transaction, { first, configured }, context) => {
  const { apiKeys, users } = transaction;
  if (!(await users.exists(FIRST_USER))) {
    const user = { id: FIRST_USER, name: 'owner', createdAt: context.now };
    await users.insert(user);
    context.record({ action: 'user.create', subject: { type: 'user', id: user.id }, after: user });
  }
  const create = (credentials: HashedCredentials, description: string) =>
    createApiKey(transaction, { ...credentials, ...FULL_ACCESS, userId: FIRST_USER, description }, context);

  if (!configured) {
    const madeFirst = first !== null && (await apiKeys.list()).length === 0;
    if (madeFirst) await create(first, 'Made at the first start');
    return { madeFirst, configuredIsRevoked: false };
  }
  const known = await apiKeys.findByHash(configured.keyHash);
  if (!known) await create(configured, 'From the settings');
  else {
    await apiKeys.replaceSecret(known.id, configured.secretHash);
    const subject = { type: 'api_key', id: known.id } as const;
    if (Buffer.compare(known.secretHash, configured.secretHash) !== 0)
      context.record({ action: 'api_key.replace_secret', subject });
  }
  return { madeFirst: false, configuredIsRevoked: known !== null && !isUsable(known, context.now) };
};
