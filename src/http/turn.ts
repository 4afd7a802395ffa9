import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection, and on all together; past them the connection of one more is closed. */
const WAITING_MAX = 1_000;
const ALL_WAITING_MAX = 10_000;
/** What to call for each response that waits, when its connection is closed. */
const waiting = new WeakMap<Socket, Set<() => void>>();
let allWaiting = 0;

/**
 * Waits until the answers to all earlier requests of its connection are sent: a client may send requests without
 * reading answers (RFC 9112, section 9.3.2), and what an answer needs would be held for each of them. Nothing more is
 * read of a connection on which one waits, for each that waits holds its headers.
 * @returns whether the connection is still there
 */
export async function turnOf(response: ServerResponse, connection: Socket): Promise<boolean> {
  if (response.socket || connection.destroyed) return !connection.destroyed;
  const waiters = waitersOf(connection);
  return new Promise((resolve) => {
    const end = (isThere: boolean) => {
      if (!waiters.delete(gone)) return;
      allWaiting--;
      if (isThere && waiters.size === 0) connection.resume();
      resolve(isThere);
    };
    const gone = () => end(false);
    waiters.add(gone);
    allWaiting++;
    connection.pause();
    response.once('socket', () => end(true));
    if (waiters.size > WAITING_MAX || allWaiting > ALL_WAITING_MAX) connection.destroy();
  });
}

/** The response to the latest request of each connection. */
const latest = new WeakMap<Socket, ServerResponse>();
export const isLatest = (response: ServerResponse, connection: Socket): void =>
  void latest.set(connection, response);

/**
 * Waits until what a connection has asked for is answered. A request that has not come whole is not waited for, as it
 * never will, but those before it are.
 */
export async function allAnswered(connection: Socket): Promise<void> {
  const response = latest.get(connection);
  if (!response || response.writableFinished || response.closed) return;
  if (response.req.complete) await new Promise((resolve) => response.once('close', resolve));
  else await turnOf(response, connection);
}

/** One listener for all: a connection warns of more than ten. */
function waitersOf(connection: Socket): Set<() => void> {
  const known = waiting.get(connection);
  if (known) return known;
  const waiters = new Set<() => void>();
  waiting.set(connection, waiters);
  connection.once('close', () => {
    for (const gone of waiters) gone();
  });
  return waiters;
}
