import type { IncomingMessage, ServerResponse as Response } from 'node:http';

/** Not imported: an ESM import of `node:http` also loads undici. */
const { ServerResponse } = process.getBuiltinModule('node:http');

/**
 * Bytes that may wait on each connection: a chunk of a file with its headers. At least the high-water mark of a socket (64
 * KiB), because a socket with fewer waiting bytes emits no `drain`.
 */
const UNSENT_FREE = 68 * 1024;
/**
 * Bytes beyond UNSENT_FREE that may wait on all connections. Past this limit, the connections whose answers wait longest are
 * closed.
 */
export const UNSENT_MAX = 64 * 1024 ** 2;
/** Longer strings are sent as bytes, because Node.js counts waiting strings in characters. */
const TEXT_MAX = 16 * 1024;

/** Answers with more than UNSENT_FREE waiting, and the bytes beyond it. The answer that has waited longest is first. */
const waiting = new Map<Response, number>();
let allWaiting = 0;

/** Bytes that many answers share. An answer that waits to send them takes no memory of its own. */
const shared = new WeakSet<object>();
export function share(bytes: Buffer): Buffer {
  shared.add(bytes);
  return bytes;
}

/**
 * Returns the class of all answers. It bounds the bytes that the operating system has not taken yet because clients read
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
