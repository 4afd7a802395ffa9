import type { Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import type { FastifyRequest } from 'fastify';
import type { Upload } from '../app/releases.ts';
import { FILE_MAX, fileName } from '../domain/release.ts';
import { type Artifacts, TooManyBytes } from '../storage/storage.ts';
import { isStreamed, refuseCompressed } from './body.ts';
import { untimed } from './connections.ts';
import { fileTooLarge, type HttpProblem, invalid, malformed as malformedHttp } from './errors.ts';
import { type FilePart, malformed, readForm } from './multipart.ts';
import { parametersOf } from './parameters.ts';

/** Bytes that a body may have beyond those of the largest file: fields, boundaries, headers of parts. */
const AROUND_MAX = 4 * 1024 ** 2;
/** An upload of which nothing arrives for so many milliseconds is given up. */
const IDLE_MS = 60_000;
/** What is left of an upload that is refused is read for so many milliseconds at most. */
const REFUSED_MS = 300_000;
const FIELD = 'file';

/** Connections on which an upload is under way: it may take longer than other requests. */
const uploading = new WeakSet<Socket>();
export const isUploading = (socket: Socket): boolean => uploading.has(socket);

/**
 * Takes in the file of a request to a route that has `config.upload`, while it arrives, and makes the fields beside it
 * the body of the request. Null where there is none. Nothing stays of a file that does not come in whole, nor of one that
 * `use` has not placed; what it has is up to `use`.
 * @throws 400, 413, 415, 422
 */
export const withUpload = <T>(
  request: FastifyRequest,
  artifacts: Artifacts,
  use: (upload: Upload | null) => Promise<T>,
): Promise<T> => untimed(request.raw.socket, () => receiveAndUse(request, artifacts, use));

async function receiveAndUse<T>(
  request: FastifyRequest,
  artifacts: Artifacts,
  use: (upload: Upload | null) => Promise<T>,
): Promise<T> {
  const upload = isStreamed(request) ? await receive(request, artifacts) : null;
  try {
    if (!upload && ![undefined, null, ''].includes(parametersOf(request)[FIELD] as never)) {
      throw invalidFile('must be a file in a multipart/form-data body.');
    }
    return await use(upload);
  } finally {
    if (upload) await artifacts.discard(upload);
  }
}

const invalidFile = (reason: string): HttpProblem => invalid({ [FIELD]: reason });

async function receive(request: FastifyRequest, artifacts: Artifacts): Promise<Upload | null> {
  refuseCompressed(request.headers);
  if (Number(request.headers['content-length'] ?? 0) > FILE_MAX + AROUND_MAX) throw fileTooLarge();
  const { socket } = request.raw;
  uploading.add(socket);
  socket.setTimeout(IDLE_MS);
  try {
    return await receiveForm(request, artifacts);
  } catch (error) {
    // Many clients listen only when all is sent.
    request.raw.resume();
    const patience = setTimeout(() => socket.destroy(), REFUSED_MS).unref();
    request.raw.once('close', () => clearTimeout(patience));
    throw error instanceof TooManyBytes ? fileTooLarge() : error;
  } finally {
    uploading.delete(socket);
    socket.setTimeout(0);
  }
}

async function receiveForm(request: FastifyRequest, artifacts: Artifacts): Promise<Upload | null> {
  const stop = new AbortController();
  let wanted: FilePart | undefined;
  let receiving: Promise<Upload | null> | undefined;
  const { form, parameters } = readForm(
    { 'content-type': request.headers['content-type'] ?? '' },
    true,
    (part) => {
      if (part.field !== FIELD || wanted) {
        if (part.field === FIELD) stop.abort(invalidFile('must be sent once.'));
        part.content.resume();
        return;
      }
      wanted = part;
      receiving = receiveFile(part, artifacts);
      receiving.catch((error) => stop.abort(error));
    },
  );
  parameters.catch((error) => stop.abort(error));
  try {
    await pipeline(bytesOf(request), form, { signal: stop.signal });
    request.body = await parameters;
    return (await receiving) ?? null;
  } catch (error) {
    wanted?.content.destroy();
    const upload = await receiving?.catch(() => null);
    if (upload) await artifacts.discard(upload);
    // The connection is gone, which is what broke off all else.
    if (request.raw.errored) throw malformedHttp(undefined);
    if (stop.signal.aborted) throw stop.signal.reason;
    if (error instanceof TooManyBytes) throw error;
    // The body is not what it says it is.
    throw request.raw.destroyed ? malformedHttp(undefined) : malformed();
  }
}

/** The body, without an end to the connection where it is not read to its own. */
async function* bytesOf({ raw }: FastifyRequest): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length;
    if (size > FILE_MAX + AROUND_MAX) throw new TooManyBytes('the form is too large');
    yield chunk as Buffer;
  }
}

/** Null for the empty part that browsers send where no file was chosen. */
async function receiveFile(
  { content, fileName: sent, type }: FilePart,
  artifacts: Artifacts,
): Promise<Upload | null> {
  // Where it is not taken to its end, the form would take an end that we put to it for a fault of its own.
  const received = await artifacts.receive(content.iterator({ destroyOnReturn: false }), FILE_MAX);
  const name = fileName.read(sent);
  if (received.size > 0 && name.ok) return { ...received, name: name.value, type: mediaType(type) };
  await artifacts.discard(received);
  if (received.size === 0 && sent === '') return null;
  throw invalidFile(name.ok ? 'must not be empty.' : `must have another name: it ${name.reason}`);
}

const mediaType = (type: string): string =>
  /^[\w.+-]{1,63}\/[\w.+-]{1,127}$/.test(type) ? type : 'application/octet-stream';
