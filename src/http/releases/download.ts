import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import parseRange from 'range-parser';
import type { ReleaseFile } from '../../domain/release.ts';
import { type Artifacts, type ByteRange, type Bytes, BytesMissing } from '../../storage/storage.ts';
import { refuse } from '../errors.ts';

/** A file that may be sent. */
interface Sendable {
  file: ReleaseFile;
  /** Called before the first byte of the file goes out; it may refuse by throwing. */
  begin(): Promise<unknown>;
}

/**
 * Answers with a file: whole or a range of it, or that the client has it already. HEAD answers the same but the bytes.
 * @param find is asked again where the file is gone when it is opened: another one may have taken its place
 * @throws 412, 416
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  artifacts: Artifacts,
  find: () => Promise<Sendable>,
): Promise<FastifyReply> {
  if (request.raw.socket.destroyed) return reply.hijack();
  const found = await find();
  try {
    return await send(request, reply, artifacts, found);
  } catch (error) {
    if (!(error instanceof BytesMissing)) throw error;
    const now = await find();
    if (now.file.key === found.file.key) throw error;
    return await send(request, reply, artifacts, now);
  }
}

/** @throws BytesMissing before anything of the answer is set */
async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  artifacts: Artifacts,
  { file, begin }: Sendable,
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`;
  const about = {
    etag,
    'cache-control': 'private, no-cache',
    'accept-ranges': 'bytes',
    'repr-digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
  };
  if (!matches(request.headers['if-match'], etag)) throw refuse('precondition_failed');
  // Without cache-control: clients that ask past their caches ask with If-None-Match, too (RFC 9110, section 13.1.2).
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag }))
    return reply.code(304).headers(about).send();

  const range = request.method === 'GET' ? rangeOf(request, file.size, etag) : null;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    throw refuse('range_not_satisfiable', { size: file.size });
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const disposition = contentDisposition(file.name);
  // Set only where the answer is the file: an error that comes instead must not be taken for it.
  const headers = {
    ...about,
    'content-type': file.type,
    'content-disposition': disposition,
    'content-length': end - start + 1,
  };
  if (request.method === 'HEAD') return reply.headers(headers).send();

  // A download that is resumed has been counted when it began.
  const isBeginning = start === 0;
  const url = await artifacts.signedUrl(file.key, {
    contentDisposition: disposition,
    contentType: file.type,
  });
  if (url !== null) {
    if (isBeginning) await begin();
    return reply.redirect(url, 302);
  }
  const bytes = await artifacts.open(file.key, { start, end });
  try {
    if (isBeginning) await begin();
  } catch (error) {
    bytes.destroy();
    throw error;
  }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${file.size}`);
  reply.headers(headers);
  reply.hijack();
  reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  try {
    await write(bytes, reply.raw, request.raw.socket);
  } catch (error) {
    // Too late to say so: that the connection ends before the file does says that it is not whole.
    if (!request.raw.socket.destroyed) request.log.error(error);
    reply.raw.destroy();
  }
  return reply;
}

/** Each chunk is asked for when the one before is with the operating system, for both may be in the same memory. */
async function write(bytes: Bytes, out: ServerResponse, socket: Socket): Promise<void> {
  let fail = (_: Error): void => {};
  // What waits to be written is not told that it never will be.
  const onClose = () => fail(new Error('the connection is closed'));
  socket.once('close', onClose);
  try {
    for await (const chunk of bytes) {
      await new Promise<void>((resolve, reject) => {
        fail = reject;
        if (socket.destroyed) return onClose();
        out.write(chunk, (error) => (error ? reject(error) : resolve()));
      });
    }
    out.end();
  } finally {
    socket.off('close', onClose);
  }
}

/** Whether If-Match holds: one of its entity tags is this one, none of them weak (RFC 9110, section 13.1.1). */
const matches = (ifMatch: string | undefined, etag: string): boolean =>
  ifMatch === undefined ||
  ifMatch.trim() === '*' ||
  [...ifMatch.matchAll(/(?:W\/)?"[^"]*"/g)].some(([tag]) => tag === etag);

/** The range that is asked for; null for all of the file, as for several ranges and for what is no range. */
function rangeOf(
  { headers }: FastifyRequest,
  size: number,
  etag: string,
): ByteRange | 'unsatisfiable' | null {
  if (!headers.range || (headers['if-range'] !== undefined && headers['if-range'] !== etag)) return null;
  // The parser takes a suffix longer than the file for one outside of it: it is the file (RFC 9110, section 14.1.2).
  const range = headers.range.replace(/(?<=[=,]\s*-)\d+/g, (last) => String(Math.min(Number(last), size)));
  const ranges = parseRange(size, range, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}
