import { sign } from 'node:crypto';
import { type LeaseCase, refused } from './cases.ts';
import { exactly } from './good.ts';
import { base64, flipped, jws, lease, leaseHeader, type Members, MINIMAL, signing } from './kit.ts';

// Texts that are not exactly three parts in base64url.

const LEASE = lease();
const [HEADER = '', PAYLOAD = '', SIGNATURE = ''] = LEASE.split('.');
const bad = (name: string, why: string, text: string): LeaseCase => refused(name, why, 'malformed', text);

const signed = (header: string, payload: string): string =>
  `${header}.${payload}.${sign(null, Buffer.from(`${header}.${payload}`), signing.secret).toString('base64url')}`;

/** Returns the part with another last character that decodes to the same bytes. */
function trailing(part: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return `${part.slice(0, -1)}${alphabet[alphabet.indexOf(part.slice(-1)) + 1]}`;
}
/** Encodes JSON, with spaces at its end, as a part whose last character has unused bits. */
const spaced = (json: Members): string =>
  base64(JSON.stringify(json).padEnd(Math.ceil((JSON.stringify(json).length + 1) / 3) * 3 + 1));
const SPARE_HEADER = spaced(leaseHeader());
const SPARE_PAYLOAD = spaced(MINIMAL);

const cuts = [
  0,
  1,
  HEADER.length,
  HEADER.length + 1,
  HEADER.length + 1 + PAYLOAD.length,
  LEASE.lastIndexOf('.') + 1,
].map((at) => bad(`cut to ${at} characters`, 'A part is missing or empty.', LEASE.slice(0, at)));

const around: [name: string, before: string, after: string][] = [
  ['a byte order mark before', '\ufeff', ''],
  ['a no-break space after', '', '\u00a0'],
  ['a NUL after', '', '\0'],
  ['a vertical tab after', '', '\v'],
  ['a form feed before', '\f', ''],
  ['a line separator after', '', '\u2028'],
  ['a prefix twice', 'LKLEASE1.LKLEASE1.', ''],
  ['white space after the prefix', 'LKLEASE1. ', ''],
  ['a prefix in lower case', 'lklease1.', ''],
  ['a prefix of another version', 'LKLEASE2.', ''],
  ['the prefix of a request', 'LKREQ1.', ''],
  ['a prefix without its dot', 'LKLEASE1', ''],
  ['a point before', '.', ''],
  ['a point after', '', '.'],
];

export const formCases: readonly LeaseCase[] = [
  ...cuts,
  bad('parts reordered', 'Payload, header, signature.', `${PAYLOAD}.${HEADER}.${SIGNATURE}`),
  bad('parts reordered, signature first', 'Signature, header, payload.', `${SIGNATURE}.${HEADER}.${PAYLOAD}`),
  bad('two parts', 'There are exactly three.', `${HEADER}.${PAYLOAD}`),
  bad('four parts', 'There are exactly three.', `${LEASE}.${SIGNATURE}`),
  bad('five parts', 'As an encrypted JWT has.', `${HEADER}..${PAYLOAD}.${SIGNATURE}.x`),
  bad('header empty', 'No part is empty.', `.${PAYLOAD}.${SIGNATURE}`),
  bad('payload empty', 'No part is empty.', `${HEADER}..${SIGNATURE}`),
  bad('signature empty', 'No part is empty.', `${HEADER}.${PAYLOAD}.`),
  bad('two points', 'No part is empty.', '..'),
  bad('prefix only', 'There is no text after it.', 'LKLEASE1.'),
  bad('two leases', 'There is one text.', `${LEASE}\n${LEASE}`),
  bad(
    'JSON form of JWS',
    'Only the compact form.',
    JSON.stringify({ protected: HEADER, payload: PAYLOAD, signature: SIGNATURE }),
  ),
  ...around.map(([name, before, after]) =>
    bad(name, 'Only space, tab, CR, LF, and one prefix are removed.', `${before}${LEASE}${after}`),
  ),
  bad('padding', 'base64url without padding.', `${LEASE}==`),
  bad('padding of the payload, signed', 'base64url without padding.', signed(HEADER, `${SPARE_PAYLOAD}==`)),
  bad(
    'base64 with + and /',
    'base64url has - and _.',
    jws(leaseHeader(), { ...MINIMAL, a: '>>>???>>>???' }, signing)
      .replaceAll('-', '+')
      .replaceAll('_', '/'),
  ),
  bad(
    'base64 with + and /, signed',
    'base64url has - and _.',
    signed(
      HEADER,
      base64({ ...MINIMAL, a: '>>>???>>>???' })
        .replaceAll('-', '+')
        .replaceAll('_', '/'),
    ),
  ),
  bad(
    'bits after the last byte of the signature',
    'Encoding the bytes again gives another text.',
    `${HEADER}.${PAYLOAD}.${trailing(SIGNATURE)}`,
  ),
  bad(
    'bits after the last byte of the payload, signed',
    'Encoding the bytes again gives another text.',
    signed(HEADER, trailing(SPARE_PAYLOAD)),
  ),
  bad(
    'bits after the last byte of the header, signed',
    'Encoding the bytes again gives another text.',
    signed(trailing(SPARE_HEADER), PAYLOAD),
  ),
  bad(
    'a part of a length that base64 never has',
    'One character alone is no byte.',
    signed(HEADER, `${base64('{}  ')}A`.slice(0, 5)),
  ),
  bad(
    'a space in the payload',
    'White space is removed around the text, not inside.',
    `${HEADER}.${PAYLOAD.slice(0, 40)} ${PAYLOAD.slice(40)}.${SIGNATURE}`,
  ),
  bad(
    'a new line in the payload, signed',
    'White space is removed around the text, not inside.',
    signed(HEADER, `${PAYLOAD.slice(0, 40)}\n${PAYLOAD.slice(40)}`),
  ),
  bad('lines of 64 characters', 'As PEM has.', LEASE.replace(/.{64}/g, '$&\n')),
  bad(
    'a point in the payload',
    'There are exactly three parts.',
    `${HEADER}.${PAYLOAD.slice(0, 40)}.${PAYLOAD.slice(40)}.${SIGNATURE}`,
  ),
  bad(
    'a character of another alphabet',
    'base64url is ASCII.',
    `${HEADER}.é${PAYLOAD.slice(1)}.${SIGNATURE}`,
  ),
  bad('8,193 characters', 'Properly signed, but one character too long.', exactly(8_193)),
  bad('20,000 characters', 'Properly signed, but too long.', exactly(20_000)),
  bad('10,000 points', 'Too many parts.', '.'.repeat(10_000)),
  bad(
    'white space inside, much of it',
    'Removing white space takes no quadratic time.',
    `a${' '.repeat(8_000)}b`,
  ),
  bad('white space only', 'There is no text.', ' \n'.repeat(3_000)),
  bad('the header of a lease, and flipped bits in it', 'A name in it is another.', flipped(LEASE, 0, 3)),
];
