import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { type Credentials, hashCredentials, makeCredentials } from '../../../app/api-keys/credentials.ts';
import {
  API_KEY_DEFAULTS,
  apiKeyShape,
  CLIENT_PRESET,
  COMPATIBILITIES,
  DEFAULT_GRACE,
  DEFAULT_GRACE_MS,
  ENDPOINTS,
  endOfGrace,
  endProblem,
  grace,
  PERMISSIONS,
} from '../../../domain/api-key.ts';
import { type Datetime, toDatetime } from '../../../domain/datetime.ts';
import { optional, withDefaults } from '../../../domain/fields.ts';
import { record } from '../../docs/components.ts';
import { refuse } from '../../errors.ts';
import { create, update } from '../../input.ts';
import { sessionOf } from '../../people/session.ts';
import type { Services } from '../../services.ts';
import { adminRouter, etag, idOf, nullable, withEtag } from '../route.ts';

const endpoint = Type.Enum(ENDPOINTS);
const ApiKeyRecord = record('ApiKey', {
  id: Type.Integer(),
  description: Type.String(),
  user_id: Type.Integer(),
  /** Null if the user is gone. */
  user_name: nullable(Type.String()),
  /** The last characters of the consumer key. */
  key_ending: Type.String(),
  permission: Type.Enum(PERMISSIONS),
  /** Null allows every endpoint. */
  endpoints: nullable(Type.Array(endpoint)),
  /** Null allows every product. */
  products: nullable(Type.Array(Type.Integer())),
  compatibility: Type.Enum(COMPATIBILITIES),
  lmfwc_version: Type.Integer(),
  created_at: Type.String(),
  last_access_at: nullable(Type.String()),
  expires_at: nullable(Type.String()),
  revoked_at: nullable(Type.String()),
  /** Whether another API key replaces this one, which works for its grace period only. */
  is_replaced: Type.Boolean(),
  /** Whether LATCHKEY_CONSUMER_KEY sets this API key. */
  is_of_settings: Type.Boolean(),
  etag,
});

const NewApiKey = Type.Object({
  api_key: ApiKeyRecord,
  /** The answer is the only place where the consumer key and secret are shown. */
  consumer_key: Type.String(),
  consumer_secret: Type.String(),
});

const rotateShape = { grace: optional(grace) };
const session = 'api_keys.manage';
const keyId = ({ id }: { id: string }) => idOf(id, 'api_key');

export function apiKeyRoutes(app: FastifyInstance, services: Services): void {
  const { store, clock, installation } = services;
  const route = adminRouter(app, 'API keys');
  const tagged = withEtag('api_key', store);
  /** Creating or extending a key requires a recently entered password: the key outlives the session. */
  const confirmed = true;

  /** Returns the records of all API keys. */
  async function records() {
    const all = await store.read.apiKeys.list();
    const names = await store.read.users.names([...new Set(all.map(({ userId }) => userId))]);
    const { configuredKey } = installation;
    const configured = configuredKey && (await store.read.apiKeys.findByHash(configuredKey));
    return all.map((one) => ({
      ...tagged(one),
      userName: names.get(one.userId) ?? null,
      isReplaced: one.replacedBy !== null,
      isOfSettings: one.id === configured?.id,
    }));
  }
  /** Returns the record of an API key. @throws 404 */
  async function recordOf(id: number) {
    const found = (await records()).find((one) => one.id === id);
    if (!found) throw refuse('record_not_found', { kind: 'api_key', named: String(id) });
    return found;
  }
  const created = async (id: number, credentials: Credentials) => ({
    apiKey: await recordOf(id),
    ...credentials,
  });
  /** Refuses an expiry in the past. @throws 422 */
  function checkEnd(expiresAt: Datetime | null): void {
    const problem = endProblem(expiresAt, toDatetime(clock()));
    if (problem !== null) throw refuse('invalid', { fields: { expiresAt: problem } });
  }

  route.get('/api-keys', {
    operationId: 'listApiKeys',
    summary: 'List API keys, newest first, and the endpoints that a key can be allowed to call',
    session,
    data: Type.Object({
      items: Type.Array(ApiKeyRecord),
      endpoints: Type.Array(endpoint),
      /** The endpoints for a key that is shipped inside a program; its permission is `read`. */
      client_endpoints: Type.Array(endpoint),
      /** The base address of the v1 API. */
      api_root: Type.String(),
    }),
    handler: async ({ request }) => ({
      items: await records(),
      endpoints: ENDPOINTS,
      clientEndpoints: CLIENT_PRESET.endpoints,
      apiRoot: request.publicOrigin() + installation.apiPath,
    }),
  });

  route.post('/api-keys', {
    operationId: 'createApiKey',
    summary: 'Create an API key; only this answer shows its secret',
    session,
    confirmed,
    input: create(apiKeyShape),
    data: NewApiKey,
    async handler({ request, input: sent, execute }) {
      const input = withDefaults(sent, API_KEY_DEFAULTS);
      checkEnd(input.expiresAt);
      const credentials = makeCredentials();
      const { user } = sessionOf(request);
      const row = { ...hashCredentials(credentials), ...input, userId: user.id };
      return created(await execute('create-api-key', row), credentials);
    },
  });

  route.post('/api-keys/:id/rotate', {
    operationId: 'rotateApiKey',
    summary: 'Replace an API key by a new key with the same rights',
    description: `The old key stays valid for a grace period: \`90m\`, \`12h\`, \`7d\`, or \`0\` to end it at once; ${DEFAULT_GRACE} by default.`,
    session,
    confirmed,
    input: create(rotateShape),
    data: Type.Object({ ...NewApiKey.properties, replaced: ApiKeyRecord }),
    async handler({ params, input, execute }) {
      const id = keyId(params);
      const credentials = makeCredentials();
      const endsAt = endOfGrace(input.grace ?? DEFAULT_GRACE_MS, clock());
      const rotation = { id, ...hashCredentials(credentials), endsAt };
      const newId = await execute('rotate-api-key', rotation);
      return { ...(await created(newId, credentials)), replaced: await recordOf(id) };
    },
  });

  route.patch('/api-keys/:id', {
    operationId: 'updateApiKey',
    summary: 'Update the values of an API key that are sent; they apply from the next request on',
    description: 'A revoked key and the key of LATCHKEY_CONSUMER_KEY cannot be updated.',
    session,
    confirmed,
    edits: 'api_key',
    input: update(apiKeyShape),
    data: ApiKeyRecord,
    async handler({ params, input, execute }) {
      const id = keyId(params);
      const changes = withDefaults(input, API_KEY_DEFAULTS);
      checkEnd(changes.expiresAt ?? null);
      const { configuredKey } = installation;
      await execute('update-api-key', { id, changes, configuredKey });
      return recordOf(id);
    },
  });

  route.delete('/api-keys/:id', {
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key permanently',
    session,
    data: ApiKeyRecord,
    async handler({ params, execute }) {
      const id = keyId(params);
      await execute('revoke-api-key', { id });
      return recordOf(id);
    },
  });
}
