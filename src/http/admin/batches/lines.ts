import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lateAnswer } from '../../error-handler.ts';
import { untimed } from '../../limits/connections.ts';
import { answerOf } from '../errors.ts';

/** Where work that takes long tells what comes of it. */
export interface Lines {
  /** Tells how far it is; some ten times a second are told. @param total null where nobody knows it */
  progress(done: number, total: number | null): void;
  /** Tells a part of what comes of it, and waits until there is room for another. */
  tell(part: object): Promise<void>;
  /** Aborted where nobody listens any more. */
  signal: AbortSignal;
}

const EVERY_MS = 100;

/**
 * Answers with JSON values, one on a line (`data: 'lines'`): `{"progress":{"done":n,"total":n}}` while the work is under
 * way, `{"part":…}` where its result comes in parts, at last `{"result":…}`, or `{"error":{"code","message","data"}}`. What is refused before the first line is an
 * answer like any other. Where the client goes away, the work is told by its signal.
 */
export async function answerLines(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (lines: Lines) => Promise<object>,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('the client has gone away'));
  });
  let out: PassThrough | undefined;
  let toldAt = Number.NEGATIVE_INFINITY;
  const write = (value: object) => {
    if (!out) {
      out = new PassThrough();
      // Who has gone away is told nothing.
      out.on('error', () => {});
      reply.type('application/x-ndjson; charset=utf-8').header('cache-control', 'no-store').send(out);
    }
    return out.destroyed || out.write(`${JSON.stringify(value)}\n`);
  };
  const progress = (done: number, total: number | null) => {
    const now = performance.now();
    if (now - toldAt < EVERY_MS) return;
    toldAt = now;
    write({ progress: { done, total } });
  };
  const tell = async (part: object) => {
    if (write({ part }) || !out) return;
    await once(out, 'drain', { signal: gone.signal });
  };
  try {
    const result = await untimed(request.raw.socket, () => work({ progress, tell, signal: gone.signal }));
    write({ result });
  } catch (error) {
    if (gone.signal.aborted) return reply.raw.headersSent ? reply : reply.hijack();
    if (!out) throw error;
    write({ error: lateAnswer(error as Error, answerOf, request).body });
  } finally {
    out?.end();
  }
  return reply;
}
