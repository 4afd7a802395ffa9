import { ReadStream, readFileSync } from 'node:fs';
import type { onSendHookHandler } from 'fastify';
import { share } from './limits/unsent.ts';

/** Files that were sent, by path. */
const files = new Map<string, Buffer>();

/**
 * Sends the program's own files from memory: a hook for folders that `@fastify/static` serves. All answers share the bytes.
 * A stream would hold two chunks for each client that does not read.
 */
export const shareFiles: onSendHookHandler<unknown> = (_request, reply, payload, done) => {
  if (!(payload instanceof ReadStream)) return done(null, payload);
  const path = String(payload.path);
  const length = Number(reply.getHeader('content-length'));
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(String(reply.getHeader('content-range')));
  const start = Number(range?.[1] ?? 0);
  let bytes = files.get(path);
  // A different size means that the program was replaced while it is running.
  if (bytes?.length !== Number(range?.[2] ?? length)) {
    bytes = share(readFileSync(path));
    files.set(path, bytes);
  }
  payload.destroy();
  done(null, range ? share(bytes.subarray(start, start + length)) : bytes);
};
