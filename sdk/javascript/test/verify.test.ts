import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Expected, type Refusal, verifyLease, verifyRevocations } from '../src/verify.ts';
import {
  certificate,
  DAY,
  hash,
  lease,
  NOW,
  ROOTS,
  revocations,
  root,
  rotated,
  signing,
  spare,
} from './kit.ts';

const verify = (text: string, expected: Partial<Expected> = {}) =>
  verifyLease(text, { roots: ROOTS, now: NOW, ...expected });

test('a lease is licensed, then in grace, then expired', async () => {
  for (const [now, state] of [
    [NOW - 300, 'licensed'],
    [NOW + 14 * DAY - 1, 'licensed'],
    [NOW + 14 * DAY, 'grace'],
    [NOW + 21 * DAY - 1, 'grace'],
    [NOW + 21 * DAY, 'expired'],
  ] as const) {
    const verified = await verify(` LKLEASE1.${lease()}\r\n`, { now });
    assert.equal(verified.ok && verified.state, state);
  }
});

test('verifyLease trusts the spare root and a rotated signing key, and returns the keys that the certificate revokes', async () => {
  const crt = certificate({ rvk: [signing.kid] }, spare, rotated);
  const verified = await verify(lease({}, crt, rotated), { revokedKeys: [root.kid] });
  assert.deepEqual(verified.ok && verified.revokedKeys, [signing.kid]);
});

const REFUSED: [Refusal, string, Partial<Expected>?][] = [
  ['malformed', ''],
  ['malformed', 'LKLEASE1.'],
  ['malformed', `\u00a0${lease()}`],
  ['malformed', lease().slice(0, -1)],
  ['malformed', `${lease()}.`],
  ['malformed', lease({ pad: 'x'.repeat(8_192) })],
  ['malformed', lease({ exp: NOW + 30 * DAY })],
  ['malformed', lease({ lxp: NOW })],
  ['malformed', lease({ iat: NOW + 0.5 })],
  ['malformed', lease({ ent: 'pro' })],
  ['malformed', lease({ a: { b: 1 }, b: 2 })],
  ['wrong_root', lease(), { roots: [spare.x] }],
  ['wrong_root', lease(), { revokedKeys: [root.kid] }],
  ['bad_certificate', lease({}, certificate({ use: 'other' }))],
  ['bad_certificate', lease({}, certificate({}, root, rotated))],
  ['bad_certificate', lease({}, certificate({ nbf: NOW + 1 }))],
  ['bad_certificate', lease({}, certificate({ exp: NOW + 20 * DAY }))],
  ['revoked_key', lease(), { revokedKeys: [signing.kid] }],
  ['revoked_key', lease({}, certificate({ rvk: [signing.kid] }))],
  ['bad_signature', lease({}, certificate(), { ...rotated, kid: signing.kid })],
  ['other_device', lease({ fp: hash('one') })],
  ['other_device', lease({ fp: hash('one') }), { fingerprint: 'other' }],
  ['other_device', lease(), { fingerprint: 'one' }],
  ['other_device', lease(), { deviceKey: signing.x }],
  ['other_device', lease({ cnf: { x: root.x } }), { deviceKey: signing.x }],
  ['other_product', lease({ prd: 1 }), { product: 2 }],
  ['other_nonce', lease({ n: 'one' }), { nonce: 'other' }],
  ['revoked', lease(), { revocations: { lic: [[7, NOW]], act: [] } }],
  ['revoked', lease(), { revocations: { lic: [], act: [[41, NOW]] } }],
  ['clock', lease(), { now: NOW - 301 }],
];

test('verifyLease refuses a lease with the code of the first step that fails', async () => {
  for (const [code, text, expected] of REFUSED)
    assert.deepEqual(await verify(text, expected), { ok: false, code }, `${code}: ${text.slice(0, 40)}`);
});

test('verifyRevocations checks a revocation list, which voids no lease newer than its entry', async () => {
  const verified = await verifyRevocations(revocations({ lic: [[7, NOW - 1]] }), { roots: ROOTS });
  assert.ok(verified.ok);
  assert.equal((await verify(lease(), { revocations: verified.list })).ok, true);
  for (const [code, text] of [
    ['malformed', lease()],
    ['malformed', revocations({ lic: [[7]] })],
    ['malformed', revocations({ seq: -1 })],
    ['bad_certificate', revocations({}, certificate({ exp: NOW - 1 }))],
    ['wrong_root', revocations({}, certificate({}, rotated))],
  ] as const)
    assert.deepEqual(await verifyRevocations(text, { roots: ROOTS }), { ok: false, code });
});

/** Characters of signed texts. */
const ALPHABET = Array.from('AZaz09-_.', (character) => character.charCodeAt(0));

test('the verifiers never throw, and never accept a changed text', async () => {
  const good = lease({ fp: hash('one') });
  // fast-check takes seconds to set up strings that are not ASCII.
  const characters = fc
    .array(fc.oneof(fc.nat(0xffff), fc.constantFrom(...ALPHABET)), { minLength: 1, maxLength: 3 })
    .map((codes) => String.fromCharCode(...codes));
  const changed = fc
    .tuple(fc.nat(good.length - 1), characters)
    .map(([at, put]) => good.slice(0, at) + put + good.slice(at + 1))
    .filter((text) => text.trim() !== good);
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), changed), async (text) => {
      assert.equal((await verify(text, { fingerprint: 'one' })).ok, false);
      assert.equal((await verifyRevocations(text, { roots: ROOTS })).ok, false);
    }),
    { numRuns: 500 },
  );
});

test('without Ed25519 in WebCrypto, verifyLease returns the code unsupported', async (t) => {
  t.mock.method(crypto.subtle, 'importKey', () =>
    Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError')),
  );
  assert.deepEqual(await verify(lease()), { ok: false, code: 'unsupported' });
});
