import assert from 'node:assert/strict';
import { createDecipheriv, createHmac } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { deriveKey, fingerprintOf, firstBundle, sealingKeyOf } from './key-bundle.ts';
import { createKeyring, UnknownSealingKey } from './keyring.ts';

const masterKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
const licenseKey = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 });

test('what was sealed opens to the same text, and never looks the same twice', () => {
  fc.assert(
    fc.property(masterKey, licenseKey, (master, key) => {
      const keyring = createKeyring(firstBundle(master));
      const sealed = keyring.seal(key);
      assert.equal(keyring.open(sealed), key);
      assert.ok(!sealed.equals(keyring.seal(key)));
      if (key.length > 4) assert.ok(!sealed.includes(key));
    }),
  );
});

test('each of many, however long, is AES-256-GCM under a nonce of its own', () => {
  const keys = fc.array(fc.oneof(licenseKey, fc.string({ unit: 'grapheme', maxLength: 2_000 })), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(masterKey, keys, (master, texts) => {
      const encryptionKey = deriveKey(master, 'license key encryption');
      const sealed = createKeyring(firstBundle(master)).sealAll(texts);
      const opened = sealed.map((one) => {
        const decipher = createDecipheriv('aes-256-gcm', encryptionKey, one.subarray(5, 17));
        decipher.setAAD(one.subarray(0, 5)).setAuthTag(one.subarray(-16));
        return Buffer.concat([decipher.update(one.subarray(17, -16)), decipher.final()]).toString();
      });
      assert.deepEqual(opened, texts);
      assert.equal(new Set(sealed.map((one) => one.toString('hex', 5, 17))).size, texts.length);
    }),
  );
});

test('a hash is HMAC-SHA-256, of a text of any length', () => {
  fc.assert(
    fc.property(masterKey, fc.string({ unit: 'grapheme', maxLength: 2_000 }), (master, text) => {
      const expected = createHmac('sha256', deriveKey(master, 'license key hash')).update(text).digest();
      assert.deepEqual(createKeyring(firstBundle(master)).hash(text), expected);
    }),
  );
});

test('a change of any byte is found', () => {
  const keyring = createKeyring(firstBundle(new Uint8Array(32).fill(7)));
  fc.assert(
    fc.property(licenseKey, fc.nat(), fc.integer({ min: 1, max: 255 }), (key, at, change) => {
      const sealed = keyring.seal(key);
      const index = at % sealed.length;
      sealed[index] = (sealed[index] as number) ^ change;
      assert.throws(() => keyring.open(sealed));
    }),
  );
});

test('what is cut or longer is found', () => {
  const keyring = createKeyring(firstBundle(new Uint8Array(32).fill(7)));
  fc.assert(
    fc.property(licenseKey, fc.nat(), (key, at) => {
      const sealed = keyring.seal(key);
      assert.throws(() => keyring.open(sealed.subarray(0, at % sealed.length)));
      assert.throws(() => keyring.open(Buffer.concat([sealed, Buffer.from([at % 256])])));
    }),
  );
});

test('another master key opens nothing, and hashes differently', () => {
  fc.assert(
    fc.property(masterKey, masterKey, licenseKey, (one, other, key) => {
      fc.pre(Buffer.compare(one, other) !== 0);
      const [a, b] = [createKeyring(firstBundle(one)), createKeyring(firstBundle(other))];
      assert.throws(() => b.open(a.seal(key)));
      assert.ok(!a.hash(key).equals(b.hash(key)));
      assert.notEqual(fingerprintOf(one), fingerprintOf(other));
    }),
  );
});

test('a hash is 32 bytes: the same for the same key, another for another', () => {
  const keyring = createKeyring(firstBundle(new Uint8Array(32).fill(7)));
  fc.assert(
    fc.property(licenseKey, licenseKey, (one, other) => {
      assert.equal(keyring.hash(one).length, 32);
      assert.equal(keyring.hash(one).equals(keyring.hash(other)), one === other);
    }),
  );
});

test('a master key has 32 bytes', () => {
  for (const length of [0, 16, 31, 33, 64])
    assert.throws(() => firstBundle(new Uint8Array(length)), RangeError);
});

test('sealed anew under the next key, a key keeps its text and its nonce; what rests under it already is left alone', () => {
  fc.assert(
    fc.property(
      masterKey,
      masterKey,
      fc.array(licenseKey, { minLength: 1, maxLength: 20 }),
      (one, other, texts) => {
        const [first, next] = [firstBundle(one), sealingKeyOf(other)];
        fc.pre(first.sealing.id !== next.id);
        const keyring = createKeyring(first);
        const sealed = keyring.sealAll(texts);
        assert.deepEqual(
          keyring.resealAll(sealed),
          texts.map(() => null),
        );
        const both = { ...first, sealing: next, opening: [next, first.sealing] };
        keyring.adopt(both);
        const resealed = keyring.resealAll(sealed) as Buffer[];
        assert.deepEqual(keyring.resealAll(sealed), resealed, 'it comes to the same, whoever does it');
        const mixed = sealed.map((piece, i) => (i % 2 === 0 ? piece : (resealed[i] as Buffer)));
        assert.deepEqual(keyring.openAll(mixed), texts);
        assert.deepEqual(
          keyring.resealAll(mixed),
          mixed.map((_, i) => (i % 2 === 0 ? resealed[i] : null)),
        );
        const nonce = (piece: Buffer) => piece.toString('hex', 5, 17);
        assert.deepEqual(resealed.map(nonce), sealed.map(nonce));
        assert.deepEqual(createKeyring({ ...both, opening: [next] }).openAll(resealed), texts);
        assert.throws(() => createKeyring(first).openAll(resealed), UnknownSealingKey);
        assert.deepEqual(keyring.hash(texts[0] as string), createKeyring(first).hash(texts[0] as string));
      },
    ),
  );
});
