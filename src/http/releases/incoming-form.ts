import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import { parameterName } from '../../domain/fields.ts';
import type { ProblemArgs, Said } from '../../domain/problem.ts';
import { releaseShape } from '../../domain/releases/release.ts';
import { TooManyBytes } from '../../storage/storage.ts';
import { readIfNoForm, refuseCompressed } from '../body.ts';
import { type HttpProblem, invalid, malformed, refuse } from '../errors.ts';
import type { Parameters } from '../parameters.ts';
import { type FilePart, readForm } from './multipart.ts';

/** Maximum bytes of a body besides the file: fields, boundaries and headers of parts. */
const OVERHEAD_MAX = 4 * 1024 ** 2;
/** An upload is aborted after this many milliseconds without data. */
const IDLE_MS = 60_000;
/** The rest of a refused upload is read for this many milliseconds at most. */
const REFUSED_MS = 300_000;
/** The name of the form field that holds the file. */
export const FILE_FIELD = 'file';

/** Connections with an upload in progress. An upload may take longer than other requests. */
const uploading = new WeakSet<Socket>();
export const isUploading = (socket: Socket): boolean => uploading.has(socket);

export const invalidFile = (...problem: Said<ProblemArgs>): HttpProblem => invalid(FILE_FIELD, ...problem);

/** The texts of a release. A file in place of one is refused; a file under any other name is ignored. */
const TEXTS = Object.keys(releaseShape);

interface Taker<T> {
  /** Called when the file begins to arrive. @param whole resolves with the fields when a well-formed form is complete */
  take(part: FilePart, whole: Promise<Parameters>): Promise<T>;
  /** Called with the result of `take` if the form turns out to be malformed. */
  undo(taken: T): Promise<unknown>;
}
export interface Received<T> {
  fields: Parameters;
  /** The result of `take`; null without a file. */
  taken: T | null;
}

/**
 * Reads the form of a request to a route that has `config.upload`, while it arrives. An empty body or a JSON object in place
 * of the form has no file.
 * @param max maximum bytes of the file
 * @throws 400, 413, 415, 422, and what `take` throws
 */
export async function receiveForm<T>(
  request: FastifyRequest,
  max: number,
  taker: Taker<T>,
): Promise<Received<T>> {
  refuseCompressed(request.headers);
  if (Number(request.headers['content-length'] ?? 0) > max + OVERHEAD_MAX)
    throw refuse('file_too_large', { max });
  const { socket } = request.raw;
  uploading.add(socket);
  socket.setTimeout(IDLE_MS);
  try {
    const fields = await readIfNoForm(request);
    return fields ? { fields, taken: null } : await receive(request, max, taker);
  } catch (error) {
    // Read the rest: many clients read the answer only after they have sent everything.
    request.raw.resume();
    const timer = setTimeout(() => socket.destroy(), REFUSED_MS).unref();
    request.raw.once('close', () => clearTimeout(timer));
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
        const text = TEXTS.find((name) => parameterName(name) === part.field);
        if (text) stop.abort(invalid(text, 'not_text'));
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
    await pipeline(bytesOf(request, max + OVERHEAD_MAX), form, { signal: stop.signal });
    const fields = await parameters;
    // Suspend the timeout: processing the file may take long.
    request.raw.socket.setTimeout(0);
    whole.resolve(fields);
    return { fields, taken: (await receiving) ?? null };
  } catch (error) {
    whole.reject(error);
    wanted?.content.destroy();
    const taken = await receiving?.catch(() => undefined);
    if (taken !== undefined) await undo(taken);
    // The connection is gone, which causes all other errors.
    if (request.raw.errored) throw malformed();
    if (stop.signal.aborted) throw stop.signal.reason;
    if (error instanceof TooManyBytes) throw error;
    throw request.raw.destroyed ? malformed() : refuse('invalid_multipart');
  }
}

/** Reads the body. Stopping early does not close the connection. */
async function* bytesOf({ raw }: FastifyRequest, max: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > max) throw new TooManyBytes('the form is too large');
    yield chunk as Buffer;
  }
}
