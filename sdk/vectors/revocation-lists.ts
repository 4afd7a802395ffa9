import { good, goodText, type LeaseCase, refused, refusedText, type TextCase } from './cases.ts';
import {
  certificate,
  changed,
  DAY,
  flipped,
  HOUR,
  jws,
  lease,
  leaseHeader,
  type Members,
  MINIMAL,
  NOW,
  revocationPayload,
  revocations,
  root,
  rotated,
  signing,
  spare,
  stranger,
} from './kit.ts';

// Revocation lists, and leases that are verified with a list.

const IAT = Number(MINIMAL.iat);
const LEASE = changed({ sub: 'act_41' });
const MANY = Array.from({ length: 600 }, (_, i) => [i + 1_000, NOW]);

const voids = (name: string, why: string, list: string, lease_ = LEASE): LeaseCase =>
  refused(name, why, 'revoked', lease_, { revocations: list });
const leaves = (name: string, why: string, list: string, lease_ = LEASE): LeaseCase =>
  good(name, why, lease_, { revocations: list });

const SEVEN = { lic: [[7, NOW]] };

export const revokedCases: readonly LeaseCase[] = [
  voids('license on the list', 'The lease was signed before the time of the entry.', revocations(SEVEN)),
  voids(
    'activation on the list',
    'The lease was signed before the time of the entry.',
    revocations({ act: [[41, NOW]] }),
  ),
  voids('signed at the time of the entry', 'iat is at most the time.', revocations({ lic: [[7, IAT]] })),
  voids(
    'one of many entries',
    'A list may be longer than a lease.',
    revocations({ lic: [...MANY, [7, NOW], ...MANY.map(([id = 0, at]) => [id + 1_000, at])] }),
  ),
  voids(
    'two entries of one license',
    'One of them is for it.',
    revocations({
      lic: [
        [7, IAT - 1],
        [7, IAT],
      ],
    }),
  ),
  voids('license file', 'It has no sub, but a license.', revocations(SEVEN), lease()),
  voids('list past its exp', 'The old list stays in force.', revocations({ ...SEVEN, exp: NOW - 1 })),
  voids(
    'list of an old signing key',
    'The list and the lease may have different certificates.',
    revocations(SEVEN, certificate({}, spare, rotated), rotated),
  ),
  voids('list with unknown members', 'A verifier ignores them.', revocations({ ...SEVEN, note: { a: 1 } })),
  voids('list with white space around', 'White space is removed.', `\n${revocations(SEVEN)}\n`),
  voids(
    'list, and a lease that has expired',
    'Step 13 comes before the state.',
    revocations(SEVEN),
    changed({ exp: NOW - 1, ref: NOW - 1, grc: NOW - 1 }),
  ),
  leaves('empty list', 'It is for no lease.', revocations({})),
  leaves(
    'signed a second after the time of the entry',
    'A lease after a revocation is good.',
    revocations({ lic: [[7, IAT - 1]], act: [[41, IAT - 1]] }),
  ),
  leaves(
    'other license and other activation',
    'Numbers of licenses are not those of activations.',
    revocations({
      lic: [
        [41, NOW],
        [70, NOW],
      ],
      act: [
        [7, NOW],
        [4, NOW],
      ],
    }),
  ),
  leaves(
    'activation on the list, license file',
    'A license file has no activation.',
    revocations({
      act: [
        [7, NOW],
        [41, NOW],
      ],
    }),
    lease(),
  ),
  leaves(
    'list of a wrong root',
    'A list that does not verify counts as none.',
    revocations(SEVEN, certificate({}, stranger)),
  ),
  leaves(
    'list with a flipped bit',
    'A list that does not verify counts as none.',
    flipped(revocations(SEVEN), 2, 3),
  ),
  leaves('list that is no list', 'A list that does not verify counts as none.', LEASE),
  leaves('list that is empty text', 'A list that does not verify counts as none.', ''),
  leaves(
    'list with an entry that is wrong',
    'A list that does not verify counts as none.',
    revocations({
      lic: [
        [7, NOW],
        ['8', NOW],
      ],
    }),
  ),
  good(
    'list of a revoked key',
    'A list that does not verify counts as none.',
    lease(MINIMAL, certificate({}, root, rotated), rotated),
    {
      revocations: revocations(SEVEN),
      revoked_keys: [signing.kid],
    },
  ),
  refused(
    'list and the clock',
    'Step 13 comes before step 14.',
    'revoked',
    changed({ iat: NOW + HOUR, ref: NOW + DAY }),
    { revocations: revocations({ lic: [[7, NOW + DAY]] }) },
  ),
  refused('list and the nonce', 'Step 12 comes before step 13.', 'other_nonce', LEASE, {
    nonce: 'x',
    revocations: revocations(SEVEN),
  }),
];

