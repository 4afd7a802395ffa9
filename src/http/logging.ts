import type { FastifyInstance, FastifyServerOptions } from 'fastify';

/**
 * Logs as JSON lines. No line holds a license key, a secret, a token or a query string: requests appear by the pattern
 * of their route, never by their address, and errors by their type, message and stack.
 */
export function loggerOptions(level: string, stream?: { write(line: string): void }) {
  return {
    level,
    ...(stream && { stream }),
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    serializers: {
      req: ({ method }) => ({ method }),
      res: ({ statusCode }) => ({ statusCode }),
      err: ({ name, message, code, stack, cause }) =>
        ({
          type: name,
          message,
          code,
          stack,
          cause: cause instanceof Error ? cause.message : undefined,
        }) as never,
    },
  } satisfies FastifyServerOptions['logger'];
}

/** One line for each request that was answered. */
export function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    request.log.info({
      method: request.method,
      route: request.is404 ? null : (request.routeOptions.url ?? null),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      apiKey: request.apiKey?.id,
      ip: request.ip,
    });
  });
}
