import { type LeaseCase, refused } from './cases.ts';
import {
  base64,
  certificate,
  certificateHeader,
  certificatePayload,
  DAY,
  flipped,
  type Json,
  jws,
  lease,
  leaseHeader,
  type Members,
  MINIMAL,
  NOW,
  root,
  rotated,
  signing,
  spare,
} from './kit.ts';

// Leases whose certificate is not signed, or violates the format.

/** Returns a lease whose certificate has this payload. */
const under = (payload: Json): string => lease(MINIMAL, jws(certificateHeader(), payload, root));
const badCertificate = (name: string, why: string, text: string): LeaseCase =>
  refused(name, why, 'bad_certificate', text);

const changes: [name: string, changes: Members][] = [
  ['without kid', { kid: undefined }],
  ['kid is a number', { kid: 1 }],
  ['kid is another', { kid: rotated.kid }],
  ['without x', { x: undefined }],
  ['x is null', { x: null }],
  ['x of 31 bytes', { x: Buffer.alloc(31, 1).toString('base64url') }],
  ['x of 33 bytes', { x: Buffer.alloc(33, 1).toString('base64url') }],
  ['x with padding', { x: `${signing.x}=` }],
  ['x is an object', { x: { key: signing.x } }],
  ['without nbf', { nbf: undefined }],
  ['nbf is text', { nbf: String(NOW - DAY) }],
  ['nbf is negative', { nbf: -1 }],
  ['nbf is null', { nbf: null }],
  ['without exp', { exp: undefined }],
  ['exp is text', { exp: String(NOW + 400 * DAY) }],
  ['exp is a fraction', { exp: NOW + 0.5 + 400 * DAY }],
  ['exp is too large', { exp: 253_402_300_800 }],
  ['exp in milliseconds', { exp: (NOW + 400 * DAY) * 1_000 }],
  ['without use', { use: undefined }],
  ['use is another', { use: 'update' }],
  ['use is a list', { use: ['lease'] }],
  ['use is in upper case', { use: 'LEASE' }],
  ['rvk is text', { rvk: 'none' }],
  ['rvk is null', { rvk: null }],
  ['rvk is a list of numbers', { rvk: [1] }],
  ['rvk is an object', { rvk: { 0: 'x' } }],
];

export const certificateCases: readonly LeaseCase[] = [
  refused(
    'certificate with a flipped bit in its payload',
    'The signature is of other bytes.',
    'wrong_root',
    lease(MINIMAL, flipped(certificate(), 1, 12)),
  ),
  refused(
    'certificate with a flipped bit in its signature',
    'The signature is another.',
    'wrong_root',
    lease(MINIMAL, flipped(certificate(), 2, 5)),
  ),
  refused(
    'certificate with the signature of another',
    'The signature is of other bytes.',
    'wrong_root',
    lease(MINIMAL, [...certificate().split('.', 2), certificate({}, spare).split('.')[2]].join('.')),
  ),
  refused(
    'certificate with a signature of 63 bytes',
    'A signature has 64.',
    'wrong_root',
    lease(MINIMAL, [...certificate().split('.', 2), base64(Buffer.alloc(63, 1))].join('.')),
  ),
  refused(
    'certificate with a signature of one byte',
    'A signature has 64.',
    'wrong_root',
    lease(MINIMAL, [...certificate().split('.', 2), 'AA'].join('.')),
  ),
  ...changes.map(([name, changes]) =>
    badCertificate(
      `certificate: ${name}`,
      'Its payload is not as the format says.',
      under({ ...certificatePayload(signing), ...changes }),
    ),
  ),
  badCertificate('certificate: empty', 'Its payload is not as the format says.', under({})),
  badCertificate(
    'certificate of another key',
    'Its kid is not that of the header.',
    jws(leaseHeader(certificate({}, root, rotated), signing), MINIMAL, signing),
  ),
  badCertificate(
    'kid is not the id of x',
    'The certificate and the header say the same kid, but the key has another id.',
    jws(leaseHeader(certificate({ kid: rotated.kid }), rotated), MINIMAL, signing),
  ),
  badCertificate(
    'certificate that has expired',
    'It ended before the lease was signed.',
    lease(MINIMAL, certificate({ exp: NOW - DAY })),
  ),
  badCertificate(
    'certificate not yet valid',
    'The lease was signed before it.',
    lease(MINIMAL, certificate({ nbf: NOW })),
  ),
  badCertificate(
    'certificate not yet valid, by a second',
    'nbf ≤ iat.',
    lease(MINIMAL, certificate({ nbf: Number(MINIMAL.iat) + 1 })),
  ),
  badCertificate(
    'lease outlives the certificate',
    'grc ≤ exp of the certificate.',
    lease(MINIMAL, certificate({ exp: Number(MINIMAL.grc) - 1 })),
  ),
  badCertificate(
    'certificate ends before it begins',
    'No lease fits.',
    lease(MINIMAL, certificate({ nbf: NOW, exp: NOW - DAY })),
  ),
];
