import { isUtf8 } from 'node:buffer';
import { finished } from 'node:stream/promises';
import type { BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpProblem, malformed, refuse } from './errors.ts';
import { type Parameters, parseForm } from './parameters.ts';
import { readForm } from './releases/multipart.ts';

/** Bytes of a body that holds no file. */
export const BODY_MAX = 1024 * 1024;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';
export const BODY_TYPES = `${JSON_TYPE}, ${FORM_TYPE} or ${MULTIPART_TYPE}`;
/** Under these, a body that is a JSON object is read as one: clients send JSON without saying so. */
const MAYBE_JSON = ['', 'text/plain', FORM_TYPE, MULTIPART_TYPE];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A multipart body is left to the handler, which takes the file in it as it comes. */
    upload?: boolean;
  }
}

/** Whether the body of a request is left to its handler. */
export const isStreamed = ({ routeOptions, headers }: FastifyRequest): boolean =>
  routeOptions.config.upload === true &&
  /^multipart\/form-data\s*;.*\bboundary=/i.test(headers['content-type'] ?? '');

/** Reads bodies as clients in the field send them (contract section 2). */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    // A body on DELETE is ignored, as is one that no route wants; the framework reads none on GET and HEAD.
    if (request.is404) return undefined;
    if (request.method === 'DELETE') return ignoreBody(request);
    if (isStreamed(request)) return undefined;
    const bytes = await readAll(payload, Number(request.headers['content-length'] ?? 0));
    return bytes.length === 0 ? undefined : parseBody(bytes, request.headers);
  });
}

/** Takes a body that is ignored to its end: a request that turns out to be malformed must have changed nothing. */
export async function ignoreBody({ raw }: FastifyRequest): Promise<undefined> {
  if (raw.complete) return;
  try {
    await finished(raw.resume());
  } catch {
    throw malformed();
  }
}

/** Bytes of a body that it may always have, and beyond those of all bodies that are arriving. */
const BODY_FREE = 16 * 1024;
const BODIES_MAX = 64 * 1024 * 1024;
let beyondFree = 0;

/** @throws 413, and 503 where too many large bodies arrive at once, as from clients that send them slowly */
async function readAll(payload: AsyncIterable<Buffer>, announced: number): Promise<Buffer> {
  if (announced > BODY_MAX) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  let held = 0;
  try {
    for await (const part of payload) {
      size += part.length;
      if (size > BODY_MAX) throw tooLarge();
      const more = Math.max(0, size - BODY_FREE) - held;
      held += more;
      beyondFree += more;
      if (more > 0 && beyondFree > BODIES_MAX) throw refuse('unavailable');
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch (error) {
    // The client has gone away: no fault of ours.
    throw error instanceof HttpProblem ? error : malformed();
  } finally {
    beyondFree -= held;
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

/** Null for what is no JSON, or no object. */
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
 * JSON in which `1e3` and `1.0` as a parameter are no integers, as the contract has it, though JavaScript takes them
 * for 1000 and 1: they become NaN, which every field refuses. Numbers inside `meta` stay as they are.
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

/** The fields of a multipart form; files in it are passed over. */
function parseMultipart(bytes: Buffer, headers: BusboyHeaders): Promise<Parameters> {
  const { form, parameters } = readForm(headers, !isUtf8(bytes), ({ content }) => content.resume());
  form.end(bytes);
  return parameters;
}
