import cors from '@fastify/cors';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { refuse } from './errors.ts';

/** The headers of an answer that programs of other origins may read. */
const EXPOSED =
  'Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, X-WP-Total, X-WP-TotalPages, ' +
  'Accept-Ranges, Content-Disposition, Content-Range, ETag, Repr-Digest';

/**
 * Lets browsers use the API from other origins, without cookies. Register it before the hooks that may refuse a request:
 * programs read refusals too, and preflight requests have no credentials.
 * @param guards the hooks for OPTIONS requests that are no preflight, in this order
 */
export async function answerOtherOrigins(
  app: FastifyInstance,
  origins: '*' | readonly string[],
  guards: readonly onRequestAsyncHookHandler[],
): Promise<void> {
  const allowed = (origin: string) => origins === '*' || origins.includes(origin);
  app.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers;
    if (origins !== '*') reply.header('vary', 'Origin');
    if (origin !== undefined && allowed(origin)) {
      reply.header('access-control-allow-origin', origins === '*' ? '*' : origin);
      reply.header('access-control-expose-headers', EXPOSED);
    }
    done();
  });
  // The hooks of this context run only for the route of the plugin, which is every OPTIONS request.
  await app.register(async (instance) => {
    instance.addHook('onRequest', async function (request, reply) {
      if (request.headers.origin && request.headers['access-control-request-method']) return;
      // No preflight: OPTIONS is like any other method without a route.
      for (const guard of guards) await guard.call(this, request, reply);
      throw refuse('no_route');
    });
    await instance.register(cors, {
      origin: origins === '*' ? '*' : [...origins],
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      maxAge: 86_400,
    });
  });
}
