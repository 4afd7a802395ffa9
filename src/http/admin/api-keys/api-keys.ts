import type { FastifyInstance } from 'fastify';
import Type, { type Static } from 'typebox';
import { type Credentials, hashCredentials, makeCredentials } from '../../../app/api-keys/credentials.ts';
import {
  API_KEY_DEFAULTS,
  API_KEY_PRESETS,
  apiKeyShape,
  DEFAULT_GRACE,
  DEFAULT_GRACE_MS,
  ENDPOINTS,
  endOfGrace,
  endProblem,
  grace,
  PERMISSIONS,
} from '../../../domain/api-key.ts';
import { toDatetime } from '../../../domain/datetime.ts';
import { optional, withDefaults } from '../../../domain/fields.ts';
import { refuse, unwrap } from '../../errors.ts';
import { parameterSchema } from '../../parameter-schema.ts';
import { consoleActorOf, sessionOf } from '../../people/session.ts';
import { presenter } from '../../presenter.ts';
import { createInput, updateInput } from '../../requests.ts';
import type { Services } from '../../services.ts';
import { idOf } from '../ids.ts';
import { adminSchema, nullable } from '../route-schema.ts';

const tags = ['API keys'];

const endpoint = Type.Enum(ENDPOINTS);
const ApiKeyRecord = Type.Object({
  id: Type.Integer(),
  description: Type.String(),
  user_id: Type.Integer(),
  /** Null where the user is gone. */
  user_name: nullable(Type.String()),
  /** The last characters of the consumer key. */
  key_ending: Type.String(),
  permission: Type.Enum(PERMISSIONS),
  /** Null for all. */
  endpoints: nullable(Type.Array(endpoint)),
  /** Null for all. */
  products: nullable(Type.Array(Type.Integer())),
  created_at: Type.String(),
  last_access_at: nullable(Type.String()),
  expires_at: nullable(Type.String()),
  revoked_at: nullable(Type.String()),
  /** Whether it is that of LATCHKEY_CONSUMER_KEY. */
  is_of_settings: Type.Boolean(),
});

const present = presenter(ApiKeyRecord);

const NewApiKey = Type.Object({
  api_key: ApiKeyRecord,
  /** Both are shown this once. */
  consumer_key: Type.String(),
  consumer_secret: Type.String(),
});

const path = { id: Type.Integer() };
type ById = { Params: { id: string } };
const rotateShape = { grace: optional(grace) };

