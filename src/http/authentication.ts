import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import {
  authenticate,
  type Credentials,
  type HashedPair,
  hashAsPlugin,
  hashPair,
} from '../app/api-keys/credentials.ts';
import type { Actor } from '../domain/actor.ts';
import { type ApiKey, type Endpoint, mayCall, permits } from '../domain/api-key.ts';
import { toDatetime } from '../domain/datetime.ts';
import { type KeyRef, licenseRef } from '../domain/licenses/license.ts';
import { addressOf } from './client-address.ts';
import { type HttpProblem, refuse } from './errors.ts';
import { queryOf } from './parameters.ts';
import type { Services } from './services.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Needs no credentials. */
    public?: boolean;
    /** The endpoint that the API key must be allowed to call. */
    endpoint?: Endpoint;
    /** The permission that the API key needs. By default `read` for GET and HEAD, else `write`. */
    access?: 'read';
  }
  interface FastifyRequest {
    /** Null on public routes. */
    apiKey: ApiKey | null;
  }
}

/** Returns a hook that refuses requests without a valid API key, before their body is read. */
export function apiKeyHook(
  app: FastifyInstance,
  { store, clock, lastAccess }: Services,
): onRequestAsyncHookHandler {
  app.decorateRequest('apiKey', null);
  const cache = hashCache();
  return async (request, reply) => {
    const { config } = request.route;
    if (config.public || config.session) return;
    const hashed = cache.get(request);
    if (!hashed) throw unauthenticated(reply, 'credentials_missing');
    const pluginHash = () => hashAsPlugin(credentialsOf(request)?.consumerKey ?? '');
    const apiKey = await authenticate(store.read, hashed, toDatetime(clock()), pluginHash);
    if (typeof apiKey === 'string') throw unauthenticated(reply, apiKey);
    cache.add(request, hashed);

    lastAccess.note(apiKey, hashed.keyHash);
    request.apiKey = apiKey;
    if (request.is404) return;
    const access =
      config.access ?? (request.method === 'GET' || request.method === 'HEAD' ? 'read' : 'write');
    if (!permits(apiKey, access)) throw unauthenticated(reply, 'no_permission', { access });
    if (config.endpoint) requireEndpoint(request, config.endpoint);
    const { license_key: named } = request.params as { license_key?: string };
    if (named === undefined) return;
    requireNaming(request, licenseRef(named));
    request.refuseKeyGuesser(reply);
  };
}

/** Requires permission to name a license by its hash. @throws 403 if the request does so, and its API key may not */
export function requireNaming(request: FastifyRequest, named: KeyRef): void {
  if ('hash' in named) requireEndpoint(request, 'licenses.inspect');
}

/** Returns the actor of a request with an API key. */
export function actorOf(request: FastifyRequest): Actor {
  const { apiKey } = request;
  if (!apiKey) throw new Error('a public route has no actor');
  const origin = addressOf(request);
  return { userId: apiKey.userId, via: 'api', apiKeyId: apiKey.id, origin, products: apiKey.products };
}

/** Returns the actor of a request without an API key. It acts for no user. */
export const publicActorOf = (request: FastifyRequest): Actor => ({
  userId: 0,
  via: 'api',
  apiKeyId: null,
  origin: addressOf(request),
  products: null,
});

/** Whether the API key of the request may call the endpoint. */
export const isAllowed = ({ apiKey }: FastifyRequest, endpoint: Endpoint): boolean =>
  apiKey !== null && mayCall(apiKey, endpoint);

/** Requires an endpoint. @throws 403 if the API key of the request may not call the endpoint */
export function requireEndpoint(request: FastifyRequest, endpoint: Endpoint): void {
  if (!isAllowed(request, endpoint)) throw refuse('endpoint_not_allowed', { endpoint });
}

function unauthenticated(reply: FastifyReply, ...refusal: Parameters<typeof refuse>): HttpProblem {
  reply.header('www-authenticate', 'Basic realm="Latchkey", charset="UTF-8"');
  return refuse(...refusal);
}

/** Maximum number of cached headers, and of characters in each. */
const HEADERS_MAX = 1_000;
const HEADER_LENGTH_MAX = 512;

/**
 * Caches the hashes of valid Authorization headers, which saves decoding and hashing. Each request still asks the database
 * whether its API key is valid.
 */
function hashCache() {
  const known = new Map<string, HashedPair>();
  const headerOf = (request: FastifyRequest) =>
    inQuery(request) ? undefined : request.headers.authorization;
  return {
    get(request: FastifyRequest): HashedPair | null {
      const cached = known.get(headerOf(request) ?? '');
      if (cached) return cached;
      const credentials = credentialsOf(request);
      return credentials && hashPair(credentials);
    },
    add(request: FastifyRequest, hashed: HashedPair): void {
      const header = headerOf(request);
      if (header === undefined || header.length > HEADER_LENGTH_MAX || known.has(header)) return;
      if (known.size >= HEADERS_MAX) known.delete(known.keys().next().value as string);
      known.set(header, hashed);
    },
  };
}

/** Returns the key and the secret of the query string; null unless it has both. */
function inQuery(request: FastifyRequest): { key: unknown; secret: unknown } | null {
  const { consumer_key: key, consumer_secret: secret } = queryOf(request);
  return key === undefined || secret === undefined ? null : { key, secret };
}

/**
 * Returns the credentials in the query string if it has both, else those in the Authorization header; null without either.
 */
export function credentialsOf(request: FastifyRequest): Credentials | null {
  const sent = inQuery(request);
  if (sent) return complete(sent.key, sent.secret);
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!encoded) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return colon < 0 ? null : complete(decoded.slice(0, colon), decoded.slice(colon + 1));
}

/** Returns an address with the credentials of the request, for clients that send none when they download. */
export function withCredentials(request: FastifyRequest, address: string): string {
  const credentials = credentialsOf(request);
  const query = new URLSearchParams({
    consumer_key: credentials?.consumerKey ?? '',
    consumer_secret: credentials?.consumerSecret ?? '',
  });
  return `${address}?${query}`;
}

function complete(key: unknown, secret: unknown): Credentials | null {
  if (typeof key !== 'string' || typeof secret !== 'string' || key === '' || secret === '') return null;
  return { consumerKey: key, consumerSecret: secret };
}
