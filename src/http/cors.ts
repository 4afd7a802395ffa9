import cors from '@fastify/cors';
import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { refuse } from './errors.ts';

/** Response headers that programs of other origins may read. */
const EXPOSED =
  'Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-WP-Total, X-WP-TotalPages, ' +
  'Accept-Ranges, Content-Disposition, Content-Range, ETag, Repr-Digest';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Seconds for which a browser caches the answer to a preflight request. */
const MAX_AGE = 86_400;

/**
 * Lets browsers use the API from other origins, without cookies. Register it before the hooks that may refuse a request:
 * programs read refusals too, and preflight requests have no credentials.
 * @param open an API that every origin may use, whatever the setting says, with these request headers
 * @param guards the hooks for OPTIONS requests that are not preflight requests, in this order
 */
export async function answerOtherOrigins(
  app: FastifyInstance,
  origins: '*' | readonly string[],
  open: { isOf(request: FastifyRequest): boolean; headers: string[] },
  guards: readonly onRequestAsyncHookHandler[],
): Promise<void> {
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    const allowed = open.isOf(request) ? '*' : origins;
    if (allowed !== '*') reply.header('vary', 'Origin');
    if (origin !== undefined && (allowed === '*' || allowed.includes(origin))) {
      reply.header('access-control-allow-origin', allowed === '*' ? '*' : origin);
      reply.header('access-control-expose-headers', EXPOSED);
    }
    done();
  });
  const ofOpen = {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: open.headers,
    maxAge: MAX_AGE,
  };
  const ofOthers = { origin: origins === '*' ? '*' : [...origins], methods: METHODS, maxAge: MAX_AGE };
  // The hooks of this context run only for the route of the plugin, which is every OPTIONS request.
  await app.register(async (instance) => {
    instance.addHook('onRequest', async function (request, reply) {
      if (request.headers.origin && request.headers['access-control-request-method']) return;
      // Not a preflight request: OPTIONS is like any other method without a route.
      if (!open.isOf(request)) for (const guard of guards) await guard.call(this, request, reply);
      throw refuse('no_route');
    });
    await instance.register(cors, {
      delegator: async (request: FastifyRequest) => (open.isOf(request) ? ofOpen : ofOthers),
    });
  });
}
