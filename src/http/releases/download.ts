import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { create as contentDisposition } from 'content-disposition';
import type { FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import parseRange from 'range-parser';
import type { findDownload } from '../../app/releases/downloads.ts';
import type { Actor } from '../../domain/actor.ts';
import { toDatetime } from '../../domain/datetime.ts';
import type { DownloadRecord } from '../../domain/releases/download.ts';
import type { ReleaseFile } from '../../domain/releases/release.ts';
import { type Artifacts, type ByteRange, type Bytes, BytesMissing } from '../../storage/storage.ts';
import { StoreUnavailable } from '../../store/store.ts';
import { clientOf, networkOf } from '../client-address.ts';
import { refuse, unwrap } from '../errors.ts';
import { logOf } from '../logging.ts';
import type { Services } from '../services.ts';

interface Download extends Pick<DownloadRecord, 'meta'> {
  /** `findDownload`; `findHeldDownload` for callers without an API key. */
  find: typeof findDownload;
  token: string;
  actor: Actor;
}

/** Answers with the file that a token allows the actor to download now, and records the download. @throws 403, 404, 412, 416 */
export function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  { store, clock, execute, artifacts, downloadTokens, settings }: Services,
  { find, token, actor, meta }: Download,
): Promise<FastifyReply> {
  const client = clientOf(request);
  const about = { ...client, network: networkOf(client.ipAddress), meta, keep: settings.historyKeep };
  return sendFile(request, reply, artifacts, async () => {
    const sources = { reads: store.read, downloadTokens };
    const { file, record } = unwrap(await find(sources, token, actor, toDatetime(clock())));
    const begin = async (isPart: boolean) =>
      unwrap(await execute('record-download', { ...record, ...about, isPart }, actor));
    return { file, begin };
  });
}

interface Sendable {
  file: ReleaseFile;
  /**
   * Called before the first byte of the file is sent; may refuse by throwing.
   * @param isPart whether only a part of the file is sent
   */
  begin(isPart: boolean): Promise<unknown>;
}

/**
 * Answers with a file or a range of it, or with 304 if the client has it. HEAD gets the same answer without the bytes.
 * Sends the file without a record if the database takes no changes.
 * @param find is called again if the file is gone when it is opened, because another file may have replaced it, and if the
 *   database takes no changes
 * @throws 412, 416
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  artifacts: Artifacts,
  find: () => Promise<Sendable>,
): Promise<FastifyReply> {
  if (request.raw.socket.destroyed) return reply.hijack();
  const sendable = async (): Promise<Sendable> => {
    const found = await find();
    const begin = async (isPart: boolean) => {
      try {
        await found.begin(isPart);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        // The write may have waited for many seconds: check again whether the download is allowed.
        await find();
        logOf(request).warn({ err: error }, 'a download is not recorded');
      }
    };
    return { file: found.file, begin };
  };
  const found = await sendable();
  try {
    return await send(request, reply, artifacts, found);
  } catch (error) {
    if (!(error instanceof BytesMissing)) throw error;
    const now = await sendable();
    if (now.file.key === found.file.key) throw error;
    return await send(request, reply, artifacts, now);
  }
}

/** Sends the file. @throws BytesMissing before it sets anything of the answer */
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
  const disposition = contentDisposition(file.name);
  const as = { contentDisposition: disposition, contentType: file.type };
  const url = request.method === 'GET' ? await artifacts.signedUrl(file.key, as) : null;
  // S3 gives the file another entity tag, which a client may send here when it resumes. S3 checks it after the redirect.
  const { 'if-match': ifMatch, 'if-range': ifRange } = url === null ? request.headers : {};
  if (!matches(ifMatch, etag)) throw refuse('precondition_failed');
  // `fresh` gets no Cache-Control, because If-None-Match also counts with no-cache (RFC 9110, section 13.1.2).
  if (fresh({ 'if-none-match': request.headers['if-none-match'] }, { etag }))
    return reply.code(304).headers(about).send();

  const mayBePart = request.method === 'GET' && (ifRange === undefined || ifRange === etag);
  const asked = mayBePart ? rangeOf(request, file.size) : null;
  // S3 ignores the range if `If-Range` names an earlier file.
  const mayBeIgnored = url !== null && request.headers['if-range'] !== undefined;
  const range = asked === 'unsatisfiable' && mayBeIgnored ? null : asked;
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${file.size}`);
    throw refuse('range_not_satisfiable', { size: file.size });
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  // Set these only when the answer is the file: a client must not take an error for the file.
  const headers = {
    ...about,
    'content-type': file.type,
    'content-disposition': disposition,
    'content-length': end - start + 1,
  };
  if (request.method === 'HEAD') return reply.headers(headers).send();

  // A resumed download was counted at its beginning.
  const begins = async () => start === 0 && (await begin(end < file.size - 1));
  if (url !== null) {
    await begins();
    return reply.redirect(url, 302);
  }
  const bytes = await artifacts.open(file.key, { start, end });
  try {
    await begins();
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
    // Too late for a status. The client sees that the connection ends before the file.
    if (!request.raw.socket.destroyed) logOf(request).error(error);
    reply.raw.destroy();
  }
  return reply;
}

/**
 * Sends the file. Reads a chunk only when the operating system has taken the previous one, because both may share memory.
 */
async function write(bytes: Bytes, out: ServerResponse, socket: Socket): Promise<void> {
  let fail = (_: Error): void => {};
  // A pending write gets no error when the connection closes.
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

/** Whether If-Match contains this entity tag. Weak tags never match (RFC 9110, section 13.1.1). */
const matches = (ifMatch: string | undefined, etag: string): boolean =>
  ifMatch === undefined ||
  ifMatch.trim() === '*' ||
  [...ifMatch.matchAll(/(?:W\/)?"[^"]*"/g)].some(([tag]) => tag === etag);

/** Returns the requested range; null for the whole file, which also answers several ranges or a malformed one. */
function rangeOf({ headers }: FastifyRequest, size: number): ByteRange | 'unsatisfiable' | null {
  if (!headers.range) return null;
  // A suffix longer than the file is the whole file (RFC 9110, section 14.1.2). The parser calls it unsatisfiable.
  const range = headers.range.replace(/(?<=[=,]\s*-)\d+/g, (last) => String(Math.min(Number(last), size)));
  const ranges = parseRange(size, range, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return null;
  return ranges[0] ?? null;
}
