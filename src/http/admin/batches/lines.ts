import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { lateAnswer } from '../../error-handler.ts';
import { untimed } from '../../limits/connections.ts';
import { answerOf } from '../errors.ts';

/** Where a long-running handler sends its output. */
export interface Lines {
  /** Reports progress; at most ten reports a second are sent. @param total null if unknown */
  progress(done: number, total: number | null): void;
  /** Sends a part of the result, and waits until the client has room for another. */
  tell(part: object): Promise<void>;
  /** Aborted when the client disconnects, or the server stops. */
  signal: AbortSignal;
}

const PROGRESS_MS = 100;

/**
 * Answers with one JSON value a line (`data: 'lines'`): `{"progress":{"done":n,"total":n}}` while the work runs,
 * `{"part":…}` for each part of the result, and at last `{"result":…}` or `{"error":{"code","message","data"}}`. An error
 * before the first line is an ordinary answer.
 */
export async function answerLines(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (lines: Lines) => Promise<object>,
): Promise<FastifyReply> {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('the client has disconnected'));
  });
  const signal = AbortSignal.any([gone.signal, request.server.stopping]);
  let out: PassThrough | undefined;
  let sentAt = Number.NEGATIVE_INFINITY;
  const write = (value: object) => {
    if (!out) {
      out = new PassThrough();
      // The client has disconnected.
      out.on('error', () => {});
      reply.type('application/x-ndjson; charset=utf-8').send(out);
    }
    return out.destroyed || out.write(`${JSON.stringify(value)}\n`);
  };
  const progress = (done: number, total: number | null) => {
    const now = performance.now();
    if (now - sentAt < PROGRESS_MS) return;
    sentAt = now;
    write({ progress: { done, total } });
  };
  const tell = async (part: object) => {
    if (write({ part }) || !out) return;
    await once(out, 'drain', { signal: gone.signal });
  };
  try {
    const result = await untimed(request.raw.socket, () => work({ progress, tell, signal }));
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
