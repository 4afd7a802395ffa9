import type { FastifyReply, onRequestAsyncHookHandler } from 'fastify';
import {
  type Counted,
  createLocalLimit,
  createSharedLimit,
  createStrictLimit,
  type RequestLimit,
} from '../../app/limits/request-limit.ts';
import { addressOf, networkOf } from '../client-address.ts';
import { type HttpProblem, refuse } from '../errors.ts';
import type { Services } from '../services.ts';

/** A limit with the name that answers contain. */
export interface Policy extends RequestLimit {
  name: 'address' | 'key' | 'failures' | 'license-keys' | 'sign-in';
}

const MINUTE_MS = 60_000;

interface PolicyOptions {
  name: Policy['name'];
  quota: number;
  /** Duration in milliseconds; a minute by default. */
  lasts?: number;
  /** Distinguishes the clients of this limit in the shared counts. */
  prefix: string;
  /** Counts in the database only, and throws StoreUnavailable rather than count in this process alone. */
  strict?: boolean;
}

/** Creates a limit, which all processes share if there may be several. */
export function createPolicy(
  { store, execute, clock }: Pick<Services, 'store' | 'execute' | 'clock'>,
  { name, prefix, quota, lasts = MINUTE_MS, strict = false }: PolicyOptions,
): Policy {
  const counts = { quota, lasts };
  if (strict) return { name, ...createStrictLimit(execute, clock, counts, prefix) };
  const limit = store.shared
    ? createSharedLimit(execute, clock, counts, prefix)
    : createLocalLimit(clock, counts);
  return { name, ...limit };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requests to this route do not count toward the limit of their address. */
    uncounted?: boolean;
  }
}

/** Returns a hook that counts requests by address. It runs before authentication, so it counts refused requests too. */
export function addressLimitHook(services: Services, perMinute: number): onRequestAsyncHookHandler {
  const policy = createPolicy(services, { name: 'address', quota: perMinute, prefix: '' });
  return async (request, reply) => {
    if (request.route.config.uncounted) return;
    await count(policy, networkOf(addressOf(request)), reply);
  };
}

/** Returns a hook that counts requests by API key. It runs after authentication. */
export function keyLimitHook(services: Services, perMinute: number): onRequestAsyncHookHandler {
  const policy = createPolicy(services, { name: 'key', quota: perMinute, prefix: 'key:' });
  return async ({ apiKey }, reply) => {
    if (apiKey) await count(policy, String(apiKey.id), reply);
  };
}

/** Counts a request of a client. @throws 429 */
async function count(policy: Policy, client: string, reply: FastifyReply): Promise<void> {
  const counted = await policy.take(client);
  if (!counted.allowed) throw tooManyRequests(reply, policy, counted.wait);
  addLimitHeaders(reply, policy, counted);
}

/** Returns the refusal, and sets the headers of the reply. @param wait milliseconds until the count restarts */
export function tooManyRequests(reply: FastifyReply, policy: Policy, wait: number): HttpProblem {
  addLimitHeaders(reply, policy, { left: 0, wait });
  reply.header('retry-after', seconds(wait));
  return refuse('too_many_requests', { seconds: seconds(wait) });
}

/**
 * Adds the headers of draft-ietf-httpapi-ratelimit-headers. If several limits count a request, the headers list all of them.
 */
function addLimitHeaders(
  reply: FastifyReply,
  { name, quota, lasts }: Policy,
  { left, wait }: Omit<Counted, 'allowed'>,
): void {
  addTo(reply, 'ratelimit-policy', `"${name}";q=${quota};w=${seconds(lasts)}`);
  addTo(reply, 'ratelimit', `"${name}";r=${left};t=${seconds(wait)}`);
}

function addTo(reply: FastifyReply, header: string, item: string): void {
  const before = reply.getHeader(header);
  reply.header(header, before === undefined ? item : `${before}, ${item}`);
}

const seconds = (ms: number): number => Math.ceil(ms / 1000);
