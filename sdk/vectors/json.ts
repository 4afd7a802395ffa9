import { type LeaseCase, refused } from './cases.ts';
import { certificate, type Json, jws, lease, leaseHeader, MINIMAL, signing, stranger } from './kit.ts';

// Leases whose payload is not JSON, or JSON that the format forbids.

const bad = (name: string, why: string, text: string): LeaseCase => refused(name, why, 'malformed', text);

/** Returns a lease with any text as its payload and a valid signature. */
const written = (payload: Json): string => jws(leaseHeader(), payload, signing);
/** Returns a lease with the minimal payload and more text at its end. */
const plus = (text: string): string => written(`${JSON.stringify(MINIMAL).slice(0, -1)}${text}}`);

const payloads: [name: string, payload: Json][] = [
  ['an array', [MINIMAL]],
  ['an array that is empty', []],
  ['a string', '"iat"'],
  ['a number', '1800000000'],
  ['null', 'null'],
  ['true', 'true'],
  ['white space', '  '],
  ['no JSON', 'lease'],
  ['an object with another after it', `${JSON.stringify(MINIMAL)}{}`],
  ['an object with a character after it', `${JSON.stringify(MINIMAL)}x`],
  ['an object with a NUL after it', `${JSON.stringify(MINIMAL)}\0`],
  ['an object with a comma at its end', JSON.stringify(MINIMAL).replace(/}$/, ',}')],
  ['an object cut in the middle', JSON.stringify(MINIMAL).slice(0, 80)],
  ['an object in single quotes', JSON.stringify(MINIMAL).replaceAll('"', "'")],
  ['an object with a comment', JSON.stringify(MINIMAL).replace('{', '{/* */')],
  ['an object with NaN', JSON.stringify(MINIMAL).replace('{', '{"a":NaN,')],
  ['an object with Infinity', JSON.stringify(MINIMAL).replace('{', '{"a":-Infinity,')],
  ['an object with a number that begins with 0', JSON.stringify(MINIMAL).replace('{', '{"a":012,')],
  ['an object with a number that begins with +', JSON.stringify(MINIMAL).replace('{', '{"a":+1,')],
  ['an object with a hexadecimal number', JSON.stringify(MINIMAL).replace('{', '{"a":0x1F,')],
  ['an object with a new line in a string', JSON.stringify(MINIMAL).replace('{', '{"a":"b\nc",')],
  ['an object with an unknown escape', JSON.stringify(MINIMAL).replace('{', '{"a":"\\x41",')],
  ['an object with a name without quotes', JSON.stringify(MINIMAL).replace('{', '{a:1,')],
  ['an object with a form feed between tokens', JSON.stringify(MINIMAL).replace('{', '{\f')],
  ['an object with a no-break space between tokens', JSON.stringify(MINIMAL).replace('{', '{\u00a0')],
  ['an object after a byte order mark', `\ufeff${JSON.stringify(MINIMAL)}`],
  ['an object in UTF-16', Buffer.from(JSON.stringify(MINIMAL), 'utf16le')],
];

const twice: [name: string, text: string][] = [
  ['iat', ',"iat":1799999999'],
  ['iat, with the same value', `,"iat":${MINIMAL.iat}`],
  ['an unknown member', ',"a":1,"a":2'],
  ['an unknown member without a name', ',"":1,"":2'],
  ['two members of a nested object', ',"a":{"b":1,"b":1}'],
  ['a member, and one of a nested object', ',"a":{"iat":1}'],
  ['members of two nested objects', ',"a":{"c":1},"b":{"c":1}'],
  ['members of objects in a list', ',"a":[{"b":1},{"b":2}]'],
  ['iat, with white space before the colon', ',"iat" \t\r\n:1'],
  ['a name in another alphabet', ',"größe":1,"größe":2'],
];
const escaped: [name: string, text: string][] = [
  ['iat, spelled with an escape', ',"\\u0069at":1'],
  ['an unknown name, spelled with an escape', ',"\\u0061b":1'],
  ['a name with an escaped quote', ',"a\\"b":1'],
  ['a nested name with an escape', ',"a":{"\\u0062":1}'],
  ['a name with an escaped slash', ',"a\\/b":1'],
];

const utf8 = (...bytes: number[]): Buffer =>
  Buffer.concat([
    Buffer.from(`${JSON.stringify(MINIMAL).slice(0, -1)},"a":"`),
    Buffer.from(bytes),
    Buffer.from('"}'),
  ]);

export const jsonCases: readonly LeaseCase[] = [
  ...payloads.map(([name, payload]) =>
    bad(`payload is ${name}`, 'Payloads are objects in JSON (RFC 8259).', written(payload)),
  ),
  ...twice.map(([name, text]) =>
    bad(`twice: ${name}`, 'No name occurs twice anywhere, at any depth.', plus(text)),
  ),
  ...escaped.map(([name, text]) => bad(`escaped: ${name}`, 'No name contains a backslash.', plus(text))),
  bad('UTF-8: a single byte of two', 'The text is no UTF-8.', written(utf8(0xc3))),
  bad('UTF-8: a byte that never occurs', 'The text is no UTF-8.', written(utf8(0xff))),
  bad('UTF-8: a character in more bytes than it needs', 'The text is no UTF-8.', written(utf8(0xc0, 0xaf))),
  bad('UTF-8: half of a pair of UTF-16', 'The text is no UTF-8.', written(utf8(0xed, 0xa0, 0x80))),
  bad('UTF-8: beyond the last character', 'The text is no UTF-8.', written(utf8(0xf4, 0x90, 0x80, 0x80))),
  refused(
    'deep nesting',
    '2,500 lists inside each other, by a root of somebody else: no stack may overflow.',
    null,
    lease(`${'{"a":'}${'['.repeat(2_500)}${']'.repeat(2_500)}}`, certificate({}, stranger)),
  ),
  refused(
    'deep nesting of objects',
    'By a root of somebody else.',
    null,
    lease(
      `${Array.from({ length: 400 }, (_, i) => `{"a${i}":`).join('')}1${'}'.repeat(400)}`,
      certificate({}, stranger),
    ),
  ),
  refused(
    'deep nesting that never closes',
    'By a root of somebody else.',
    null,
    lease('['.repeat(5_000), certificate({}, stranger)),
  ),
  refused(
    'half of a pair of UTF-16, as an escape',
    'Some readers of JSON take it, by a root of somebody else.',
    null,
    lease('{"a":"\\ud800"}', certificate({}, stranger)),
  ),
  refused(
    'a number too large',
    'Some readers of JSON take it, by a root of somebody else.',
    null,
    lease(`{"a":1e999,"b":${'9'.repeat(3_000)}}`, certificate({}, stranger)),
  ),
];
