import type { FastifyInstance } from 'fastify';
import type { Services } from './services.ts';

/** Health checks for load balancers and supervisors, without credentials. */
export function healthRoutes(app: FastifyInstance, { store }: Services): void {
  const route = { config: { public: true, uncounted: true } };
  // The process runs.
  app.get('/healthz', route, async () => ({ status: 'ok' }));
  // The process can serve: the database answers and is migrated.
  app.get('/readyz', route, async (_request, reply) => {
    if (await store.ready()) return { status: 'ok' };
    return reply
      .code(503)
      .send({ status: 'unavailable', reason: 'the database does not answer or is not migrated' });
  });
}
