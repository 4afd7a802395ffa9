import { isUtf8 } from 'node:buffer';
import { finished } from 'node:stream/promises';
import type { BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProblem, malformed, refuse } from './errors.ts';
import { type Parameters, parseForm } from './parameters.ts';
import { readForm } from './releases/multipart.ts';

/** Bytes of a body without a file. */
export const BODY_MAX = 1024 * 1024;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';
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

/** Parses bodies as contract section 2 requires. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    // The framework reads no body on GET and HEAD.
    if (request.is404) return undefined;
    if (request.method === 'DELETE') return ignoreBody(request);
    if (isStreamed(request)) return undefined;
    const bytes = await readAll(payload, Number(request.headers['content-length'] ?? 0));
    return bytes.length === 0 ? undefined : parseBody(bytes, request.headers);
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

/** Bytes that every body may have in memory, and bytes beyond them of all bodies that are arriving. */
const BODY_FREE = 16 * 1024;
const BODIES_MAX = 64 * 1024 * 1024;
let allBuffered = 0;

/** @throws 413, and 503 while too many large bodies arrive, for example from slow clients */
async function readAll(payload: AsyncIterable<Buffer>, contentLength: number): Promise<Buffer> {
  if (contentLength > BODY_MAX) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  let buffered = 0;
  try {
    for await (const part of payload) {
      size += part.length;
      if (size > BODY_MAX) throw tooLarge();
      const more = Math.max(0, size - BODY_FREE) - buffered;
      buffered += more;
      allBuffered += more;
      if (more > 0 && allBuffered > BODIES_MAX) throw refuse('unavailable');
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    // The client has disconnected.
    throw error instanceof HttpProblem ? error : malformed();
  } finally {
    allBuffered -= buffered;
  }
}

const tooLarge = () => refuse('body_too_large', { max: BODY_MAX });

async function parseBody(bytes: Buffer, headers: FastifyRequest['headers']): Promise<Parameters> {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  refuseCompressed(headers);
  if (type === JSON_TYPE) {
    const object = parseObject(bytes);
    if (object) return object;
    throw refuse('invalid_json');
  }
  const object = MAYBE_JSON.includes(type) && looksLikeObject(bytes) ? parseObject(bytes) : null;
  if (object) return object;
  if (type === FORM_TYPE) return parseForm(percentEncoded(bytes));
  if (type === MULTIPART_TYPE) return parseMultipart(bytes, headers as BusboyHeaders);
  throw refuse('unsupported_type', { types: BODY_TYPES });
}

/** @throws 415 */
export function refuseCompressed(headers: FastifyRequest['headers']): void {
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
    throw refuse('compressed');
  }
}

const looksLikeObject = (bytes: Buffer): boolean =>
  /^(?:\ufeff|\xef\xbb\xbf)?\s*\{/.test(bytes.toString('latin1', 0, 1024));

/** Returns null unless the bytes are a JSON object. */
function parseObject(bytes: Buffer): Parameters | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = parseExactly(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Parameters)
      : null;
  } catch {
    return null;
  }
}

/**
 * Parses JSON. A parameter `1e3` or `1.0` is not an integer by the contract, but would be 1000 or 1 in JavaScript: it
 * becomes NaN, which every field refuses. Numbers inside `meta` stay.
 */
function parseExactly(text: string): unknown {
  if (!/\d[.eE]/.test(text)) return JSON.parse(text);
  const inexact = new Map<object, string[]>();
  const value: unknown = JSON.parse(text, function (this: object, name, one, context?: { source?: string }) {
    if (typeof one === 'number' && /[.eE]/.test(context?.source ?? '')) {
      const names = inexact.get(this);
      if (names) names.push(name);
      else inexact.set(this, [name]);
    }
    return one;
  });
  if (typeof value !== 'object' || value === null) return value;
  for (const holder of [value, ...Object.values(value).filter(Array.isArray)]) {
    for (const name of inexact.get(holder) ?? []) (holder as Parameters)[name] = Number.NaN;
  }
  return value;
}

const percentEncoded = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);

/** Reads the fields of a multipart form and skips its files. */
function parseMultipart(bytes: Buffer, headers: BusboyHeaders): Promise<Parameters> {
  const { form, parameters } = readForm(headers, !isUtf8(bytes), ({ content }) => content.resume());
  form.end(bytes);
  return parameters;
}
