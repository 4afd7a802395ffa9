import { type Code, type LeaseCase, refused } from './cases.ts';
import {
  base64,
  certificate,
  certificateHeader,
  certificatePayload,
  device,
  flipped,
  jws,
  lease,
  leaseHeader,
  MINIMAL,
  revocations,
  root,
  rotated,
  signing,
  spare,
  stranger,
} from './kit.ts';

// Well-formed leases that no trusted key has signed.

const LEASE = lease();
const [HEADER, PAYLOAD, SIGNATURE = ''] = LEASE.split('.');
const withSignature = (signature: string | Buffer): string => `${HEADER}.${PAYLOAD}.${base64(signature)}`;

/** Returns the signature with the order of the group added to its second half. A careless verifier accepts it. */
function malleable(signature: string): Buffer {
  const bytes = Buffer.from(signature, 'base64url');
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  const half = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([bytes.subarray(0, 32), half]);
}

const revoked = (name: string, why: string, code: Code, text: string, keys?: readonly string[]): LeaseCase =>
  refused(name, why, code, text, keys ? { revoked_keys: keys } : {});

export const trustCases: readonly LeaseCase[] = [
  refused(
    'wrong root',
    'The certificate is of a root that nobody has pinned.',
    'wrong_root',
    lease(MINIMAL, certificate({}, stranger)),
  ),
  refused(
    'wrong root that says the kid of a pinned one',
    'kid is a hint.',
    'wrong_root',
    lease(MINIMAL, jws({ ...certificateHeader(), kid: root.kid }, certificatePayload(signing), stranger)),
  ),
  refused(
    'certificate that names its own root',
    'The payload has the key that has signed it.',
    'wrong_root',
    lease(MINIMAL, certificate({ x: stranger.x, kid: stranger.kid }, stranger, stranger), stranger),
  ),
  refused(
    'certificate by the signing key',
    'A signing key certifies nothing.',
    'wrong_root',
    lease(MINIMAL, certificate({}, signing, rotated), rotated),
  ),
  refused(
    'certificate by the key that it certifies',
    'Only a root certifies.',
    'wrong_root',
    lease(MINIMAL, certificate({}, signing)),
  ),
  revoked('signing key revoked by the caller', 'The lease is good otherwise.', 'revoked_key', LEASE, [
    signing.kid,
  ]),
  revoked(
    'signing key revoked by the caller, among others',
    'The lease is good otherwise.',
    'revoked_key',
    LEASE,
    [rotated.kid, signing.kid, spare.kid],
  ),
  revoked(
    'signing key revoked by its own certificate',
    'rvk has its kid.',
    'revoked_key',
    lease(MINIMAL, certificate({ rvk: [rotated.kid, signing.kid] })),
  ),
  revoked(
    'signing key revoked, and the lease not signed by it',
    'The first step that fails decides.',
    'revoked_key',
    flipped(LEASE, 2, 9),
    [signing.kid],
  ),
  revoked('root revoked', 'The root does not count any more.', 'wrong_root', LEASE, [root.kid]),
  revoked('both roots revoked', 'No root is left.', 'wrong_root', LEASE, [root.kid, spare.kid]),
  revoked(
    'root revoked, and the certificate says the kid of the other',
    'kid is a hint.',
    'wrong_root',
    lease(MINIMAL, jws({ ...certificateHeader(), kid: spare.kid }, certificatePayload(signing), root)),
    [root.kid],
  ),
  refused(
    'lease signed by the root',
    'Leases are signed by signing keys.',
    'bad_signature',
    lease(MINIMAL, certificate(), { ...root, kid: signing.kid }),
  ),
  refused(
    'lease signed by the device key',
    'Leases are signed by signing keys.',
    'bad_signature',
    lease({ ...MINIMAL, cnf: { x: device.x } }, certificate(), { ...device, kid: signing.kid }),
  ),
  refused(
    'lease signed by another signing key',
    'It is not the key of this certificate.',
    'bad_signature',
    lease(MINIMAL, certificate(), { ...rotated, kid: signing.kid }),
  ),
  refused(
    'payload of another lease',
    'The signature is of other bytes.',
    'bad_signature',
    [HEADER, lease({ ...MINIMAL, ent: ['pro'] }).split('.')[1], SIGNATURE].join('.'),
  ),
  refused(
    'signature of another lease',
    'The signature is of other bytes.',
    'bad_signature',
    [HEADER, PAYLOAD, lease({ ...MINIMAL, ent: ['pro'] }).split('.')[2]].join('.'),
  ),
  refused(
    'signature of the revocation list',
    'The header is signed, too.',
    'bad_signature',
    [HEADER, PAYLOAD, revocations({}).split('.')[2]].join('.'),
  ),
  refused(
    'header with another good certificate',
    'The header is signed, too.',
    'bad_signature',
    [base64(leaseHeader(certificate({ note: 1 }))), PAYLOAD, SIGNATURE].join('.'),
  ),
  refused(
    'header with white space',
    'The text is signed, not its meaning.',
    'bad_signature',
    [base64(` ${JSON.stringify(leaseHeader())}`), PAYLOAD, SIGNATURE].join('.'),
  ),
  ...[0, 31, 32, 63].map((index) =>
    refused(
      `flipped bit in byte ${index} of the signature`,
      'The signature is another.',
      'bad_signature',
      flipped(LEASE, 2, index),
    ),
  ),
  refused(
    'flipped bit in the payload',
    'lic_7 becomes lic_6.',
    'bad_signature',
    flipped(LEASE, 1, JSON.stringify(MINIMAL).indexOf('lic_7') + 4),
  ),
  refused(
    'signature of zeros',
    'Some careless verifiers take it.',
    'bad_signature',
    withSignature(Buffer.alloc(64)),
  ),
  refused(
    'signature of 0xff',
    'Its number is too large.',
    'bad_signature',
    withSignature(Buffer.alloc(64, 0xff)),
  ),
  refused('signature of one byte', 'A signature has 64.', 'bad_signature', withSignature(Buffer.alloc(1))),
  refused(
    'signature of 63 bytes',
    'A signature has 64.',
    'bad_signature',
    withSignature(Buffer.from(SIGNATURE, 'base64url').subarray(0, 63)),
  ),
  refused(
    'signature of 65 bytes',
    'A signature has 64.',
    'bad_signature',
    withSignature(Buffer.concat([Buffer.from(SIGNATURE, 'base64url'), Buffer.alloc(1)])),
  ),
  refused(
    'signature twice',
    'A signature has 64 bytes.',
    'bad_signature',
    withSignature(Buffer.concat([Buffer.from(SIGNATURE, 'base64url'), Buffer.from(SIGNATURE, 'base64url')])),
  ),
  refused(
    'signature in hexadecimal',
    'It has 128 bytes then.',
    'bad_signature',
    withSignature(Buffer.from(SIGNATURE, 'base64url').toString('hex')),
  ),
  refused(
    'signature plus the order of the group',
    'RFC 8032 has its second half below the order.',
    'bad_signature',
    withSignature(malleable(SIGNATURE)),
  ),
  refused(
    'wrong root, and the payload is wrong',
    'The first step that fails decides.',
    'wrong_root',
    lease({ ...MINIMAL, iat: 'x' }, certificate({}, stranger)),
  ),
  refused(
    'wrong root, and the certificate is wrong',
    'The first step that fails decides.',
    'wrong_root',
    lease(MINIMAL, certificate({ use: 'x' }, stranger)),
  ),
  refused(
    'not signed, and the payload is wrong',
    'The first step that fails decides.',
    'bad_signature',
    flipped(lease({ ...MINIMAL, iat: 'x' }), 2, 1),
  ),
];
