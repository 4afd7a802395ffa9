import assert from 'node:assert/strict';
import {
  type Credentials,
  FULL_ACCESS,
  hashCredentials,
  makeCredentials,
} from '../../../src/app/api-keys/credentials.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import type { ApiKeyRights } from '../../../src/domain/api-key.ts';
import type { Running } from '../service.ts';
import { type Api, createApi } from './api.ts';

export interface LimitedApi extends Api {
  credentials: Credentials;
  apiKeyId: number;
}

/** Creates a client with a new API key, which has full access except for the given limits. */
export async function withApiKey(
  { root, service }: Running,
  { userId = 1, ...limits }: Partial<ApiKeyRights> & { userId?: number } = {},
): Promise<LimitedApi> {
  const credentials = makeCredentials();
  const made = await service.execute(
    'create-api-key',
    { ...hashCredentials(credentials), ...FULL_ACCESS, ...limits, userId, description: 'Test' },
    SYSTEM,
  );
  assert.ok(made.ok);
  return { ...createApi(root, credentials), credentials, apiKeyId: made.value };
}
