import { isUtf8 } from 'node:buffer';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem } from './errors.ts';
import { type Parameters, parseForm } from './parameters.ts';

/** Bytes of a body that holds no file. */
export const BODY_MAX = 1024 * 1024;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const MULTIPART_TYPE = 'multipart/form-data';
/** Under these, a body that is a JSON object is read as one: clients send JSON without saying so. */
const MAYBE_JSON = ['', 'text/plain', FORM_TYPE, MULTIPART_TYPE];

/** Reads bodies as clients in the field send them (contract section 2). */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    // A body on DELETE is ignored, as is one that no route wants; the framework reads none on GET and HEAD.
    if (request.method === 'DELETE' || request.is404) return undefined;
    const bytes = await readAll(payload, Number(request.headers['content-length'] ?? 0));
    return bytes.length === 0 ? undefined : parseBody(bytes, request.headers);
  });
}

async function readAll(payload: AsyncIterable<Buffer>, announced: number): Promise<Buffer> {
  if (announced > BODY_MAX) throw tooLarge();
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of payload) {
    size += part.length;
    if (size > BODY_MAX) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const tooLarge = () => problem('rest_content_too_large', `The body is larger than ${BODY_MAX} bytes.`);

async function parseBody(bytes: Buffer, headers: FastifyRequest['headers']): Promise<Parameters> {
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity') {
    throw problem('rest_unsupported_media_type', 'The body must not be compressed.');
  }
  if (type === JSON_TYPE) {
    const object = parseObject(bytes);
    if (object) return object;
    throw problem('rest_invalid_json', 'The body is not a JSON object.');
  }
  const object = MAYBE_JSON.includes(type) && looksLikeObject(bytes) ? parseObject(bytes) : null;
  if (object) return object;
  if (type === FORM_TYPE) return parseForm(percentEncoded(bytes));
  if (type === MULTIPART_TYPE) return parseMultipart(bytes, headers as BusboyHeaders);
  throw problem(
    'rest_unsupported_media_type',
    `The body must be ${JSON_TYPE}, ${FORM_TYPE} or ${MULTIPART_TYPE}.`,
  );
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

/** Decodes to a value that no field takes for text. */
const NO_UTF8 = '%ff';

const percentEncoded = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);

/** The fields of a multipart form; files in it are passed over. */
function parseMultipart(bytes: Buffer, headers: BusboyHeaders): Promise<Parameters> {
  return new Promise((resolve, reject) => {
    const malformed = () => reject(problem('rest_invalid_body', 'The multipart body is malformed.'));
    try {
      const pairs: string[] = [];
      const form = new Busboy({ headers, limits: { fieldSize: BODY_MAX } });
      const mayBeDamaged = !isUtf8(bytes);
      form.on('field', (name, value) => {
        const damaged = mayBeDamaged && value.includes('\ufffd');
        pairs.push(
          `${encodeURIComponent(name.toWellFormed())}=${damaged ? NO_UTF8 : encodeURIComponent(value)}`,
        );
      });
      form.on('file', (_name, file) => {
        file.on('error', malformed);
        file.resume();
      });
      form.on('error', malformed);
      // Names may nest by brackets, so the pairs are read as a form is.
      form.on('finish', () => resolve(parseForm(pairs.join('&'))));
      form.end(bytes);
    } catch {
      malformed();
    }
  });
}
