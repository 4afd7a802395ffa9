import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify';
import { addressOf } from './client-address.ts';

/**
 * Returns the options of the logger, which writes JSON lines. No line contains a license key, a secret, a token or a query
 * string: a request is logged with the pattern of its route instead of its address, and an error with its type, message and
 * stack.
 */
export function loggerOptions(level: string, stream: { write(line: string): unknown }) {
  return {
    level,
    stream,
    base: null,
    timestamp: () => `,"time":"${isoNow()}"`,
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

let known = { at: 0, iso: '' };
/**
 * Returns the time for a log line. Lines of the same millisecond share the text: formatting it takes longer than the rest of
 * a line.
 */
function isoNow(): string {
  const at = Date.now();
  if (at !== known.at) known = { at, iso: new Date(at).toISOString() };
  return known.iso;
}

/** Returns the logger for lines about a request. */
export const logOf = ({ log, id }: FastifyRequest): FastifyBaseLogger => log.child({ reqId: id });

/** Writes a line for each answered request. Going through the logger would take 2 µs more. */
export function logRequests(
  app: FastifyInstance,
  { logLevel, logTo }: { logLevel: string; logTo: { write(line: string): unknown } },
): void {
  if (!['info', 'debug', 'trace'].includes(logLevel)) return;
  app.addHook('onResponse', (request, reply, done) => {
    const line = {
      level: 'info',
      time: isoNow(),
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
