import type { Datetime } from './datetime.ts';
import {
  type Changes,
  type Created,
  codePoints,
  flag,
  integer,
  optional,
  reference,
  required,
  text,
} from './fields.ts';
import { licenseKey, licenseStatus } from './license.ts';
import { type Problem, problem } from './problem.ts';
import { done, type Outcome, refused } from './refusal.ts';

/** How keys are composed: prefix, then chunks of random characters joined by the separator, then suffix. */
export interface KeyTemplate {
  charset: string;
  chunks: number;
  chunkLength: number;
  separator: string;
  prefix: string | null;
  suffix: string | null;
}

export interface Generator extends KeyTemplate {
  id: number;
  name: string;
  /** 0 means no limit. */
  activationsLimit: number;
  /** Days; 0 means never. */
  expiresIn: number;
  createdAt: Datetime;
  createdBy: number;
  updatedAt: Datetime | null;
  updatedBy: number | null;
}

const KEY_MAX = 255;

/** What create requires and takes (contract section 7). */
export const generatorShape = {
  name: required(text({ min: 1, max: 255 })),
  charset: required(text({ min: 1, max: 255, description: 'A repeated character counts once' })),
  chunks: required(integer({ min: 1, max: 100 })),
  chunkLength: required(integer({ min: 1, max: 100, description: 'Characters per chunk' })),
  activationsLimit: optional(integer({ description: 'For generated licenses; 0 means no limit' })),
  separator: optional(text({ max: 64, description: 'Between chunks' })),
  prefix: optional(text({ max: 64 })),
  suffix: optional(text({ max: 64 })),
  expiresIn: optional(integer({ description: 'Days until a generated license expires; 0 means never' })),
};
/** What of a generator makes its keys. */
export const templateShape = {
  charset: generatorShape.charset,
  chunks: generatorShape.chunks,
  chunkLength: generatorShape.chunkLength,
  separator: generatorShape.separator,
  prefix: generatorShape.prefix,
  suffix: generatorShape.suffix,
};
/** What a value is when it is not sent, or cleared. */
export const GENERATOR_DEFAULTS = { separator: '', activationsLimit: 0, expiresIn: 0 } as const;
export type NewGenerator = Created<typeof generatorShape>;
export type GeneratorChanges = Changes<typeof generatorShape>;

export const generateShape = {
  amount: required(integer({ min: 1, max: 100_000 })),
  save: optional(flag),
  status: optional(licenseStatus),
  orderId: optional(reference()),
  productId: optional(reference()),
  userId: optional(reference()),
};
export type GenerateInput = Created<typeof generateShape>;

/** The characters a key draws from, each once. */
export const characters = (template: Pick<KeyTemplate, 'charset'>): string[] => [
  ...new Set(template.charset),
];

/** Random characters in one key. */
export const randomLength = (template: Pick<KeyTemplate, 'chunks' | 'chunkLength'>): number =>
  template.chunks * template.chunkLength;

/** How many different keys a template can give; Infinity where a number cannot hold it. */
export const keySpace = (template: KeyTemplate): number =>
  characters(template).length ** randomLength(template);

/** The same, exactly. */
export const possibleKeys = (template: KeyTemplate): bigint =>
  BigInt(characters(template).length) ** BigInt(randomLength(template));

/** Bits that are left to whoever guesses a key. */
export const entropyBits = (template: KeyTemplate): number =>
  randomLength(template) * Math.log2(characters(template).length);

/** What makes a template a poor one, though its keys may be had. */
export interface Weakness {
  kind: 'look_alikes' | 'repeated' | 'white_space' | 'guessable';
  /** The characters at fault; none where it is not theirs. */
  characters: string;
}

/** Characters that people take for one another when they read or type a key. */
const LOOK_ALIKES = ['0Oo', '1Il|'];
/**
 * Fewer bits can be guessed: a thousand guesses a second are 2^35 in a year, and where 2^13 licenses have been issued,
 * one in 2^12 vendors would lose one.
 */
const GUESSABLE_BELOW = 60;

export function weaknessesOf(template: KeyTemplate): Weakness[] {
  const drawn = characters(template);
  const weaknesses: Weakness[] = LOOK_ALIKES.map((alike) => drawn.filter((one) => alike.includes(one)))
    .filter((some) => some.length > 1)
    .map((some) => ({ kind: 'look_alikes', characters: some.join('') }));
  const all = [...template.charset];
  const repeated = drawn.filter((one) => all.indexOf(one) !== all.lastIndexOf(one));
  if (repeated.length > 0) weaknesses.push({ kind: 'repeated', characters: repeated.join('') });
  const around = [template.prefix, template.separator, template.suffix, ...drawn].join('');
  if (/[\s\p{Cc}]/u.test(around)) weaknesses.push({ kind: 'white_space', characters: '' });
  if (entropyBits(template) < GUESSABLE_BELOW) weaknesses.push({ kind: 'guessable', characters: '' });
  return weaknesses;
}

/** Whether the keys of a template are ones that a license may have. */
export function checkTemplate(template: KeyTemplate): Outcome<null> {
  const fields: Record<string, Problem> = {};
  const length =
    codePoints(template.prefix ?? '') +
    codePoints(template.suffix ?? '') +
    randomLength(template) +
    codePoints(template.separator) * (template.chunks - 1);
  if (length > KEY_MAX) fields.chunkLength = problem('keys_too_long', { length, max: KEY_MAX });
  const prefixed = licenseKey.read(`${template.prefix ?? ''}x`);
  if (!prefixed.ok) fields.prefix = prefixed.problem;
  return Object.keys(fields).length > 0 ? refused('invalid', { fields }) : done(null);
}

/** The key whose n-th random character is `characterAt(n)`. */
export function compose(template: KeyTemplate, characterAt: (n: number) => string): string {
  let key = template.prefix ?? '';
  for (let chunk = 0, n = 0; chunk < template.chunks; chunk++) {
    if (chunk > 0) key += template.separator;
    for (let i = 0; i < template.chunkLength; i++) key += characterAt(n++);
  }
  return key + (template.suffix ?? '');
}

/** The key number `index` of a template, from 0 to its key space; each number gives another key. */
export function keyAt(template: KeyTemplate, index: number, charset = characters(template)): string {
  let rest = index;
  return compose(template, () => {
    const digit = rest % charset.length;
    rest = (rest - digit) / charset.length;
    return charset[digit] as string;
  });
}
