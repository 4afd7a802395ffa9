import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { addressOf, isNear, networkOf } from '../client-address.ts';

/** Timeouts of connections, in milliseconds. */
export interface Timeouts {
  /** For the head of a request to arrive, and for the first request to begin. */
  head: number;
  /** For a whole request, except uploads. */
  request: number;
  /** Interval between checks for connections that have timed out. */
  check: number;
  /** Without traffic in either direction: an answer that the client does not read stays in memory. */
  stalled: number;
  /** Between two requests. Longer than the timeouts of proxies, so that the proxy closes the connection first. */
  idle: number;
  /** When the server closes: for requests that are already under way on idle connections. */
  leaving: number;
}
export const TIMEOUTS: Timeouts = {
  head: 30_000,
  request: 60_000,
  check: 5_000,
  stalled: 120_000,
  idle: 72_000,
  leaving: 500,
};
/** Maximum share of all connections that one address may have. */
const SHARE = 1 / 10;
const WARN_EVERY_MS = 60_000;

/** Returns a function that logs a warning, unless it logged one in the last minute. */
export function warnRarely(log: FastifyBaseLogger): (about: object, message: string) => void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (about, message) => {
    const now = performance.now();
    if (now - warnedAt < WARN_EVERY_MS) return;
    warnedAt = now;
    log.warn(about, message);
  };
}

/** Suspends the timeout of the connection during long work that sends nothing. */
export async function untimed<T>(socket: Socket, work: () => Promise<T>): Promise<T> {
  const { timeout } = socket;
  socket.setTimeout(0);
  try {
    return await work();
  } finally {
    if (timeout) socket.setTimeout(timeout);
  }
}

/**
 * Limits the number of connections in total and of one address. Connections of proxies are not limited by address, because
 * they carry all clients: a trusted proxy must set its own limits, and an unknown proxy has an address of this machine or of
 * a private network.
 */
export function boundConnections(
  app: FastifyInstance,
  { maxConnections, trustProxy }: { maxConnections: number; trustProxy: boolean | string },
): void {
  const { server, log } = app;
  const addressMax = Math.max(1, Math.floor(maxConnections * SHARE));
  const open = new Map<string, number>();
  const rarely = warnRarely(log);
  const warn = (about: object, message: string) =>
    rarely({ event: 'connections_refused', ...about }, message);

  server.maxConnections = maxConnections;
  server.on('drop', () =>
    warn({ limit: maxConnections }, 'there are too many connections: new ones are refused'),
  );
  if (trustProxy !== false) return;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isNear(remoteAddress)) return;
    const network = networkOf(remoteAddress);
    const count = (open.get(network) ?? 0) + 1;
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
    if (count <= addressMax) return;
    warn({ ip: network, limit: addressMax }, 'one address has too many connections: new ones are refused');
    socket.destroy();
  });
}

/** Warns once if requests seem to come through a proxy that is not trusted, so that all clients share its address. */
export function warnOfProxy(app: FastifyInstance): void {
  let hasWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && request.headers['x-forwarded-for'] !== undefined && isNear(addressOf(request))) {
      hasWarned = true;
      app.log.warn(
        { event: 'untrusted_proxy', ip: addressOf(request) },
        'requests come through a proxy that is not trusted: records and limits take all clients for one address. ' +
          'Set LATCHKEY_TRUST_PROXY to the address of the proxy',
      );
    }
    done();
  });
}
