import { goodText, refusedText, type TextCase } from './cases.ts';
import {
  base64,
  certificate,
  device,
  FINGERPRINT,
  flipped,
  type Json,
  jws,
  lease,
  leaseHeader,
  type Members,
  NOW,
  otherDevice,
  root,
  signing,
} from './kit.ts';

// Texts of offline devices: requests and receipts, both signed by the device key.

const REQUEST: Members = { key: 'ACME-0001', x: device.x, n: 'q83vEjRWeJA', iat: NOW };
const ALL: Members = { ...REQUEST, fpr: FINGERPRINT, lbl: 'Machine 7', prd: 1001 };
const RECEIPT: Members = { sub: 'act_41', lic: 'lic_7', x: device.x, iat: NOW };

/** Returns the functions and cases that both kinds of text share. */
function kind(prefix: string, typ: string, otherTyp: string, payload: Members) {
  const header = { alg: 'EdDSA', typ };
  const signed = (json: Json = payload, head: Json = header, by = device): string =>
    `${prefix}${jws(head, json, by)}`;
  const text = signed();
  const parts = text.slice(prefix.length).split('.');
  const malformed = (name: string, why: string, text: string): TextCase =>
    refusedText(name, why, 'malformed', text);
  const wrong = (name: string, changes: Members): TextCase =>
    malformed(name, 'The payload is not as the format says.', signed({ ...payload, ...changes }));
  const names = Object.keys(payload);
  const hostile: TextCase[] = [
    refusedText(
      'signed by another key',
      'x is not the key that has signed it.',
      'bad_signature',
      signed(payload, header, otherDevice),
    ),
    refusedText(
      'x of another device',
      'x is not the key that has signed it.',
      'bad_signature',
      signed({ ...payload, x: otherDevice.x }),
    ),
    refusedText(
      'flipped bit in the signature',
      'The signature is another.',
      'bad_signature',
      prefix + flipped(text.slice(prefix.length), 2, 7),
    ),
    refusedText(
      'signature of zeros',
      'Some careless verifiers take it.',
      'bad_signature',
      `${prefix}${parts[0]}.${parts[1]}.${base64(Buffer.alloc(64))}`,
    ),
    refusedText(
      'signature of one byte',
      'A signature has 64.',
      'bad_signature',
      `${prefix}${parts[0]}.${parts[1]}.AA`,
    ),
    malformed('signature empty', 'No part is empty.', `${prefix}${parts[0]}.${parts[1]}.`),
    malformed('cut', 'There are exactly three parts.', `${prefix}${parts[0]}.${parts[1]}`),
    malformed('padding', 'base64url without padding.', `${text}==`),
    malformed(
      'white space inside',
      'White space is removed around the text, not inside.',
      text.replace('.', '. '),
    ),
    malformed('prefix twice', 'One prefix is removed.', prefix + text),
    malformed(
      'prefix of a lease',
      'The prefix says what a text is.',
      `LKLEASE1.${text.slice(prefix.length)}`,
    ),
    malformed(
      'typ of the other kind',
      'typ says what a text is.',
      signed(payload, { alg: 'EdDSA', typ: otherTyp }),
    ),
    malformed('a lease', 'typ says what a text is.', prefix + lease()),
    malformed('a certificate', 'typ says what a text is.', prefix + certificate()),
    malformed(
      'by a signing key, with a certificate',
      'A header has exactly its members.',
      signed({ ...payload, x: signing.x }, { ...leaseHeader(), typ }, signing),
    ),
    malformed(
      'header with kid',
      'A header has exactly its members.',
      signed(payload, { ...header, kid: device.kid }),
    ),
    malformed(
      'header with jwk',
      'A header has exactly its members.',
      signed(payload, { ...header, jwk: { x: device.x } }),
    ),
    malformed('alg "none"', 'alg is EdDSA.', signed(payload, { ...header, alg: 'none' })),
    malformed('alg "Ed25519"', 'alg is EdDSA.', signed(payload, { ...header, alg: 'Ed25519' })),
    malformed('payload is a list', 'Payloads are objects.', signed([payload])),
    malformed(
      'x twice',
      'No name occurs twice.',
      signed(JSON.stringify(payload).replace('{', `{"x":"${root.x}",`)),
    ),
    malformed(
      'x spelled with an escape',
      'No name contains a backslash.',
      signed(JSON.stringify(payload).replace('"x"', '"\\u0078"')),
    ),
    malformed(
      'over 8,192 characters',
      'Properly signed, but too long.',
      signed({ ...payload, pad: 'a'.repeat(8_000) }),
    ),
    ...names.map((name) => wrong(`without ${name}`, { [name]: undefined })),
    ...names.map((name) => wrong(`${name} is null`, { [name]: null })),
    wrong('x of 31 bytes', { x: Buffer.alloc(31, 1).toString('base64url') }),
    wrong('x with padding', { x: `${device.x}=` }),
    wrong('iat is text', { iat: String(NOW) }),
    wrong('iat is negative', { iat: -1 }),
    wrong('iat is a fraction', { iat: NOW + 0.5 }),
    wrong('iat too large', { iat: 253_402_300_800 }),
  ];
  const shared: TextCase[] = [
    goodText('white space around', 'As editors and mail programs add.', ` \r\n${text}\n`),
    goodText('unknown members', 'They are ignored.', signed({ ...payload, note: { a: [1.5] } })),
  ];
  return { signed, wrong, shared, hostile };
}

const request = kind('LKREQ1.', 'lk-request+jwt', 'lk-release+jwt', REQUEST);
const receipt = kind('LKOFF1.', 'lk-release+jwt', 'lk-request+jwt', RECEIPT);

export const requestCases: readonly TextCase[] = [
  goodText('minimal', 'Only the members that each request has.', request.signed()),
  goodText('full', 'Every member.', request.signed(ALL)),
  goodText(
    'unicode',
    'In the name and the fingerprint.',
    request.signed({ ...ALL, fpr: 'Gerät 鍵', lbl: 'Größe 🔑' }),
  ),
  ...request.shared,
  ...request.hostile,
  request.wrong('key is a number', { key: 1 }),
  request.wrong('n is a number', { n: 1 }),
  request.wrong('fpr is null', { fpr: null }),
  request.wrong('fpr is a list', { fpr: [FINGERPRINT] }),
  request.wrong('lbl is null', { lbl: null }),
  request.wrong('lbl is a number', { lbl: 7 }),
  request.wrong('prd is null', { prd: null }),
  request.wrong('prd is text', { prd: '1001' }),
  request.wrong('prd is a fraction', { prd: 1.5 }),
];

export const receiptCases: readonly TextCase[] = [
  goodText('receipt', 'Every member.', receipt.signed()),
  ...receipt.shared,
  ...receipt.hostile,
  receipt.wrong('sub is a number', { sub: 41 }),
  receipt.wrong('sub of a license', { sub: 'lic_41' }),
  receipt.wrong('sub with a new line', { sub: 'act_41\n' }),
  receipt.wrong('lic of an activation', { lic: 'act_7' }),
  receipt.wrong('lic without its number', { lic: 'lic_' }),
];
