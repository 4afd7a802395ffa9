import { isDeepStrictEqual } from 'node:util';
import { FIRST_USER } from '../../domain/actor.ts';
import { isUsable } from '../../domain/api-key.ts';
import { createApiKey, updateApiKey } from '../api-keys/api-keys.ts';
import { FULL_ACCESS, type HashedCredentials } from '../api-keys/credentials.ts';
import { defineCommand } from '../command.ts';
import { makeSigningKeys } from '../keys/signing-key-commands.ts';

export interface SetUp {
  /** The API key to create if there is none yet; null to create none. */
  first: HashedCredentials | null;
  /** The API key from the settings; null if the settings have none. */
  configured: HashedCredentials | null;
}
export interface SetUpDone {
  /** Whether `first` was created and must be shown once. */
  madeFirst: boolean;
  /** Whether the key from the settings is revoked or has expired. Setup does not change that. */
  configuredIsRevoked: boolean;
}

/** Without the compatibility: programs that use the key depend on it. */
const { permission, endpoints, products, expiresAt } = FULL_ACCESS;
const EVERY_RIGHT = { permission, endpoints, products, expiresAt };

/**
 * Creates what is missing: user 1, the keys that sign leases, and the API key from the settings, or else a first one.
 * Gives an existing key from the settings the secret in the settings and every right.
 */
export const setUp = defineCommand({
  name: 'set-up',
  audit: 'always',
  run: async (transaction, { first, configured }: SetUp, context): Promise<SetUpDone> => {
    const { apiKeys, users } = transaction;
    if (!(await users.find(FIRST_USER))) {
      const user = { id: FIRST_USER, name: 'owner', createdAt: context.now };
      await users.insert(user);
      context.record({ action: 'user.create', id: user.id, after: user });
    }
    await makeSigningKeys.run(transaction, null, context);
    const create = (credentials: HashedCredentials, description: string) => {
      const input = { ...credentials, ...FULL_ACCESS, userId: FIRST_USER, description };
      return createApiKey.run(transaction, input, context);
    };

    if (!configured) {
      const madeFirst = first !== null && (await apiKeys.list()).length === 0;
      if (madeFirst) await create(first, 'Made at the first start');
      return { madeFirst, configuredIsRevoked: false };
    }
    const known = await apiKeys.findByHash(configured.keyHash);
    if (!known) await create(configured, 'From the settings');
    else if (Buffer.compare(known.secretHash, configured.secretHash) !== 0) {
      await apiKeys.update(known.id, { secretHash: configured.secretHash });
      context.record({ action: 'api_key.replace_secret', id: known.id });
    }
    const configuredIsRevoked = known !== null && !isUsable(known, context.now);
    const mayBeWidened = known && !configuredIsRevoked && known.replacedBy === null;
    if (mayBeWidened && !isDeepStrictEqual(known, { ...known, ...EVERY_RIGHT })) {
      const widening = { id: known.id, changes: EVERY_RIGHT, configuredKey: null };
      await updateApiKey.run(transaction, widening, context);
    }
    return { madeFirst: false, configuredIsRevoked };
  },
});
