import { createHmac } from 'node:crypto';
import { type LeaseCase, refused } from './cases.ts';
import {
  base64,
  certificate,
  certificateHeader,
  certificatePayload,
  jws,
  lease,
  leaseHeader,
  type Members,
  MINIMAL,
  root,
  signing,
  stranger,
} from './kit.ts';

// Leases whose header, or whose certificate's header, violates the format.

const PAYLOAD = base64(MINIMAL);
const bad = (name: string, why: string, text: string): LeaseCase => refused(name, why, 'malformed', text);

const withHeader = (changes: Members): string => jws({ ...leaseHeader(), ...changes }, MINIMAL, signing);
const withCertificateHeader = (changes: Members): string =>
  lease(MINIMAL, jws({ ...certificateHeader(), ...changes }, certificatePayload(signing), root));

const HS256 = { ...leaseHeader(), alg: 'HS256' };
const HMACED = `${base64(HS256)}.${PAYLOAD}`;
const macBy = (secret: string | Buffer): string =>
  `${HMACED}.${createHmac('sha256', secret).update(HMACED).digest('base64url')}`;

const algorithms = ['none', 'None', 'HS256', 'RS256', 'ES256', 'Ed25519', 'eddsa', 'EDDSA', 'EdDSA ', ''].map(
  (alg) => bad(`alg "${alg}"`, 'Signed by the signing key, but alg is not EdDSA.', withHeader({ alg })),
);

export const headerCases: readonly LeaseCase[] = [
  ...algorithms,
  bad(
    'alg "none", signature empty',
    'The classic.',
    `${base64({ ...leaseHeader(), alg: 'none' })}.${PAYLOAD}.`,
  ),
  bad(
    'alg "HS256", by the public key of the root',
    'A MAC whose secret everybody knows.',
    macBy(Buffer.from(root.x, 'base64url')),
  ),
  bad('alg "HS256", by the text of the signing key', 'A MAC whose secret everybody knows.', macBy(signing.x)),
  bad('alg is left out', 'Each member of the header is needed.', withHeader({ alg: undefined })),
  bad('alg is a list', 'alg is a string.', withHeader({ alg: ['EdDSA'] })),
  bad('alg is null', 'alg is a string.', withHeader({ alg: null })),
  bad('header with crit', 'A header has exactly its members.', withHeader({ crit: ['exp'], exp: 1 })),
  bad(
    'header with jwk',
    'A verifier takes no key from a header.',
    withHeader({ jwk: { kty: 'OKP', crv: 'Ed25519', x: stranger.x } }),
  ),
  bad('header with jku', 'A verifier asks no address.', withHeader({ jku: 'https://keys.example.com/' })),
  bad('header with x5c', 'A verifier takes no key from a header.', withHeader({ x5c: [] })),
  bad('header with b64', 'Payloads are base64url.', withHeader({ b64: false })),
  bad('header with zip', 'Payloads are not compressed.', withHeader({ zip: 'DEF' })),
  bad('header with a member of another name', 'A header has exactly its members.', withHeader({ note: 'x' })),
  bad(
    'header with __proto__',
    'A header has exactly its members.',
    jws(JSON.stringify(leaseHeader()).replace('{', '{"__proto__":{},'), MINIMAL, signing),
  ),
  bad(
    'header with alg twice',
    'No name occurs twice.',
    jws(JSON.stringify(leaseHeader()).replace('{', '{"alg":"none",'), MINIMAL, signing),
  ),
  bad(
    'header with an escaped name',
    'No name contains a backslash.',
    jws(JSON.stringify(leaseHeader()).replace('"alg"', '"\\u0061lg"'), MINIMAL, signing),
  ),
  bad('header without kid', 'Each member of the header is needed.', withHeader({ kid: undefined })),
  bad('kid is a number', 'kid is a string.', withHeader({ kid: 1 })),
  bad('header without crt', 'Each member of the header is needed.', withHeader({ crt: undefined })),
  bad('crt is null', 'crt is a string.', withHeader({ crt: null })),
  bad('crt is a list', 'crt is a string.', withHeader({ crt: [certificate()] })),
  bad('crt is an object', 'crt is a string.', withHeader({ crt: certificatePayload(signing) })),
  bad('crt is empty', 'A certificate has three parts.', withHeader({ crt: '' })),
  bad(
    'crt with white space around',
    'White space is removed around the whole text only.',
    withHeader({ crt: ` ${certificate()}\n` }),
  ),
  bad('crt with a prefix', 'A certificate has no prefix.', withHeader({ crt: `LKLEASE1.${certificate()}` })),
  bad(
    'crt is cut',
    'A certificate has three parts.',
    withHeader({ crt: certificate().split('.', 2).join('.') }),
  ),
  bad('crt has padding', 'base64url without padding.', withHeader({ crt: `${certificate()}==` })),
  bad('crt is a lease', 'typ says what a text is.', withHeader({ crt: lease() })),
  bad('certificate with alg "Ed25519"', 'alg is EdDSA.', withCertificateHeader({ alg: 'Ed25519' })),
  bad('certificate with alg "none"', 'alg is EdDSA.', withCertificateHeader({ alg: 'none' })),
  bad(
    'certificate with a crt of its own',
    'There is one certificate, not a chain.',
    withCertificateHeader({ crt: certificate() }),
  ),
  bad(
    'certificate without kid',
    'Each member of the header is needed.',
    withCertificateHeader({ kid: undefined }),
  ),
  bad('certificate with crit', 'A header has exactly its members.', withCertificateHeader({ crit: [] })),
  bad(
    'certificate whose payload is a list',
    'Payloads are objects.',
    lease(MINIMAL, jws(certificateHeader(), [], root)),
  ),
  bad(
    'certificate with kid twice',
    'No name occurs twice.',
    lease(
      MINIMAL,
      jws(certificateHeader(), JSON.stringify(certificatePayload(signing)).replace('{', '{"kid":"x",'), root),
    ),
  ),
  bad('typ in upper case', 'typ is compared exactly.', withHeader({ typ: 'LK-LEASE+JWT' })),
  bad('typ "JWT"', 'typ says what a text is.', withHeader({ typ: 'JWT' })),
  bad('typ with application/', 'typ is compared exactly.', withHeader({ typ: 'application/lk-lease+jwt' })),
  bad(
    'typ of a revocation list',
    'A signing key signs those too.',
    withHeader({ typ: 'lk-revocations+jwt' }),
  ),
  bad('typ of a certificate', 'typ says what a text is.', withHeader({ typ: 'lk-cert+jwt' })),
  bad('typ of a request', 'typ says what a text is.', withHeader({ typ: 'lk-request+jwt' })),
  bad('a certificate', 'It is signed by a root, and no lease.', certificate()),
  bad('header is a list', 'Headers are objects.', jws([], MINIMAL, signing)),
  bad('header is a string', 'Headers are objects.', jws('"EdDSA"', MINIMAL, signing)),
  bad('header is empty', 'Each member of the header is needed.', jws({}, MINIMAL, signing)),
  bad(
    'header after a byte order mark',
    'UTF-8 without a byte order mark.',
    jws(`\ufeff${JSON.stringify(leaseHeader())}`, MINIMAL, signing),
  ),
];
