import type { Stamps } from './datetime.ts';
import { emailAddress } from './email-address.ts';
import { type Changes, type Created, codePoints, flag, integer, optional, required, text } from './fields.ts';
import { type License, licenseKey, licenseStatus, shopShape } from './licenses/license.ts';
import { type Problem, problem } from './problem.ts';
import { done, type Outcome, refused } from './refusal.ts';
import { type LicenseTerms, TERMS_DEFAULTS, type TermsInput, termsShape } from './terms.ts';

/** The form of keys: prefix, chunks of random characters joined by the separator, suffix. */
export interface KeyTemplate {
  charset: string;
  chunks: number;
  chunkLength: number;
  separator: string;
  prefix: string | null;
  suffix: string | null;
}

/** A generator of license keys. Licenses created with the generator get its terms. */
export interface Generator extends KeyTemplate, LicenseTerms, Stamps {
  id: number;
  name: string;
  /** Activation limit of the licenses; 0 for no limit. */
  activationsLimit: number;
  /** Days until the licenses expire; 0 for never. */
  expiresIn: number;
}

const KEY_MAX = 255;

/** The parameters of a create (contract section 7). */
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
  ...termsShape,
};
const { charset, chunks, chunkLength, separator, prefix, suffix } = generatorShape;
/** The parameters that determine the keys. */
export const templateShape = { charset, chunks, chunkLength, separator, prefix, suffix };
/** The values of parameters that are not sent, or cleared. */
export const GENERATOR_DEFAULTS = {
  separator: '',
  activationsLimit: 0,
  expiresIn: 0,
  ...TERMS_DEFAULTS,
} as const;
export type NewGenerator = Omit<Created<typeof generatorShape>, keyof LicenseTerms> & Partial<TermsInput>;
export type GeneratorChanges = Changes<typeof generatorShape>;

export const generateShape = {
  amount: required(integer({ min: 1, max: 100_000 })),
  save: optional(flag),
  status: optional(licenseStatus),
  ...shopShape,
};
/** The parameters of a generation in the console and on the command line, with values that only people set. */
export const fullGenerateShape = { ...generateShape, customerEmail: optional(emailAddress) };
export type GenerateInput = Created<typeof generateShape> & Partial<Pick<License, 'customerEmail'>>;

/** Returns the distinct characters of the charset. */
export const characters = ({ charset }: Pick<KeyTemplate, 'charset'>): string[] => [...new Set(charset)];

/** Returns the number of random characters in a key. */
export const randomLength = (template: Pick<KeyTemplate, 'chunks' | 'chunkLength'>): number =>
  template.chunks * template.chunkLength;

/** Returns the number of different keys of a template; Infinity if too large for a number. */
export const keySpace = (template: KeyTemplate): number =>
  characters(template).length ** randomLength(template);

/** Returns the exact number of different keys of a template. */
export const possibleKeys = (template: KeyTemplate): bigint =>
  BigInt(characters(template).length) ** BigInt(randomLength(template));

/** Returns the entropy of a key in bits. */
export const entropyBits = (template: KeyTemplate): number =>
  randomLength(template) * Math.log2(characters(template).length);

/** Reasons why the keys of a template are easy to misread or to guess. */
export const WEAKNESSES = ['look_alikes', 'repeated', 'white_space', 'guessable'] as const;
interface Weakness {
  kind: (typeof WEAKNESSES)[number];
  /** The characters at fault, if any. */
  characters: string;
}

/** Characters that people confuse when they read or type a key. */
const LOOK_ALIKES = ['0Oo', '1Il|'];
/**
 * Keys with fewer bits of entropy count as guessable. A thousand guesses a second are 2^35 a year. Against 2^13 issued
 * licenses, these guesses find a 60-bit key at one in 2^12 vendors.
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

/** Refuses a template whose keys are not valid license keys. */
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

/** Returns the key whose n-th random character is `characterAt(n)`. */
export function compose(template: KeyTemplate, characterAt: (n: number) => string): string {
  let key = template.prefix ?? '';
  for (let chunk = 0, n = 0; chunk < template.chunks; chunk++) {
    if (chunk > 0) key += template.separator;
    for (let i = 0; i < template.chunkLength; i++) key += characterAt(n++);
  }
  return key + (template.suffix ?? '');
}

/** Returns key number `index` of a template, from 0 to below `keySpace`. Different numbers give different keys. */
export function keyAt(template: KeyTemplate, index: number, charset = characters(template)): string {
  let rest = index;
  return compose(template, () => {
    const digit = rest % charset.length;
    rest = (rest - digit) / charset.length;
    return charset[digit] as string;
  });
}
