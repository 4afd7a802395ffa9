import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { firstBundle, type KeyBundle, openBundle, sealBundle, sealingKeyOf } from './key-bundle.ts';

const masterKey = fc.uint8Array({ minLength: 32, maxLength: 32 });
/** The bundle with bytes as hex digits, whether they are a Buffer or a Uint8Array. */
const plain = (bundle: KeyBundle): unknown =>
  JSON.parse(
    JSON.stringify(bundle, (_name, value) =>
      value?.type === 'Buffer'
        ? Buffer.from(value.data).toString('hex')
        : value instanceof Uint8Array
          ? Buffer.from(value).toString('hex')
          : value,
    ),
  );

test('a bundle opens for whom it was sealed: with the next key, which seals from the switch on, and data keys as before', () => {
  fc.assert(
    fc.property(masterKey, masterKey, masterKey, (one, other, third) => {
      const first = firstBundle(one);
      const next = sealingKeyOf(other);
      const sealed = sealBundle(first, next, other);
      const announced = openBundle(sealed, 'announced', other);
      assert.deepEqual(plain(announced), plain({ ...first, opening: [next, first.sealing] }));
      for (const step of ['switched', null] as const) {
        const switched = openBundle(sealed, step, other);
        assert.deepEqual(plain(switched), plain({ ...announced, sealing: next }));
      }
      const later = sealingKeyOf(third);
      const again = openBundle(sealBundle(openBundle(sealed, null, other), later, third), null, third);
      assert.deepEqual(
        plain(again),
        plain({ ...first, sealing: later, opening: [later, next, first.sealing] }),
      );
      for (const secret of [first.sealing.key, next.key])
        assert.ok(!Buffer.from(sealed, 'base64').includes(Buffer.from(secret).toString('hex')));
    }),
    { numRuns: 20 },
  );
});

test('for another key, or changed, it does not open', () => {
  fc.assert(
    fc.property(
      masterKey,
      masterKey,
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (one, other, at, change) => {
        fc.pre(Buffer.compare(one, other) !== 0);
        const sealed = sealBundle(firstBundle(one), sealingKeyOf(other), one);
        assert.throws(() => openBundle(sealed, null, other));
        const bytes = Buffer.from(sealed, 'base64');
        const index = at % bytes.length;
        bytes[index] = (bytes[index] as number) ^ change;
        assert.throws(() => openBundle(bytes.toString('base64'), null, one));
      },
    ),
  );
});
