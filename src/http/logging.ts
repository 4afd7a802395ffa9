import type { FastifyBaseLogger, FastifyInstance, FastifyServerOptions } from 'fastify';
import { addressOf } from './client.ts';

/**
 * Logs as JSON lines. No line holds a license key, a secret, a token or a query string: requests appear by the pattern
 * of their route, never by their address, and errors by their type, message and stack.
 */
export function loggerOptions(level: string, stream: { write(line: string): void }) {
  return {
    level,
    stream,
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

/** One line for each request that was answered; not by the logger, which takes 2 µs more to make it. */
export function logRequests(
  app: FastifyInstance,
  { logLevel, logTo }: { logLevel: string; logTo: { write(line: string): void } },
): void {
  if (!['info', 'debug', 'trace'].includes(logLevel)) return;
  app.addHook('onResponse', (request, reply, done) => {
    const line = {
      level: 'info',
      time: new Date().toISOString(),
      reqId: request.id,
      method: request.method,
      route: request.is404 ? null : (request.route.url ?? null),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      apiKey: request.apiKey?.id,
      ip: addressOf(request),
    };
    logTo.write(`${JSON.stringify(line)}\n`);
    done();
  });
}

type LoggerFactory = NonNullable<FastifyServerOptions['childLoggerFactory']>;

/** Makes the logger of a request when something is logged through it, which few requests do. */
export const lateLogger: LoggerFactory = (logger, bindings, options) =>
  new LateLogger(() => logger.child(bindings, options)) as unknown as FastifyBaseLogger;

class LateLogger {
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | null = null;
  constructor(make: () => FastifyBaseLogger) {
    this.#make = make;
  }
  get made(): FastifyBaseLogger {
    this.#made ??= this.#make();
    return this.#made;
  }
}
for (const method of ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'child'] as const) {
  Object.defineProperty(LateLogger.prototype, method, {
    value(this: LateLogger, ...about: [object, string]) {
      return this.made[method](...about);
    },
  });
}
