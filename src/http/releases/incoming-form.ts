import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import type { ProblemArgs, Said } from '../../domain/problem.ts';
import { TooManyBytes } from '../../storage/storage.ts';
import { refuseCompressed } from '../body.ts';
import { type HttpProblem, invalid, malformed, refuse } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { type FilePart, readForm } from './multipart.ts';

/** Bytes that a body may have beyond those of the largest file: fields, boundaries, headers of parts. */
const AROUND_MAX = 4 * 1024 ** 2;
/** An upload of which nothing arrives for so many milliseconds is given up. */
const IDLE_MS = 60_000;
/** What is left of an upload that is refused is read for so many milliseconds at most. */
const REFUSED_MS = 300_000;
/** What the file is called in a form. */
export const FILE_FIELD = 'file';

/** Connections on which an upload is under way: it may take longer than other requests. */
const uploading = new WeakSet<Socket>();
export const isUploading = (socket: Socket): boolean => uploading.has(socket);

export const invalidFile = (...said: Said<ProblemArgs>): HttpProblem => invalid(FILE_FIELD, ...said);

interface Taker<T> {
  /** Called when the file begins to arrive. @param whole resolves when the form has come, and was well-formed */
  take(part: FilePart, whole: Promise<Parameters>): Promise<T>;
  /** Called with what was taken of a file whose form turned out to be no good. */
  undo(taken: T): Promise<unknown>;
}
export interface Received<T> {
  fields: Parameters;
  /** Null where the form has no file. */
  taken: T | null;
}

/**
 * Reads the form of a request to a route that has `config.upload`, while it arrives.
 * @param max bytes of its file
 * @throws 400, 413, 415, 422, and what `take` throws
 */
export async function receiveForm<T>(
  request: FastifyRequest,
  max: number,
  taker: Taker<T>,
): Promise<Received<T>> {
  refuseCompressed(request.headers);
  if (Number(request.headers['content-length'] ?? 0) > max + AROUND_MAX)
    throw refuse('file_too_large', { max });
  const { socket } = request.raw;
  uploading.add(socket);
  socket.setTimeout(IDLE_MS);
  try {
    return await receive(request, max, taker);
  } catch (error) {
    // Many clients listen only when all is sent.
    request.raw.resume();
    const patience = setTimeout(() => socket.destroy(), REFUSED_MS).unref();
    request.raw.once('close', () => clearTimeout(patience));
    throw error instanceof TooManyBytes ? refuse('file_too_large', { max }) : error;
  } finally {
    uploading.delete(socket);
    socket.setTimeout(0);
  }
}

async function receive<T>(
  request: FastifyRequest,
  max: number,
  { take, undo }: Taker<T>,
): Promise<Received<T>> {
  const stop = new AbortController();
  const whole = Promise.withResolvers<Parameters>();
  whole.promise.catch(() => {});
  let wanted: FilePart | undefined;
  let receiving: Promise<T> | undefined;
  const { form, parameters } = readForm(
    { 'content-type': request.headers['content-type'] ?? '' },
    true,
    (part) => {
      if (part.field !== FILE_FIELD || wanted) {
        if (part.field === FILE_FIELD) stop.abort(invalidFile('file_twice'));
        part.content.resume();
        return;
      }
      wanted = part;
      receiving = take(part, whole.promise);
      receiving.catch((error) => stop.abort(error));
    },
  );
  parameters.catch((error) => stop.abort(error));
  try {
    await pipeline(bytesOf(request, max + AROUND_MAX), form, { signal: stop.signal });
    const fields = await parameters;
    // What is done with the file now may take its time.
    request.raw.socket.setTimeout(0);
    whole.resolve(fields);
    return { fields, taken: (await receiving) ?? null };
  } catch (error) {
    whole.reject(error);
    wanted?.content.destroy();
    const taken = await receiving?.catch(() => undefined);
    if (taken !== undefined) await undo(taken);
    // The connection is gone, which is what broke off all else.
    if (request.raw.errored) throw malformed();
    if (stop.signal.aborted) throw stop.signal.reason;
    if (error instanceof TooManyBytes) throw error;
    // The body is not what it says it is.
    throw request.raw.destroyed ? malformed() : refuse('invalid_multipart');
  }
}

/** The body, without an end to the connection where it is not read to its own. */
async function* bytesOf({ raw }: FastifyRequest, max: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > max) throw new TooManyBytes('the form is too large');
    yield chunk as Buffer;
  }
}
