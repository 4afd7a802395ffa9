import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Wire, type WireAnswer } from '../support/http/wire.ts';

/** Milliseconds for an answer or the end of a connection: far more than a busy machine needs. */
const BOUND_MS = 30_000;

/** Resolves when the time for an answer is over. */
export const bound = (): Promise<void> => setTimeout(BOUND_MS, undefined, { ref: false });

async function within<T>(promise: Promise<T>, what: string): Promise<T> {
  const late = new AbortController();
  const waited = setTimeout(BOUND_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`${what} took more than ${BOUND_MS} ms`);
  });
  waited.catch(() => {});
  return Promise.race([promise, waited]).finally(() => late.abort());
}

/** Creates a client that keeps its connection open as long as the service does. */
export function createClient(port: number) {
  let wire: Wire | null = null;
  return {
    async send(bytes: Buffer, isHead: boolean): Promise<WireAnswer> {
      wire ??= await Wire.open(port);
      const reply = await within(wire.write(bytes).answer({ head: isHead }), 'an answer');
      if (reply.headers.get('connection') === 'close' || reply.status === 400) this.close();
      return reply;
    },
    close(): void {
      wire?.close();
      wire = null;
    },
  };
}

export interface Talk {
  received: Buffer;
  /** Whether the service closed the connection. */
  closed: boolean;
}

/**
 * Sends the pieces and returns everything that the service sends until it closes the connection. Closes the
 * connection itself if the service waits for more.
 * @param settled resolves when the service must have read everything
 */
export async function talk(
  port: number,
  pieces: readonly Buffer[],
  settled: () => Promise<void>,
): Promise<Talk> {
  const socket = connect({ port, host: '127.0.0.1' });
  const received: Buffer[] = [];
  let closed = false;
  socket.on('data', (data: Buffer) => received.push(data));
  // The service may close the connection while the client still sends.
  socket.on('error', () => {});
  const ended = once(socket, 'close').catch(() => {});
  for (const piece of pieces) {
    if (!socket.writable) break;
    socket.write(piece);
    await new Promise(setImmediate);
  }
  try {
    closed = await Promise.race([ended.then(() => true), settled().then(() => false)]);
    // The service waits for the rest of an incomplete message.
    if (!closed) socket.end();
    await within(ended, `the end of a connection that was sent ${JSON.stringify(pieces.map(String))}`);
  } finally {
    socket.destroy();
  }
  return { received: Buffer.concat(received), closed };
}

/**
 * Returns the answers in the received bytes, in order. An answer to HEAD has no body, whatever its length
 * says.
 */
export function answersIn(received: Buffer): WireAnswer[] {
  const answers: WireAnswer[] = [];
  for (let rest = received; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`an incomplete answer: ${rest}`);
    const [line = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1];
    if (!status) throw new Error(`not an answer: ${rest}`);
    const headers = new Map(
      lines.map((one) => {
        const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(one) ?? [];
        return [name.toLowerCase(), value] as const;
      }),
    );
    rest = rest.subarray(end + 4);
    const hasNone = rest.length === 0 || rest.subarray(0, 9).toString('latin1') === 'HTTP/1.1 ';
    const length = hasNone ? 0 : Number(headers.get('content-length') ?? rest.length);
    if (rest.length < length) throw new Error(`an incomplete answer: ${rest}`);
    const body = rest.subarray(0, length).toString('utf8');
    rest = rest.subarray(length);
    answers.push({ status: Number(status), headers, body, json: () => JSON.parse(body) });
  }
  return answers;
}
