import { good, type LeaseCase } from './cases.ts';
import {
  base64,
  certificate,
  certificateHeader,
  certificatePayload,
  changed,
  DAY,
  device,
  FINGERPRINT,
  FULL,
  HOUR,
  hash,
  jws,
  lease,
  leaseHeader,
  MINIMAL,
  NOW,
  rotated,
  signing,
  spare,
  stranger,
} from './kit.ts';

const EXP = Number(MINIMAL.exp);
const GRC = Number(MINIMAL.grc);
const MINE = { fingerprint: FINGERPRINT, device_key: device.x, product: 1001, nonce: 'nonce-1' };
const EXACT = exactly(8_192);

/** Returns a lease of this many characters. White space in the header makes the rest a length that base64url can have. */
export function exactly(characters: number): string {
  for (const space of ['', ' ', '  ', '   ']) {
    const header = `${JSON.stringify(leaseHeader())}${space}`;
    const left = characters - base64(header).length - 2 - 86;
    const bare = JSON.stringify({ ...MINIMAL, pad: '' }).length;
    const pad = 'a'.repeat(Math.floor((left * 3) / 4) - bare);
    const text = jws(header, { ...MINIMAL, pad }, signing);
    if (text.length === characters) return text;
  }
  throw new Error(`No lease has ${characters} characters.`);
}

const nested = (levels: number): string => `${'[['.repeat(levels / 2)}${']]'.repeat(levels / 2)}`;

