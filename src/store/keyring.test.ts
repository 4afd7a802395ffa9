import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createKeyring } from './keyring.ts';

const masterKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
const licenseKey = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 255 });

test('what was sealed opens to the same text, and never looks the same twice', () => {
  fc.assert(
    fc.property(masterKey, licenseKey, (master, key) => {
      const keyring = createKeyring(master);
      const sealed = keyring.seal(key);
      assert.equal(keyring.open(sealed), key);
      assert.ok(!sealed.equals(keyring.seal(key)));
      if (key.length > 4) assert.ok(!sealed.includes(key));
    }),
  );
});

test('a change of any byte is found', () => {
  const keyring = createKeyring(new Uint8Array(32).fill(7));
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
  const keyring = createKeyring(new Uint8Array(32).fill(7));
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
      const [a, b] = [createKeyring(one), createKeyring(other)];
      assert.throws(() => b.open(a.seal(key)));
      assert.ok(!a.hash(key).equals(b.hash(key)));
      assert.notEqual(a.fingerprint, b.fingerprint);
    }),
  );
});

test('a hash is 32 bytes: the same for the same key, another for another', () => {
  const keyring = createKeyring(new Uint8Array(32).fill(7));
  fc.assert(
    fc.property(licenseKey, licenseKey, (one, other) => {
      assert.equal(keyring.hash(one).length, 32);
      assert.equal(keyring.hash(one).equals(keyring.hash(other)), one === other);
    }),
  );
});

test('a master key has 32 bytes', () => {
  for (const length of [0, 16, 31, 33, 64])
    assert.throws(() => createKeyring(new Uint8Array(length)), RangeError);
});
