import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What a request takes in memory that waits, besides its address and headers: bytes, roughly. */
const REQUEST_BYTES = 2_048;
/** Bytes of requests that wait on one connection, and on all together; past them the connection of one more is closed. */
const WAITING_MAX = 2 * 1024 ** 2;
const ALL_WAITING_MAX = 64 * 1024 ** 2;

/** The requests of a connection that wait. */
interface Waiting {
  bytes: number;
  /** What to call for each when the connection is closed. */
  gone: Set<() => void>;
}
const waiting = new WeakMap<Socket, Waiting>();
let allBytes = 0;

/**
 * Waits until the answers to all earlier requests of its connection are sent: a client may send requests without
 * reading answers (RFC 9112, section 9.3.2), and what an answer needs would be held for each of them.
 * @returns whether the connection is still there
 */
export async function turnOf(response: ServerResponse, request: IncomingMessage): Promise<boolean> {
  const { socket: connection } = request;
  if (response.socket || connection.destroyed) return !connection.destroyed;
  const waiters = waitersOf(connection);
  const bytes = bytesOf(request);
  return new Promise((resolve) => {
    const end = (isThere: boolean) => {
      if (!waiters.gone.delete(gone)) return;
      waiters.bytes -= bytes;
      allBytes -= bytes;
      resolve(isThere);
    };
    const gone = () => end(false);
    waiters.gone.add(gone);
    waiters.bytes += bytes;
    allBytes += bytes;
    response.once('socket', () => end(true));
    if (waiters.bytes > WAITING_MAX || allBytes > ALL_WAITING_MAX) connection.destroy();
  });
}

/** The response to the latest request of each connection. */
const latest = new WeakMap<Socket, ServerResponse>();
export const noteLatest = (response: ServerResponse, connection: Socket): void =>
  void latest.set(connection, response);

/**
 * Waits until what a connection has asked for is answered. A request that has not come whole is not waited for, as it
 * never will, but those before it are.
 */
export async function allAnswered(connection: Socket): Promise<void> {
  const response = latest.get(connection);
  if (!response || response.writableFinished || response.closed) return;
  if (response.req.complete) await new Promise((resolve) => response.once('close', resolve));
  else await turnOf(response, response.req);
}

const bytesOf = ({ url = '', rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, { length }) => sum + length, REQUEST_BYTES + url.length);

/** One listener for all: a connection warns of more than ten. */
function waitersOf(connection: Socket): Waiting {
  const known = waiting.get(connection);
  if (known) return known;
  const waiters: Waiting = { bytes: 0, gone: new Set() };
  waiting.set(connection, waiters);
  connection.once('close', () => {
    for (const gone of waiters.gone) gone();
  });
  return waiters;
}