const LIST = revocations({ ...SEVEN, act: [[41, IAT]] });
const wrong: [name: string, changes: Members][] = [
  ...Object.keys(revocationPayload).map((name): [string, Members] => [
    `without ${name}`,
    { [name]: undefined },
  ]),
  ...Object.keys(revocationPayload).map((name): [string, Members] => [`${name} is null`, { [name]: null }]),
  ['seq is text', { seq: '5' }],
  ['seq is negative', { seq: -1 }],
  ['seq is a fraction', { seq: 1.5 }],
  ['iat is text', { iat: String(NOW) }],
  ['exp is too large', { exp: 253_402_300_800 }],
  ['iss is a number', { iss: 1 }],
  ['lic is an object', { lic: { 7: NOW } }],
  ['lic is a list of numbers', { lic: [7] }],
  ['entry of one', { lic: [[7]] }],
  ['entry of three', { lic: [[7, NOW, 0]] }],
  ['entry with text', { lic: [['7', NOW]] }],
  ['entry with an id', { lic: [['lic_7', NOW]] }],
  ['entry with a negative number', { lic: [[-7, NOW]] }],
  ['entry whose time is text', { act: [[41, String(NOW)]] }],
  ['entry whose time is too large', { act: [[41, 253_402_300_800]] }],
  ['entry whose time is null', { act: [[41, null]] }],
];
const withHeader = (changes: Members): string =>
  jws({ ...leaseHeader(), typ: 'lk-revocations+jwt', ...changes }, { ...revocationPayload }, signing);

export const listCases: readonly TextCase[] = [
  goodText('list', 'A license and an activation.', LIST),
  goodText('empty list', 'Nothing is revoked.', revocations({})),
  goodText('first list', 'seq begins at 0.', revocations({ seq: 0 })),
  goodText('long list', 'It may be longer than 8,192 characters.', revocations({ lic: MANY })),
  goodText('same seq as the one that is known', 'It is not lower.', LIST, { seq: 5 }),
  goodText('higher seq', 'It is newer.', LIST, { seq: 4 }),
  goodText('past its exp', 'It stays in force.', revocations({ exp: NOW - 1 })),
  goodText('spare root', 'As of a lease.', revocations({}, certificate({}, spare))),
  goodText(
    'signed in the first second of the certificate',
    'nbf ≤ iat.',
    revocations({}, certificate({ nbf: NOW - HOUR })),
  ),
  goodText(
    'signed in the last second of the certificate',
    'iat ≤ exp of the certificate.',
    revocations({}, certificate({ exp: NOW - HOUR })),
  ),
  goodText('unknown members', 'A verifier ignores them.', revocations({ note: [null], more: { x: 1 } })),
  refusedText('lower seq', 'A program never goes back.', 'older', LIST, { seq: 6 }),
  refusedText(
    'signed before the certificate',
    'nbf ≤ iat.',
    'bad_certificate',
    revocations({}, certificate({ nbf: NOW - HOUR + 1 })),
  ),
  refusedText(
    'signed after the certificate',
    'iat ≤ exp of the certificate.',
    'bad_certificate',
    revocations({}, certificate({ exp: NOW - HOUR - 1 })),
  ),
  refusedText(
    'certificate with another use',
    'Its use is lease.',
    'bad_certificate',
    revocations({}, certificate({ use: 'list' })),
  ),
  refusedText(
    'wrong root',
    'Nobody has pinned it.',
    'wrong_root',
    revocations({}, certificate({}, stranger)),
  ),
  refusedText('root revoked', 'It does not count any more.', 'wrong_root', LIST, {
    revoked_keys: [root.kid],
  }),
  refusedText('signing key revoked', 'By the caller.', 'revoked_key', LIST, { revoked_keys: [signing.kid] }),
  refusedText(
    'signing key revoked by its certificate',
    'rvk has its kid.',
    'revoked_key',
    revocations({}, certificate({ rvk: [signing.kid] })),
  ),
  refusedText(
    'signed by the root',
    'The signing key signs lists.',
    'bad_signature',
    revocations({}, certificate(), { ...root, kid: signing.kid }),
  ),
  refusedText(
    'flipped bit in the signature',
    'The signature is another.',
    'bad_signature',
    flipped(LIST, 2, 40),
  ),
  refusedText('typ of a lease', 'typ says what a text is.', 'malformed', withHeader({ typ: 'lk-lease+jwt' })),
  refusedText('a lease', 'typ says what a text is.', 'malformed', LEASE),
  refusedText(
    'header with another member',
    'A header has exactly its members.',
    'malformed',
    withHeader({ seq: 5 }),
  ),
  refusedText('alg "none"', 'alg is EdDSA.', 'malformed', withHeader({ alg: 'none' })),
  refusedText('with a prefix', 'A revocation list has none.', 'malformed', `LKLEASE1.${LIST}`),
  refusedText(
    'lic twice',
    'No name occurs twice.',
    'malformed',
    jws(
      { ...leaseHeader(), typ: 'lk-revocations+jwt' },
      JSON.stringify(revocationPayload).replace('{', '{"lic":[],'),
      signing,
    ),
  ),
  ...wrong.map(([name, changes]) =>
    refusedText(name, 'The payload is not as the format says.', 'malformed', revocations(changes)),
  ),
];
