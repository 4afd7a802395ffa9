import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { StoreDamaged } from '../errors.ts';
import { deriveKey, fingerprintOf, firstBundle, sealingKeyOf } from './key-bundle.ts';
import { createKeyring, type Keyring, UnknownSealingKey } from './keyring.ts';

const masterKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
const licenseKey = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 });
const fixed = createKeyring(firstBundle(new Uint8Array(32).fill(7)));

const sealed = (keyring: Keyring, key: string): Buffer => keyring.seal(key, keyring.hash(key));
const opened = (keyring: Keyring, bytes: Uint8Array, key: string): string =>
  keyring.open(bytes, keyring.hash(key));

/** Version 1, as earlier versions of the program wrote it: bound to no row. */
function sealedByVersion1(master: Uint8Array, key: string): Buffer {
  const header = Buffer.concat([Buffer.from([1]), deriveKey(master, 'key id', 4)]);
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(master, 'license key encryption'), nonce);
  cipher.setAAD(header);
  return Buffer.concat([header, nonce, cipher.update(key, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

test('a sealed key opens to the same text, and is never sealed to the same bytes twice', () => {
  fc.assert(
    fc.property(masterKey, licenseKey, (master, key) => {
      const keyring = createKeyring(firstBundle(master));
      const first = sealed(keyring, key);
      const second = sealed(keyring, key);
      assert.equal(opened(keyring, first, key), key);
      assert.notDeepEqual(first.subarray(5, 17), second.subarray(5, 17));
      if (key.length > 4) assert.ok(!first.includes(key));
    }),
  );
});

test('a sealed key is AES-256-GCM, with version, key id and hash of the row as additional data', () => {
  fc.assert(
    fc.property(masterKey, licenseKey, (master, key) => {
      const keyring = createKeyring(firstBundle(master));
      const hash = createHmac('sha256', deriveKey(master, 'license key hash')).update(key).digest();
      assert.deepEqual(keyring.hash(key), hash);
      const bytes = keyring.seal(key, hash);
      assert.deepEqual(bytes.subarray(0, 5), Buffer.from([2, ...deriveKey(master, 'key id', 4)]));
      const encryptionKey = deriveKey(master, 'license key encryption');
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(5, 17));
      decipher.setAAD(Buffer.concat([bytes.subarray(0, 5), hash])).setAuthTag(bytes.subarray(-16));
      const text = [decipher.update(bytes.subarray(17, -16)), decipher.final()];
      assert.equal(Buffer.concat(text).toString(), key);
    }),
  );
});

test('a sealed key opens in no other row, in either version', () => {
  fc.assert(
    fc.property(masterKey, licenseKey, licenseKey, (master, key, other) => {
      fc.pre(key !== other);
      const keyring = createKeyring(firstBundle(master));
      for (const bytes of [sealed(keyring, key), sealedByVersion1(master, key)]) {
        assert.equal(opened(keyring, bytes, key), key);
        assert.throws(() => opened(keyring, bytes, other), StoreDamaged);
      }
    }),
  );
});

test('a change of any byte is found, in either version', () => {
  fc.assert(
    fc.property(fc.boolean(), licenseKey, fc.nat(), fc.integer({ min: 1, max: 255 }), (old, key, at, by) => {
      const bytes = old ? sealedByVersion1(new Uint8Array(32).fill(7), key) : sealed(fixed, key);
      const index = at % bytes.length;
      bytes[index] = (bytes[index] as number) ^ by;
      // A changed id names a key that nobody holds.
      const error = index >= 1 && index < 5 ? UnknownSealingKey : StoreDamaged;
      assert.throws(() => opened(fixed, bytes, key), error);
    }),
  );
});

test('a cut or extended sealed key is found', () => {
  fc.assert(
    fc.property(licenseKey, fc.nat(), (key, at) => {
      const bytes = sealed(fixed, key);
      assert.throws(() => opened(fixed, bytes.subarray(0, at % bytes.length), key), StoreDamaged);
      const longer = Buffer.concat([bytes, Buffer.from([at % 256])]);
      assert.throws(() => opened(fixed, longer, key), StoreDamaged);
    }),
  );
});

test('another master key opens nothing, and hashes differently', () => {
  fc.assert(
    fc.property(masterKey, masterKey, licenseKey, (one, other, key) => {
      fc.pre(Buffer.compare(one, other) !== 0);
      const [a, b] = [createKeyring(firstBundle(one)), createKeyring(firstBundle(other))];
      assert.throws(() => b.open(sealed(a, key), a.hash(key)));
      assert.ok(!a.hash(key).equals(b.hash(key)));
      assert.notEqual(a.signInTag(key), b.signInTag(key));
      assert.notEqual(a.signInTag(key), a.hash(key).toString('hex'));
      assert.notEqual(fingerprintOf(one), fingerprintOf(other));
    }),
  );
});

test('a hash is 32 bytes: the same for the same key, another for another', () => {
  fc.assert(
    fc.property(licenseKey, licenseKey, (one, other) => {
      assert.equal(fixed.hash(one).length, 32);
      assert.equal(fixed.hash(one).equals(fixed.hash(other)), one === other);
    }),
  );
});

test('a secret of a user opens for that user alone', () => {
  fc.assert(
    fc.property(licenseKey, licenseKey, licenseKey, (secret, one, other) => {
      fc.pre(one !== other);
      const bytes = fixed.sealSecret(secret, one);
      assert.equal(fixed.openSecret(bytes, one), secret);
      assert.throws(() => fixed.openSecret(bytes, other));
      assert.throws(() => fixed.openSecret(bytes.subarray(0, -1), one));
      assert.equal(fixed.resealSecret(bytes, one), null);
      const missed = createKeyring({ ...fixed.keys, opening: [] });
      assert.throws(() => missed.openSecret(bytes, one), UnknownSealingKey);
    }),
  );
});

test('a master key has 32 bytes', () => {
  for (const length of [0, 16, 31, 33, 64])
    assert.throws(() => firstBundle(new Uint8Array(length)), RangeError);
});

test('a key of either version is encrypted anew under the next key, bound to its row and with another nonce', () => {
  fc.assert(
    fc.property(masterKey, masterKey, licenseKey, (one, other, key) => {
      const [first, next] = [firstBundle(one), sealingKeyOf(other)];
      fc.pre(first.sealing.id !== next.id);
      const keyring = createKeyring(first);
      const hash = keyring.hash(key);
      const before = [keyring.seal(key, hash), sealedByVersion1(one, key)];
      for (const bytes of before) assert.equal(keyring.reseal(bytes, hash), null);
      const both = { ...first, sealing: next, opening: [next, first.sealing] };
      keyring.adopt(both);
      const onlyNext = createKeyring({ ...both, opening: [next] });
      for (const bytes of before) {
        const resealed = keyring.reseal(bytes, hash) as Buffer;
        assert.equal(resealed[0], 2);
        assert.notDeepEqual(resealed.subarray(5, 17), bytes.subarray(5, 17));
        assert.equal(onlyNext.open(resealed, hash), key);
        assert.equal(keyring.reseal(resealed, hash), null);
        assert.equal(keyring.open(bytes, hash), key, 'the old key still opens');
        assert.throws(() => createKeyring(first).open(resealed, hash), UnknownSealingKey);
        assert.throws(() => keyring.reseal(bytes, keyring.hash(`${key}!`)), StoreDamaged);
      }
      assert.deepEqual(keyring.hash(key), hash);
    }),
  );
});
