import type { IncomingMessage, ServerResponse as Response } from 'node:http';

/** Not imported: an ESM import of `node:http` also loads undici. */
const { ServerResponse } = process.getBuiltinModule('node:http');

/**
 * Bytes that may wait on each connection: a chunk of a file with its headers. Not less than the high-water mark of a socket
 * (64 KiB): below it, no `drain` follows.
 */
const UNSENT_FREE = 68 * 1024;
/** Bytes beyond them on all connections. Past it, the connections whose answers wait longest are closed. */
export const UNSENT_MAX = 64 * 1024 ** 2;
/** Node.js counts a text that waits in characters, so longer ones are sent as bytes. */
const TEXT_MAX = 16 * 1024;

/** Answers with more than UNSENT_FREE waiting, and the bytes beyond it. The one that waits longest is first. */
const waiting = new Map<Response, number>();
let allWaiting = 0;

/** Bytes that many answers send. Those that wait hold no memory of their own. */
const shared = new WeakSet<object>();
export function share(bytes: Buffer): Buffer {
  shared.add(bytes);
  return bytes;
}

/**
 * Returns the class of all answers. It bounds the bytes that the operating system has not taken yet, because clients read
 * slowly or not at all. A connection has one answer at a time (`turn.ts`).
 * @param onClose is called for each connection that is closed
 */
export const boundedResponse = (onClose: () => void): typeof ServerResponse =>
  class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
      const hasRoom = super.write(asBytes(chunk), encoding as BufferEncoding, callback as () => void);
      note(this, onClose);
      return hasRoom;
    }

    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      super.end(asBytes(chunk), encoding as BufferEncoding, callback as () => void);
      if (!shared.has(chunk as object)) note(this, onClose);
      return this;
    }
  };

const asBytes = (chunk: unknown): unknown =>
  typeof chunk === 'string' && chunk.length > TEXT_MAX ? Buffer.from(chunk) : chunk;

function note(response: Response, onClose: () => void): void {
  const bytes = response.writableLength - UNSENT_FREE;
  if (bytes <= 0 || response.closed) return;
  const before = waiting.get(response);
  if (before === undefined) response.on('drain', forget).on('finish', forget).on('close', forget);
  waiting.set(response, bytes);
  allWaiting += bytes - (before ?? 0);
  for (const other of waiting.keys()) {
    if (allWaiting <= UNSENT_MAX) return;
    if (other === response) continue;
    forget.call(other);
    other.destroy();
    onClose();
  }
}

function forget(this: Response): void {
  allWaiting -= waiting.get(this) ?? 0;
  waiting.delete(this);
  this.off('drain', forget).off('finish', forget).off('close', forget);
}