export const goodCases: readonly LeaseCase[] = [
  good('minimal', 'Only the members that each lease has.', lease()),
  good('full', 'Every member, and a program that compares all of them.', lease(FULL), MINE),
  good(
    'full, and the program compares only the fingerprint',
    'The other options are not given.',
    lease(FULL),
    { fingerprint: FINGERPRINT },
  ),
  good('license file', 'Neither sub nor fp: it is for any device.', changed({ lxp: GRC }), { product: 5 }),
  good('last second before exp', 'licensed before exp.', lease(), { now: EXP - 1 }),
  good('at exp', 'grace from exp on.', lease(), { now: EXP }, 'grace'),
  good('last second of grace', 'grace before grc.', lease(), { now: GRC - 1 }, 'grace'),
  good('at grc', 'expired from grc on.', lease(), { now: GRC }, 'expired'),
  good('long expired', 'It is still a good lease.', lease(), { now: GRC + 900 * DAY }, 'expired'),
  good(
    'no grace, at exp',
    'A floating seat has no grace: grc is exp.',
    changed({ grc: EXP }),
    { now: EXP },
    'expired',
  ),
  good(
    'all times are one',
    'The order allows equal times.',
    changed({ ref: NOW, exp: NOW, grc: NOW, lxp: NOW, iat: NOW }),
    { now: NOW - 1 },
  ),
  good(
    'times of the far future',
    'The highest time is good.',
    jws(
      leaseHeader(certificate({ exp: 253_402_300_799 })),
      { ...MINIMAL, exp: 253_402_300_799, grc: 253_402_300_799, lxp: 253_402_300_799 },
      signing,
    ),
  ),
  good(
    'time 0',
    'The lowest time is good.',
    jws(leaseHeader(certificate({ nbf: 0 })), { ...MINIMAL, iat: 0, ref: 0, exp: 0, grc: 0 }, signing),
    { now: 0 },
    'expired',
  ),
  good('iat 300 seconds ahead', 'Clocks differ.', changed({ iat: NOW + 300, ref: NOW + HOUR })),
  good(
    'signed in the first second of the certificate',
    'nbf ≤ iat.',
    lease(MINIMAL, certificate({ nbf: MINIMAL.iat })),
  ),
  good(
    'ends with the certificate',
    'grc ≤ exp of the certificate.',
    lease(MINIMAL, certificate({ exp: GRC })),
  ),
  good(
    'certificate that has ended',
    'Only the times of the lease count.',
    lease(MINIMAL, certificate({ exp: GRC })),
    { now: GRC + DAY },
    'expired',
  ),
  good(
    'spare root',
    'The second pinned root has signed the certificate.',
    lease(MINIMAL, certificate({}, spare)),
  ),
  good(
    'rotated signing key',
    'A root has certified another signing key.',
    lease(MINIMAL, certificate({}, undefined, rotated), rotated),
  ),
  good(
    'kid of the certificate is that of no root',
    'kid is a hint: try each root.',
    lease(MINIMAL, jws({ ...certificateHeader(), kid: stranger.kid }, certificatePayload(signing), spare)),
  ),
  good(
    'other keys are revoked',
    'Neither the root nor the signing key.',
    lease(MINIMAL, certificate({ rvk: [rotated.kid] })),
    {
      revoked_keys: [rotated.kid, spare.kid, stranger.kid],
    },
  ),
  good(
    'active root is revoked, signed by the spare',
    'The other root still counts.',
    lease(MINIMAL, certificate({}, spare)),
    {
      revoked_keys: [String(certificateHeader().kid)],
    },
  ),
  good('empty rvk', 'No key is revoked.', lease(MINIMAL, certificate({ rvk: [] }))),
  good(
    'unknown members',
    'A verifier ignores them, in both payloads.',
    lease(
      {
        ...FULL,
        aud: 'everyone',
        extra: { deep: [1.5, null, true, { list: [] }] },
        constructor: 1,
        toString: 'x',
      },
      certificate({ note: null, more: { a: 1 } }),
    ),
    MINE,
  ),
  good(
    'unknown member in cnf',
    'Payloads may have more members, at any depth.',
    changed({ cnf: { x: device.x, y: 1 } }),
    { device_key: device.x },
  ),
  good(
    'unknown member of 16 levels',
    'Verifiers must read that much.',
    lease(`${JSON.stringify(MINIMAL).slice(0, -1)},"deep":${nested(16)}}`),
  ),
  good(
    'name in values',
    'A name twice is not a value twice.',
    changed({ st: 'st', a: 'iat', b: ['iat', 'iat', 'jti'] }),
  ),
  good(
    'value that looks like a member',
    'Quotes and colons inside of strings.',
    changed({
      st: '","iat":1,"st":"',
      a: '"iat":',
      b: '\\',
      c: '\\"',
      d: ':"iat":',
    }),
  ),
  good(
    'white space in JSON',
    'Space, tab, CR and LF between tokens.',
    jws(
      JSON.stringify(leaseHeader(), null, 2),
      JSON.stringify(MINIMAL, null, '\t').replaceAll('": ', '"\r\n : '),
      signing,
    ),
  ),
  good(
    'other order of members',
    'JSON objects have no order.',
    jws(
      Object.fromEntries(Object.entries(leaseHeader()).reverse()),
      Object.fromEntries(Object.entries(MINIMAL).reverse()),
      signing,
    ),
  ),
  good(
    'unicode',
    'Of more than one byte, and of two UTF-16 units.',
    changed({ n: 'Schlüssel 鍵 🔑', ent: ['größer', '日本語'] }),
    {
      nonce: 'Schlüssel 鍵 🔑',
    },
  ),
  good(
    'unicode as escapes',
    'Values may have escapes.',
    lease(JSON.stringify({ ...MINIMAL, n: 'K' }).replace('"K"', '"Schl\\u00fcssel \\ud83d\\udd11 \\/"')),
    { nonce: 'Schlüssel 🔑 /' },
  ),
  good(
    'unicode in the fingerprint',
    'The hash is of its UTF-8.',
    changed({ sub: 'act_41', fp: hash('Gerät 1 – 鍵🔑') }),
    {
      fingerprint: 'Gerät 1 – 鍵🔑',
    },
  ),
  good('new lines in values', 'Text is any text.', changed({ n: 'a\nb', jti: '\n' }), { nonce: 'a\nb' }),
  good('empty nonce', 'An empty nonce is a nonce.', changed({ n: '' }), { nonce: '' }),
  good('empty fingerprint', 'An empty fingerprint is a fingerprint.', changed({ fp: hash('') }), {
    fingerprint: '',
  }),
  good(
    'lease has a nonce, program gave none',
    'Only a nonce that the program sent is compared.',
    changed({ n: 'x' }),
  ),
  good(
    'lease has a device key, program gave none',
    'It cannot be compared.',
    changed({ cnf: { x: device.x } }),
  ),
  good('prefix', 'As in files and QR codes.', `LKLEASE1.${lease()}`),
  good('prefix, and a new line at the end', 'As editors write files.', `LKLEASE1.${lease()}\n`),
  good('white space around', 'Space, tab, CR and LF.', `\r\n\t  ${lease()} \t\r\n`),
  good('white space around the prefix', 'White space is removed first.', ` \nLKLEASE1.${lease()}\r\n`),
  good('8,192 characters', 'The limit itself is good.', EXACT),
  good('8,192 characters after the prefix', 'The limit is for what is left.', ` LKLEASE1.${EXACT}\n`),
];
