import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { authenticate, type Credentials, type HashedPair, hashPair } from '../app/api-keys/credentials.ts';
import type { Actor } from '../domain/actor.ts';
import { type ApiKey, type Endpoint, mayCall, permits } from '../domain/api-key.ts';
import { toDatetime } from '../domain/datetime.ts';
import { clientOf } from './client.ts';
import { type HttpProblem, refuse } from './errors.ts';
import type { Services } from './services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no credentials. */
    public?: boolean;
    /** What an API key must be allowed to call. A route that decides by its body checks `requireEndpoint` itself. */
    endpoint?: Endpoint;
    /** The permission needed, where it is not the one of the method (read for GET and HEAD, else write). */
    access?: 'read' | 'write';
  }
  interface FastifyRequest {
    /** Null on public routes. */
    apiKey: ApiKey | null;
  }
}

/**
 * A hook that lets no request past without a good API key: before its route, its body, or a record is looked at.
 * @param refuse throws for whoever is not even asked for a key
 */
export function apiKeyHook(
  app: FastifyInstance,
  { store, clock, lastAccess }: Services,
  refuse: (request: FastifyRequest, reply: FastifyReply) => void,
): onRequestAsyncHookHandler {
  app.decorateRequest('apiKey', null);
  const hashes = rememberedHashes();
  return async (request, reply) => {
    const { config } = request.route;
    if (config.public || config.session) return;
    refuse(request, reply);
    const hashed = hashes.of(request);
    if (!hashed) throw unauthenticated(reply, 'credentials_missing');
    const apiKey = await authenticate(store.read, hashed, toDatetime(clock()));
    if (typeof apiKey === 'string') throw unauthenticated(reply, apiKey);
    hashes.keep(request, hashed);

    lastAccess.note(apiKey.id);
    request.apiKey = apiKey;
    if (request.is404) return;
    const access =
      config.access ?? (request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write');
    if (!permits(apiKey, access)) throw unauthenticated(reply, 'no_permission', { access });
    if (config.endpoint) requireEndpoint(request, config.endpoint);
  };
}

/** On whose behalf an authenticated request acts. */
export function actorOf(request: FastifyRequest): Actor {
  const { apiKey } = request;
  if (!apiKey) throw new Error('a public route acts for nobody');
  // Behind proxies the address takes a microsecond: it is looked for where there may be something to write it to.
  const mayChange = request.method !== 'GET' && request.method !== 'HEAD';
  const origin = mayChange ? clientOf(request).ipAddress.slice(0, ORIGIN_MAX) : null;
  return { userId: apiKey.userId, via: 'api', apiKeyId: apiKey.id, origin, products: apiKey.products };
}

/** Characters kept of where a request comes from: a proxy may say anything. */
const ORIGIN_MAX = 255;

/** @throws 403 where the API key of the request may not call the endpoint */
export function requireEndpoint(request: FastifyRequest, endpoint: Endpoint): void {
  if (request.apiKey && mayCall(request.apiKey, endpoint)) return;
  throw refuse('endpoint_not_allowed', { endpoint });
}

function unauthenticated(reply: FastifyReply, ...said: Parameters<typeof refuse>): HttpProblem {
  reply.header('www-authenticate', 'Basic realm="Latchkey", charset="UTF-8"');
  return refuse(...said);
}

/** Headers whose hashes are remembered, and characters of one; each was a good one. */
const HEADERS_MAX = 1_000;
const HEADER_LENGTH_MAX = 512;

/**
 * The hashes of what requests bear. Those of good headers are remembered, which spares decoding and hashing for each
 * request; whether they are still good is asked for each, all the same.
 */
function rememberedHashes() {
  const known = new Map<string, HashedPair>();
  const headerOf = (request: FastifyRequest) =>
    inQuery(request) ? undefined : request.headers.authorization;
  return {
    of(request: FastifyRequest): HashedPair | null {
      const remembered = known.get(headerOf(request) ?? '');
      if (remembered) return remembered;
      const credentials = credentialsOf(request);
      return credentials && hashPair(credentials);
    },
    keep(request: FastifyRequest, hashed: HashedPair): void {
      const header = headerOf(request);
      if (header === undefined || header.length > HEADER_LENGTH_MAX || known.has(header)) return;
      if (known.size >= HEADERS_MAX) known.delete(known.keys().next().value as string);
      known.set(header, hashed);
    },
  };
}

/** Both as they stand in the query string; null where not both are there. */
function inQuery({ query }: FastifyRequest): { key: unknown; secret: unknown } | null {
  const { consumer_key: key, consumer_secret: secret } = query as Record<string, unknown>;
  return key === undefined || secret === undefined ? null : { key, secret };
}

/** From the query string where both are there, else from the Authorization header. */
export function credentialsOf(request: FastifyRequest): Credentials | null {
  const sent = inQuery(request);
  if (sent) return complete(sent.key, sent.secret);
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!encoded) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon < 0 ? null : complete(decoded.slice(0, colon), decoded.slice(colon + 1));
}

function complete(key: unknown, secret: unknown): Credentials | null {
  if (typeof key !== 'string' || typeof secret !== 'string' || key === '' || secret === '') return null;
  return { consumerKey: key, consumerSecret: secret };
}
