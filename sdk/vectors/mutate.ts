import { base64 } from './kit.ts';

// Mutations of good texts, for fuzzing. A verifier must refuse any text that differs in more than what may surround it.

/** Kinds of mutations. Those that keep the form valid are more frequent. */
export const KINDS = [
  ...(['flip', 'cut', 'remove', 'repeat', 'swap', 'insert', 'splice'] as const),
  ...([
    'byte',
    'byte',
    'byte',
    'part',
    'part',
    'certificate',
    'certificate',
    'certificate',
    'digit',
    'digit',
  ] as const),
] as const;

/** A mutation. `a`, `b` and `c` are from 0 up to 1, and choose a place and a way. */
export interface Mutation {
  kind: (typeof KINDS)[number];
  a: number;
  b: number;
  c: number;
}

const INSERTED = [
  '=',
  '.',
  ' ',
  '\n',
  '+',
  '/',
  '-',
  '_',
  'A',
  '\0',
  'é',
  '"',
  '{',
  '\\',
  '\ufeff',
  '🔑',
  '..',
];
const choose = <T>(all: readonly T[], at: number): T => all[Math.floor(at * all.length)] as T;
const decode = (part: string | undefined): Buffer => Buffer.from(part ?? '', 'base64url');

/** @param other another good text, to take pieces from */
export function mutate(text: string, other: string, { kind, a, b, c }: Mutation): string {
  const at = Math.floor(a * text.length);
  const to = at + 1 + Math.floor(b * b * (text.length - at));
  const [before, middle, after] = [text.slice(0, at), text.slice(at, to), text.slice(to)];
  const parts = text.split('.');
  const place = Math.floor(b * parts.length);
  const withPart = (part: string): string => parts.map((one, i) => (i === place ? part : one)).join('.');
  switch (kind) {
    case 'flip':
      return `${before}${String.fromCharCode(text.charCodeAt(at) ^ (1 << Math.floor(b * 7)))}${text.slice(at + 1)}`;
    case 'byte': {
      const bytes = decode(parts[place]);
      const i = Math.floor(a * bytes.length);
      bytes[i] = (bytes[i] ?? 0) ^ (1 << Math.floor(c * 8));
      return withPart(base64(bytes));
    }
    case 'cut':
      return c < 0.5 ? before : text.slice(at);
    case 'remove':
      return before + after;
    case 'repeat':
      return `${before}${middle}${middle}${after}`;
    case 'swap':
      return `${before}${after.slice(0, middle.length)}${middle}${after.slice(middle.length)}`;
    case 'insert':
      return `${before}${choose(INSERTED, b)}${text.slice(at)}`;
    case 'splice':
      return before + other.slice(Math.floor((c < 0.5 ? a : b) * other.length));
    case 'part':
      return withPart(other.split('.').at(place - parts.length) ?? '');
    case 'certificate': {
      const change: Mutation = { kind: choose(KINDS, c), a, b: c, c: b };
      return inHeader(text, (crt) =>
        change.kind === kind ? certificateOf(other) : mutate(crt, certificateOf(other), change),
      );
    }
    case 'digit':
      return withPart(
        base64(
          decode(parts[place])
            .toString()
            .replace(/\d(?=\d*[,}"])/g, (digit) => (c < 0.3 ? String((Number(digit) + 1) % 10) : digit)),
        ),
      );
  }
}

/** Changes the certificate in the header of a text. A text without one stays as it is. */
function inHeader(text: string, change: (crt: string) => string): string {
  const parts = text.split('.');
  const index = parts.length - 3;
  try {
    const header = JSON.parse(decode(parts[index]).toString());
    return parts
      .map((one, i) => (i === index ? base64({ ...header, crt: change(header.crt) }) : one))
      .join('.');
  } catch {
    return text;
  }
}

const certificateOf = (text: string): string => {
  let found = '';
  inHeader(text, (crt) => {
    found = crt;
    return crt;
  });
  return found;
};

/** Returns a text without the white space and prefix that may surround it. */
export const bare = (text: string): string =>
  text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '').replace(/^LKLEASE1\./, '');
