import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Approximate bytes of memory that a waiting request takes besides its URL and headers. */
const REQUEST_BYTES = 2_048;
/** Bytes of waiting requests, on one connection and on all of them. Past either limit, the connection is closed. */
const WAITING_MAX = 2 * 1024 ** 2;
const ALL_WAITING_MAX = 64 * 1024 ** 2;

const waiting = new WeakMap<Socket, number>();
let allWaiting = 0;

/**
 * Waits until the answers to all earlier requests of the connection are sent. A client may send requests without reading the
 * answers (RFC 9112, section 9.3.2). Node.js starts all requests at once, and would keep the data of every answer in memory.
 * @returns whether the connection is still open
 */
export async function turnOf(response: ServerResponse, request: IncomingMessage): Promise<boolean> {
  const { socket } = request;
  if (response.socket || socket.destroyed) return !socket.destroyed;
  const bytes = bytesOf(request);
  const onConnection = (waiting.get(socket) ?? 0) + bytes;
  waiting.set(socket, onConnection);
  allWaiting += bytes;
  // Each waiting request adds a listener, so their number has no maximum.
  socket.setMaxListeners(0);
  if (onConnection > WAITING_MAX || allWaiting > ALL_WAITING_MAX) socket.destroy();
  await new Promise<void>((resolve) => {
    const end = () => {
      response.off('socket', end);
      socket.off('close', end);
      resolve();
    };
    response.once('socket', end);
    socket.once('close', end);
  });
  waiting.set(socket, (waiting.get(socket) ?? 0) - bytes);
  allWaiting -= bytes;
  return !socket.destroyed;
}

const bytesOf = ({ url = '', rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, { length }) => sum + length, REQUEST_BYTES + url.length);

/** The first bytes of each head, which are not counted. */
const HEAD_FREE = 8 * 1024;
/** Maximum number of counted bytes, for all requests whose bodies have not arrived. */
const HEADS_MAX = 64 * 1024 ** 2;
let allHeads = 0;

/** Closes the connection of a request if long heads of requests whose bodies have not arrived take too much memory. */
export function boundHead(request: IncomingMessage): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  if (length === undefined && encoding === undefined) return;
  const bytes = bytesOf(request) - HEAD_FREE;
  if (bytes <= 0) return;
  const { socket } = request;
  allHeads += bytes;
  const end = () => {
    request.off('close', end);
    socket.off('close', end);
    allHeads -= bytes;
  };
  request.once('close', end);
  // A request that is answered before its body has arrived emits no `close` when its connection closes.
  socket.setMaxListeners(0).once('close', end);
  if (allHeads > HEADS_MAX) socket.destroy();
}

/** The response to the latest request of each connection. */
const latest = new WeakMap<Socket, ServerResponse>();
export const noteLatest = (response: ServerResponse, connection: Socket): void =>
  void latest.set(connection, response);

/**
 * Waits until all requests of a connection are answered, except an incomplete request, which never will be.
 */
export async function allAnswered(connection: Socket): Promise<void> {
  const response = latest.get(connection);
  if (!response || response.writableFinished || response.closed) return;
  if (response.req.complete) await new Promise((resolve) => response.once('close', resolve));
  else await turnOf(response, response.req);
}
