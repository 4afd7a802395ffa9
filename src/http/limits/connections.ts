import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { addressOf, isNear, networkOf } from '../client.ts';

/** Milliseconds that connections have. */
export interface Patience {
  /** For the head of a request to arrive, and for the first one to begin. */
  head: number;
  /** For all of a request but an upload. */
  request: number;
  /** So often it is looked for those that take longer. */
  look: number;
  /** For something to go either way: an answer that nobody reads is held in memory. */
  stalled: number;
  /** Between two requests; longer than proxies keep theirs, which are to close them first. */
  idle: number;
}
export const PATIENCE: Patience = {
  head: 30_000,
  request: 60_000,
  look: 5_000,
  stalled: 120_000,
  idle: 72_000,
};
/** What one address has of all connections. */
const SHARE = 1 / 10;
const WARN_EVERY_MS = 60_000;

/** Lets work take its time while nothing goes over the connection of its request. */
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
 * Bounds how many connections there are, and how many of them one address has. Not those of a proxy, which brings all
 * clients: where one is trusted it must bound them itself, and any other is on this machine or in this network.
 */
export function boundConnections(
  app: FastifyInstance,
  { maxConnections, trustProxy }: { maxConnections: number; trustProxy: boolean | string },
): void {
  const { server, log } = app;
  const ofOne = Math.max(1, Math.floor(maxConnections * SHARE));
  const open = new Map<string, number>();
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (about: object, message: string) => {
    const now = performance.now();
    if (now - warnedAt < WARN_EVERY_MS) return;
    warnedAt = now;
    log.warn({ event: 'connections_refused', ...about }, message);
  };

  server.maxConnections = maxConnections;
  server.on('drop', () =>
    warn({ limit: maxConnections }, 'there are too many connections: more are refused'),
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
    if (count <= ofOne) return;
    warn({ ip: network, limit: ofOne }, 'one address has too many connections: more of its are refused');
    socket.destroy();
  });
}

/** Says once that a proxy seems to be in front which is not trusted, so that all of its clients are taken for one. */
export function warnOfProxy(app: FastifyInstance): void {
  let hasWarned = false;
  app.addHook('onRequest', (request, _reply, done) => {
    if (!hasWarned && request.headers['x-forwarded-for'] !== undefined && isNear(addressOf(request))) {
      hasWarned = true;
      app.log.warn(
        { event: 'untrusted_proxy', ip: addressOf(request) },
        'requests come through a proxy that is not trusted: all clients look like one address, are recorded with it, ' +
          'and count against its one failure limit. Set LATCHKEY_TRUST_PROXY to the address of the proxy',
      );
    }
    done();
  });
}
