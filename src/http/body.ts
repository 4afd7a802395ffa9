import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isObject } from '../domain/fields.ts';
import { HttpProblem, malformed, refuse } from './errors.ts';
import { type Parameters, parseForm } from './parameters.ts';
import { readForm } from './releases/multipart.ts';

/** Maximum bytes of a body without a file. */
export const BODY_MAX = 1024 * 1024;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';
/** Replaces a malformed type. */
const UNKNOWN_TYPE = 'application/octet-stream';
export const BODY_TYPES = `${JSON_TYPE}, ${FORM_TYPE} or ${MULTIPART_TYPE}`;
/** A JSON object is also accepted with these types, because clients send JSON without its type. */
const MAYBE_JSON = ['', 'text/plain', FORM_TYPE, MULTIPART_TYPE];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler reads a multipart body itself, while the file in it arrives. */
    upload?: boolean;
  }
}

/** Whether the handler reads the body itself. */
export const isStreamed = ({ routeOptions, headers }: FastifyRequest): boolean =>
  routeOptions.config.upload === true &&
  /^multipart\/form-data\s*;.*\bboundary=/i.test(headers['content-type'] ?? '');

/** The media types that the framework accepts. It answers 415 to others before a parser runs, even without a body. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/** Parses bodies as contract section 2 requires. */
export function readBodies(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw: { headers } }, _reply, done) => {
    const type = headers['content-type'];
    if (type?.trim() === '') delete headers['content-type'];
    else if (type !== undefined && !MEDIA_TYPE.test(type)) headers['content-type'] = UNKNOWN_TYPE;
    done();
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    // GET and HEAD do not get here: the framework reads no body for them.
    if (request.is404) return undefined;
    if (request.method === 'DELETE') return ignoreBody(request);
    if (isStreamed(request)) return undefined;
    const bytes = await readAll(payload, request.headers['content-length'], request.routeOptions.bodyLimit);
    return bytes.length === 0 ? undefined : parseBody(bytes, request.headers);
  });
}

/**
 * Returns the parameters of a streamed body that is empty or a JSON object. Returns null, and leaves the body unread, if it is
 * anything else.
 */
export async function readIfNoForm({ raw, headers }: FastifyRequest): Promise<Parameters | null> {
  // A destroyed stream never becomes readable.
  if (raw.destroyed) throw malformed();
  // A body that has ended already need not become readable.
  if (raw.complete && raw.readableLength === 0) return {};
  await once(raw, 'readable').catch(() => {
    throw malformed();
  });
  const start: Buffer | null = raw.read();
  if (start === null) return {};
  raw.unshift(start);
  return looksLikeObject(start) ? parseBody(await readAll(raw, headers['content-length']), headers) : null;
}

/** What PHP writes for an empty object. */
const EMPTY_LIST = Buffer.from('[]');

/** Parses bodies in this Fastify context, which accepts only JSON objects. An empty body or list is undefined. */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    if (request.is404) return undefined;
    const { headers } = request;
    const bytes = await readAll(payload, headers['content-length'], request.routeOptions.bodyLimit);
    if (bytes.length === 0) return undefined;
    refuseCompressed(headers);
    if (typeOf(headers) !== JSON_TYPE) throw refuse('unsupported_type', { types: JSON_TYPE });
    if (bytes.equals(EMPTY_LIST)) return undefined;
    const object = parseObject(bytes);
    if (!object) throw refuse('invalid_json');
    return object;
  });
}

/** Reads an ignored body to its end, so that a malformed request is refused before it changes anything. */
export async function ignoreBody({ raw }: FastifyRequest): Promise<undefined> {
  if (raw.complete) return;
  try {
    await finished(raw.resume());
  } catch {
    throw malformed();
  }
}

/** Bytes that every arriving body may hold in memory, and bytes beyond those that all arriving bodies may hold together. */
const BODY_FREE = 16 * 1024;
const BODIES_MAX = 64 * 1024 * 1024;
let allBuffered = 0;

/** Reads a whole body. @throws 413, and 503 while too many large bodies arrive, for example from slow clients */
async function readAll(payload: AsyncIterable<Buffer>, contentLength = '0', max = BODY_MAX): Promise<Buffer> {
  const tooLarge = () => refuse('body_too_large', { max });
  if (Number(contentLength) > max) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  let buffered = 0;
  try {
    for await (const part of payload) {
      size += part.length;
      if (size > max) throw tooLarge();
      const more = Math.max(0, size - BODY_FREE) - buffered;
      buffered += more;
      allBuffered += more;
      if (more > 0 && allBuffered > BODIES_MAX) throw refuse('unavailable');
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    // Any other error means that the client has disconnected.
    throw error instanceof HttpProblem ? error : malformed();
  } finally {
    allBuffered -= buffered;
  }
}

const typeOf = (headers: FastifyRequest['headers']): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';

async function parseBody(bytes: Buffer, headers: FastifyRequest['headers']): Promise<Parameters> {
  const type = typeOf(headers);
  refuseCompressed(headers);
  if (type === JSON_TYPE) {
    const object = parseObject(bytes);
    if (object) return object;
    throw refuse('invalid_json');
  }
  const object = MAYBE_JSON.includes(type) && looksLikeObject(bytes) ? parseObject(bytes) : null;
  if (object) return object;
  if (type === FORM_TYPE) return parseForm(formText(bytes));
  if (type === MULTIPART_TYPE) return parseMultipart(bytes, headers as BusboyHeaders);
  throw refuse('unsupported_type', { types: BODY_TYPES });
}

/** Refuses a compressed body. @throws 415 */
export function refuseCompressed(headers: FastifyRequest['headers']): void {
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
    throw refuse('compressed');
  }
}

