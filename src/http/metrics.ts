import { timingSafeEqual } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { hashCredential } from '../app/api-keys/credentials.ts';
import type { RequestCounts, RouteCounts } from '../metrics/request-counts.ts';
import { UNCOMPILED } from './docs/document.ts';
import { refuse } from './errors.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Absent unless metrics are on. */
    requestCounts?: RequestCounts;
  }
  interface FastifyContextConfig {
    counts?: RouteCounts;
  }
}

export interface Metrics {
  counts: RequestCounts;
  /** The bearer token of /metrics on the server's own port; null if that port has no such route. */
  token: string | null;
  /** All metrics, in the text format of Prometheus. */
  page(): Promise<string>;
}

const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Counts the answers of each route. Call it before routes are registered. */
export function countRequests(app: FastifyInstance, counts: RequestCounts): void {
  app.decorate('requestCounts', counts);
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, counts: counts.ofRoute(String(route.method), route.url) };
  });
  app.addHook('onResponse', (request, reply, done) => {
    const of = (!request.is404 && request.route.config.counts) || counts.unknown;
    of.count(reply.statusCode, reply.elapsedTime);
    done();
  });
}

/** Serves /metrics for requests with the token. */
export function metricsRoute(app: FastifyInstance, { token, page }: Metrics): void {
  const expected = hashCredential(String(token));
  app.get('/metrics', { config: { public: true } }, async ({ headers: { authorization = '' } }, reply) => {
    const sent = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    if (sent === undefined || !timingSafeEqual(hashCredential(sent), expected)) {
      reply.header('www-authenticate', 'Bearer realm="Latchkey"');
      throw refuse('bearer_token_refused', { sent: sent !== undefined });
    }
    return reply
      .type(CONTENT_TYPE)
      .header('cache-control', 'no-store')
      .send(await page());
  });
}

/** Milliseconds for a request to arrive. */
const REQUEST_MS = 10_000;
/**
 * Maximum number of connections to the metrics port. Further ones are closed, lest they use up the process's file
 * descriptors.
 */
export const METRICS_CONNECTIONS = 100;

/** Creates the server of a separate port, which answers everybody. */
export function metricsServer(loggerInstance: FastifyBaseLogger, { page }: Pick<Metrics, 'page'>) {
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    requestTimeout: REQUEST_MS,
    schemaController: UNCOMPILED,
  });
  app.server.maxConnections = METRICS_CONNECTIONS;
  app.get('/metrics', async (_request, reply) => reply.type(CONTENT_TYPE).send(await page()));
  return app;
}