export function apiKeyRoutes(app: FastifyInstance, services: Services): void {
  const { store, execute, clock, installation } = services;
  const access = { session: 'api_keys.manage' } as const;
  /** A key outlasts the session that has made it, or let it do more. */
  const making = { ...access, confirmed: true } as const;

  async function known(ids?: readonly number[]): Promise<Static<typeof ApiKeyRecord>[]> {
    const all = await store.read.apiKeys.list();
    const found = ids ? all.filter(({ id }) => ids.includes(id)) : all;
    const names = await store.read.users.names([...new Set(found.map(({ userId }) => userId))]);
    const { configuredKey } = installation;
    const configured = configuredKey && (await store.read.apiKeys.findByHash(configuredKey));
    return found.map((one) =>
      present({ ...one, userName: names.get(one.userId) ?? null, isOfSettings: one.id === configured?.id }),
    );
  }
  /** @throws 404 */
  async function knownOne(id: number): Promise<Static<typeof ApiKeyRecord>> {
    const [found] = await known([id]);
    if (!found) throw refuse('api_key_not_found', { named: String(id) });
    return found;
  }
  const made = async (id: number, { consumerKey, consumerSecret }: Credentials) => ({
    api_key: await knownOne(id),
    consumer_key: consumerKey,
    consumer_secret: consumerSecret,
  });

  app.get('/api-keys', {
    config: access,
    schema: adminSchema({
      operationId: 'listApiKeys',
      summary: 'List API keys, newest first, and what one can be allowed',
      tags,
      data: Type.Object({
        items: Type.Array(ApiKeyRecord),
        endpoints: Type.Array(endpoint),
        /** What a key that is shipped inside a program is allowed; its permission is read. */
        client_endpoints: Type.Array(endpoint),
        /** Where the v1 API is. */
        api_root: Type.String(),
      }),
    }),
    handler: async (request) => ({
      items: await known(),
      endpoints: ENDPOINTS,
      client_endpoints: API_KEY_PRESETS.client.endpoints,
      api_root: request.publicOrigin() + installation.apiPath,
    }),
  });

  app.post('/api-keys', {
    config: making,
    schema: adminSchema({
      operationId: 'createApiKey',
      summary: 'Create an API key; its secret is shown this once',
      tags,
      body: parameterSchema(apiKeyShape, 'create'),
      data: NewApiKey,
    }),
    handler: async (request) => {
      const input = withDefaults(createInput(apiKeyShape, request), API_KEY_DEFAULTS);
      const expires = endProblem(input.expiresAt, toDatetime(clock()));
      if (expires !== null) throw refuse('invalid', { fields: { expiresAt: expires } });
      const credentials = makeCredentials();
      const { userId } = sessionOf(request);
      const id = unwrap(
        await execute(
          'create-api-key',
          { ...hashCredentials(credentials), ...input, userId },
          consoleActorOf(request),
        ),
      );
      return made(id, credentials);
    },
  });

  app.post<ById>('/api-keys/:id/rotate', {
    config: making,
    schema: adminSchema({
      operationId: 'rotateApiKey',
      summary: 'Replace an API key by a new one with the same rights; the old one stays good for a while',
      description: `The grace is \`90m\`, \`12h\`, \`7d\`, or \`0\` to end the old one at once; ${DEFAULT_GRACE} when not sent.`,
      tags,
      path,
      body: parameterSchema(rotateShape, 'create'),
      data: Type.Object({ ...NewApiKey.properties, replaced: ApiKeyRecord }),
    }),
    handler: async (request) => {
      const id = idOf(request.params.id, 'api_key_not_found');
      const credentials = makeCredentials();
      const ms = createInput(rotateShape, request).grace ?? DEFAULT_GRACE_MS;
      const newId = unwrap(
        await execute(
          'rotate-api-key',
          { id, ...hashCredentials(credentials), endsAt: endOfGrace(ms, clock()) },
          consoleActorOf(request),
        ),
      );
      return { ...(await made(newId, credentials)), replaced: await knownOne(id) };
    },
  });

  app.patch<ById>('/api-keys/:id', {
    config: making,
    schema: adminSchema({
      operationId: 'updateApiKey',
      summary: 'Change what is sent of an API key; it holds from the next request on',
      description: 'Neither one that is revoked nor that of LATCHKEY_CONSUMER_KEY can be changed.',
      tags,
      path,
      body: parameterSchema(apiKeyShape, 'update'),
      data: ApiKeyRecord,
    }),
    handler: async (request) => {
      const id = idOf(request.params.id, 'api_key_not_found');
      const changes = withDefaults(updateInput(apiKeyShape, request), API_KEY_DEFAULTS);
      const expires = endProblem(changes.expiresAt ?? null, toDatetime(clock()));
      if (expires !== null) throw refuse('invalid', { fields: { expiresAt: expires } });
      const { configuredKey } = installation;
      unwrap(await execute('update-api-key', { id, changes, configuredKey }, consoleActorOf(request)));
      return knownOne(id);
    },
  });

  app.delete<ById>('/api-keys/:id', {
    config: access,
    schema: adminSchema({
      operationId: 'revokeApiKey',
      summary: 'Revoke an API key for good; it is refused from then on',
      tags,
      path,
      data: ApiKeyRecord,
    }),
    handler: async (request) => {
      const id = idOf(request.params.id, 'api_key_not_found');
      const { revoked_at: since } = await knownOne(id);
      if (since !== null) throw refuse('api_key_revoked', { id, since });
      unwrap(await execute('revoke-api-key', { id }, consoleActorOf(request)));
      return knownOne(id);
    },
  });
}
