import fc from 'fast-check';
import type { Record_ } from '../support/http/api.ts';
import { anyCharacter } from '../support/text.ts';
import { ALL_NAMES, LICENSE_NAMES, NUMBER_NAMES, PRODUCT, TOKEN_NAMES } from './world.ts';

/** Values of parameters: plausible ones according to the OpenAPI document, and odd ones. */

export const oneOfNames = (names: readonly string[]) =>
  fc.constantFrom(...names.map((name) => `<<${name}>>`));

const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);
const LONG = [256, 4_096, 70_000];
const ODD_TEXTS = [
  ...[
    '',
    ' ',
    '\t\r\n',
    '\0',
    'a\0b',
    '\ud800',
    'a\udc00\ud800',
    '\ufeff',
    '\uffff',
    '\u202eabc\u202c',
    'e\u0301\u0323',
  ],
  ...[
    '👩‍👩‍👧‍👦',
    'שלום',
    '%',
    '%zz',
    '%00',
    '%2F',
    '%252F',
    '%c0%ae',
    '%ed%a0%80',
    '%f4%90%80%80',
    '../..',
    '..%2f',
    '.',
    '//',
  ],
  ...[
    '1e308',
    '-0',
    '+1',
    '1.0',
    '0x10',
    '1e3',
    '00012',
    ' 5',
    '5 ',
    '٣',
    '１',
    'NaN',
    'Infinity',
    'null',
    'undefined',
    'true',
  ],
  ...[
    '9007199254740991',
    '9007199254740992',
    '2147483647',
    '2147483648',
    '12345678901234567890',
    '-1',
    '-9223372036854775809',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hashed-',
    'hashed-zz',
    `hashed-${'0'.repeat(64)}`,
    '[object Object]',
  ],
  ...[
    "' or 1=1 --",
    '"; drop table licenses; --',
    '$1',
    '?',
    '{{7*7}}',
    '<script>',
    '\\',
    '9999-12-31',
    '2024-02-30',
    '0000-00-00',
  ],
  ...['+30 days', '0000-00-00 00:00:00', '2031-02-03T04:05:06+23:59', '10000-01-01', 'a\r\nx: y'],
];
const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`);
const deepObject = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

/** Odd values for any parameter. */
export const odd: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -0,
      -1,
      1.5,
      1e308,
      5e-324,
      2 ** 31,
      2 ** 53,
      1e21,
    ),
  },
  { weight: 2, arbitrary: fc.constantFrom<unknown>([], {}, [[]], [1], ['1'], [null], { 0: 1 }, { a: 1 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      JSON.parse('{"__proto__":{"status":5}}'),
      JSON.parse('{"constructor":{"prototype":{"x":1}}}'),
      { toString: 1, valueOf: null, toJSON: 'x' },
      { length: -1 },
      { catch: 1 },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...LONG.map((length) => 'x'.repeat(length))) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG.map((length) => 'ä😀'.repeat(length / 4))) },
  { weight: 1, arbitrary: fc.constantFrom(nested(600), deepObject(600), nested(19_000), deepObject(19_000)) },
  { weight: 1, arbitrary: oneOfNames(ALL_NAMES) },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
);

const integer = ({ minimum = 0, maximum = 2 ** 31 - 1 }: Record_) =>
  fc
    .oneof(
      { weight: 8, arbitrary: fc.integer({ min: minimum, max: Math.min(maximum, minimum + 6) }) },
      { weight: 1, arbitrary: fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1) },
    )
    .chain((number) => fc.constantFrom<unknown>(number, number, String(number)));

/** Values from the world for parameters of a name, whatever their type. */
const BY_NAME: Record<string, fc.Arbitrary<unknown>> = {
  license_key: fc.oneof(
    oneOfNames(LICENSE_NAMES),
    fc.constant('hashed-<<hash:free>>'),
    fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 12 }).map((end) => `NEW-${end}`),
  ),
  activation_token: oneOfNames(TOKEN_NAMES),
  token: oneOfNames([...TOKEN_NAMES, 'download']),
  generator_id: fc.constant('<<id:generator>>'),
  software_id: oneOfNames(['id:software', 'id:public']),
  release_id: fc.constant('<<id:release>>'),
  software: oneOfNames(NUMBER_NAMES),
  product_id: fc.constantFrom(PRODUCT, String(PRODUCT), 1),
  product_ids: fc.constantFrom<unknown>([PRODUCT], [], [1, PRODUCT], String(PRODUCT)),
  expires_at: fc.constantFrom(
    '2031-02-03 04:05:06',
    '2031-02-03',
    '2001-01-01T00:00:00Z',
    '2031-02-03%2004:05:06',
  ),
  status: fc.constantFrom<unknown>(1, 2, 3, 4, 5, '3', 'active', 'Disabled', 'published', 'draft', 'yanked'),
  version: fc.tuple(fc.nat(3), fc.nat(12), fc.nat(3)).map((parts) => parts.join('.')),
  slug: fc.constantFrom('fuzz', 'open', 'another', 'ключ'),
  url: fc.constantFrom('https://example.com/a?b=c', 'http://[::1]/'),
  meta: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
  amount: fc.constantFrom<unknown>(1, 2, '3', 8, 9, 100),
  before: fc.nat(50),
};

function bySchema(schema: Record_): fc.Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(bySchema));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'integer') return integer(schema);
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return fc.array(bySchema(schema.items ?? {}), { maxLength: 3 });
  if (type === 'object') return fc.dictionary(fc.string({ maxLength: 5 }), fc.webUrl(), { maxKeys: 3 });
  return text;
}

/** Returns values that a client might send. */
export const plausible = (name: string, schema: Record_): fc.Arbitrary<unknown> =>
  BY_NAME[name] ?? bySchema(schema);

/** Returns parameters as a JSON object; `{}` if a value is nested too deeply. */
export const jsonOf = (values: readonly [name: string, value: unknown][]): string => {
  try {
    // An assignment of `__proto__` would set the prototype.
    return JSON.stringify(Object.fromEntries(values));
  } catch {
    return '{}';
  }
};