const looksLikeObject = (bytes: Buffer): boolean =>
  /^(?:\ufeff|\xef\xbb\xbf)?\s*\{/.test(bytes.toString('latin1', 0, 1024));

/**
 * Maximum number of values in a JSON body, at all levels together: a license with its activations reaches 1 MiB before it.
 * Parsing blocks all other requests.
 */
const VALUES_MAX = 60_000;
/** The same for a body that may have numbers which must be read exactly, because that takes several times as long. */
const EXACT_VALUES_MAX = 20_000;
/** Matches JSON that may have a number with a fraction or an exponent, or an integer that JavaScript may round. */
const NEEDS_EXACTNESS = /[:,[]\s*-?(?:\d+[.eE]|\d{16})/;
const [QUOTE, BACKSLASH, BEFORE_VALUES] = [0x22, 0x5c, [...Buffer.from(',[{')]];

/** Whether JSON has more than `max` values, which also bounds its nesting. */
function hasMoreValues(bytes: Buffer, max: number): boolean {
  let values = 0;
  let inText = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) inText = !inText;
    else if (inText && byte === BACKSLASH) i++;
    else if (!inText && BEFORE_VALUES.includes(byte) && ++values > max) return true;
  }
  return false;
}

/** Returns null unless the bytes are a JSON object. @throws 400 if it has too many values */
function parseObject(bytes: Buffer): Parameters | null {
  const isExact = NEEDS_EXACTNESS.test(bytes.toString('latin1'));
  const max = isExact ? EXACT_VALUES_MAX : VALUES_MAX;
  if (hasMoreValues(bytes, max)) throw refuse('too_many_json_values', { max });
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = isExact ? parseExactly(text) : JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Parses JSON. A parameter `1e3` or `1.0` is not an integer by the contract, but would be 1000 or 1 in JavaScript: it
 * becomes NaN, which every field refuses. Inside `meta`, such numbers are not changed, and integers that JavaScript would
 * round become text.
 */
function parseExactly(text: string): unknown {
  const parameters = new Map<object, [name: string, value: number][]>();
  const value: unknown = JSON.parse(text, function (this: object, name, one, context?: { source?: string }) {
    if (typeof one !== 'number') return one;
    const digits = context?.source ?? '';
    const isInteger = !/[.eE]/.test(digits);
    if (isInteger && Number.isSafeInteger(one)) return one;
    const known = parameters.get(this);
    const parameter: [string, number] = [name, isInteger ? one : Number.NaN];
    if (known) known.push(parameter);
    else parameters.set(this, [parameter]);
    return isInteger ? digits : one;
  });
  if (typeof value !== 'object' || value === null) return value;
  for (const holder of [value, ...Object.values(value).filter(Array.isArray)]) {
    for (const [name, number] of parameters.get(holder) ?? []) (holder as Parameters)[name] = number;
  }
  return value;
}

const PERCENT = 0x25;
const HEX = Buffer.from('0123456789abcdef');

/**
 * Returns the text of a form. If its bytes are not UTF-8, percent-encodes every byte that is not ASCII: the form parser
 * marks the values that do not decode.
 */
function formText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const text = Buffer.alloc(3 * bytes.length);
  let end = 0;
  for (const byte of bytes) {
    const isText = byte < 0x80;
    text[end++] = isText ? byte : PERCENT;
    if (isText) continue;
    text[end++] = HEX[byte >> 4] as number;
    text[end++] = HEX[byte & 15] as number;
  }
  return text.toString('latin1', 0, end);
}

/** Bytes of a multipart form to parse at a time: if each part is small, this takes a few milliseconds. */
const FORM_PIECE = 16 * 1024;

/** Reads the fields of a multipart form and skips its files. Other requests run between the pieces. */
async function parseMultipart(bytes: Buffer, headers: BusboyHeaders): Promise<Parameters> {
  const { form, parameters } = readForm(headers, !isUtf8(bytes), ({ content }) => content.resume());
  for (let at = 0; at < bytes.length && !form.destroyed; at += FORM_PIECE) {
    form.write(bytes.subarray(at, at + FORM_PIECE));
    await setImmediate();
  }
  form.end();
  return parameters;
}
