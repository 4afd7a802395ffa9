import cors from '@fastify/cors';
import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { refuse } from './errors.ts';

/** What browsers let programs of another origin read of an answer. */
const EXPOSED = [
  ...[
    'Link',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'X-Request-Id',
    'X-WP-Total',
    'X-WP-TotalPages',
  ],
  ...['Accept-Ranges', 'Content-Disposition', 'Content-Range', 'ETag', 'Repr-Digest'],
].join(', ');

/**
 * Lets browsers use the API from other origins, without cookies. Only they name an origin, so nobody else pays for it.
 * Comes before whatever may refuse a request: a refusal is to be read, too, and a preflight has no credentials.
 * @param guards what other requests have to pass, in this order
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
  // A context of its own: its hooks run for the plugin's route alone, which is every OPTIONS.
  await app.register(async (instance) => {
    instance.addHook('onRequest', async function (request, reply) {
      if (request.headers.origin && request.headers['access-control-request-method']) return;
      // No preflight: a method like any other that no route has.
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
