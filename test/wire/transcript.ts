import { createHash } from 'node:crypto';
import type { Answer, Sent } from './http.ts';
import type { Masks } from './masks.ts';

/** Parts of an answer that are not recorded. */
export interface Omitted {
  /** Omits the body, because it names files that differ between builds. */
  body?: boolean;
  /** Records the SHA-256 of the body instead of the body, which another answer has in full. */
  hash?: boolean;
  /** Omits the length of the body, because masked values differ in length. */
  length?: boolean;
}

/** Headers that a client library adds and that say nothing about the request. */
const NOT_SHOWN = ['host', 'content-length'];
const INDENTED_FROM = 600;
/** Placeholders of values that differ in length. */
const VARYING = /"<(?:bytes|head of the chain|last access|runtime)>"/;
const REPEATED = /(.)\1{99,}/gsu;

/** Returns a request and its answer as text. */
export function describe(sent: Sent, answer: Answer, masks: Masks, omitted: Omitted): string {
  const sentHeaders = Object.entries(sent.headers).filter(([name]) => !NOT_SHOWN.includes(name));
  // The body comes first: it has the text that identifies values which headers repeat.
  const body = omitted.body
    ? '(not recorded)'
    : omitted.hash
      ? `(SHA-256 ${createHash('sha256').update(answer.bytes).digest('hex')})`
      : describeBody(answer.bytes, masks);
  const isMarked = omitted.length === true || omitted.body === true || VARYING.test(body);
  const headers = answer.lines
    .map(([name, value]) => [name, isMarked && name === 'content-length' ? '<length>' : value])
    .map(([name, value]) => (name === 'retry-after' ? [name, '<seconds>'] : [name, value]))
    .map((line) => line.join(': '));
  return [
    `${sent.method} ${shortened(masks.mask(sent.path))}`,
    ...sentHeaders.map((line) => shortened(masks.mask(line.join(': ')))).toSorted(),
    ...(sent.announced === null ? [] : [`content-length: ${sent.announced}`]),
    ...(sent.body ? ['', shortened(masks.mask(readable(sent.body)))] : []),
    '---',
    String(answer.status),
    ...masks.mask(headers.join('\n')).split('\n').toSorted(),
    ...(body === '' ? [] : ['', body]),
    '',
  ].join('\n');
}

/** Indents long JSON, but only if its bytes follow from it: no white space, and numbers as JavaScript writes them. */
function describeBody(bytes: Buffer, masks: Masks): string {
  const text = readable(bytes);
  if (text.length > INDENTED_FROM && text.startsWith('{')) {
    try {
      const value: unknown = JSON.parse(text);
      if (JSON.stringify(value) === text) {
        // The text is masked first, because patterns match compact JSON.
        const masked: unknown = JSON.parse(masks.mask(text));
        return `(compact JSON, indented)\n${shortened(JSON.stringify(masked, null, 1))}`;
      }
    } catch {}
  }
  return shortened(masks.mask(text));
}

/** Returns bytes as text if they are UTF-8, else as hexadecimal digits. CR is visible. */
function readable(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes).replaceAll('\r', '␍');
  } catch {
    return `(hex) ${bytes.toString('hex')}`;
  }
}

const shortened = (text: string): string =>
  text.replace(REPEATED, (all, one: string) => `${one}<${all.length / one.length} times>`);
