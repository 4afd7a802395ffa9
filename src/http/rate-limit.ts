import { setTimeout } from 'node:timers/promises';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { createRequestLimit, type RequestLimit } from '../app/request-limit.ts';
import { problem } from './errors.ts';
import type { Services } from './services.ts';

/** A hook that counts every request of the API by its address, refused ones too: it comes before authentication. */
export async function rateLimitHook(
  app: FastifyInstance,
  { store, execute, clock }: Services,
  perMinute: number,
): Promise<onRequestAsyncHookHandler> {
  const shared = store.shared ? createRequestLimit(execute, clock, perMinute) : null;
  await app.register(rateLimit, {
    global: false,
    max: perMinute,
    timeWindow: 60_000,
    ...(shared && { store: counterOf(shared, perMinute) }),
    allowList: (request) => request.route.config.public === true,
    errorResponseBuilder: (_request, { ttl }) =>
      problem('rest_too_many_requests', `Too many requests. Try again in ${Math.ceil(ttl / 1000)} seconds.`),
  });
  return app.rateLimit() as onRequestAsyncHookHandler;
}

/** Milliseconds that a request waits to be counted; one that cannot be goes on, for its limit is not its purpose. */
const COUNT_MS = 500;
async function tooLate(): Promise<never> {
  await setTimeout(COUNT_MS, undefined, { ref: false });
  throw new Error('the request could not be counted in time');
}

/** A limit in the form that the plugin wants. Where it cannot be asked the request is let through, to fail by itself. */
const counterOf = (limit: RequestLimit, max: number) =>
  class {
    incr(address: string, answer: (error: Error | null, found: { current: number; ttl: number }) => void) {
      Promise.race([limit.take(address), tooLate()]).then(
        ({ allowed, left, wait }) => answer(null, { current: allowed ? max - left : max + 1, ttl: wait }),
        () => answer(null, { current: 1, ttl: 0 }),
      );
    }
    child() {
      return this;
    }
  };
