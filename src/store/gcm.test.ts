import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createGcmOpen, type Sealed } from './gcm.ts';

const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength });
const key = bytes(32);
const additional = bytes(0, 50);
const nonce = bytes(12);
const text = fc.oneof(bytes(0, 50), bytes(0, 2_000));

function seal(key: Uint8Array, additional: Uint8Array, nonce: Uint8Array, text: Uint8Array): Sealed {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additional);
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final()]);
  return { nonce, ciphertext, tag: cipher.getAuthTag() };
}

/** What Node.js itself makes of it. */
function openByNode(key: Uint8Array, additional: Uint8Array, { nonce, ciphertext, tag }: Sealed) {
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: 16 })
    .setAAD(additional)
    .setAuthTag(tag);
  try {
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    return null;
  }
}

const SEVERAL: readonly (readonly [length: number, additional: number])[] = [
  0, 1, 15, 16, 17, 31, 32, 33, 2_000,
].flatMap((length) => [0, 1, 5, 15, 16, 17, 32].map((additional) => [length, additional] as const));

test('texts of every length about a block, with additional data of such lengths, open as they were', () => {
  for (const [length, more] of SEVERAL) {
    const [key, additional, text] = [randomBytes(32), randomBytes(more), randomBytes(length)];
    const [opened] = createGcmOpen(key, additional)([seal(key, additional, randomBytes(12), text)]);
    assert.deepEqual(opened, text, `${length} bytes, ${more} of additional data`);
  }
});

test('whatever Node.js has sealed opens, several in one go, each to its own text', () => {
  fc.assert(
    fc.property(
      key,
      additional,
      fc.array(fc.tuple(nonce, text), { maxLength: 10 }),
      (key, additional, all) => {
        const open = createGcmOpen(key, additional);
        const sealed = all.map(([nonce, text]) => seal(key, additional, nonce, text));
        const texts = all.map(([, text]) => Buffer.from(text));
        assert.deepEqual(open(sealed), texts);
        // Nothing of one call stays for the next.
        assert.deepEqual(open(sealed.toReversed()), texts.toReversed());
      },
    ),
  );
});

test('a change of any byte, bit by bit, gives null for that one alone, as it does in Node.js', () => {
  const parts = fc.constantFrom('nonce', 'ciphertext', 'tag');
  const change = fc.tuple(parts, fc.nat(), fc.integer({ min: 0, max: 7 }));
  fc.assert(
    fc.property(
      key,
      additional,
      fc.array(text, { minLength: 1, maxLength: 6 }),
      fc.nat(),
      change,
      (...given) => {
        const [key, additional, texts, which, [part, at, bit]] = given;
        const sealed = texts.map((text) => seal(key, additional, randomBytes(12), text));
        const mine = which % texts.length;
        const changed = Buffer.from((sealed[mine] as Sealed)[part]);
        fc.pre(changed.length > 0);
        const index = at % changed.length;
        changed[index] = (changed[index] as number) ^ (1 << bit);
        sealed[mine] = { ...(sealed[mine] as Sealed), [part]: changed };
        assert.equal(openByNode(key, additional, sealed[mine] as Sealed), null);
        const expected = texts.map((text, i) => (i === mine ? null : Buffer.from(text)));
        assert.deepEqual(createGcmOpen(key, additional)(sealed), expected);
      },
    ),
  );
});

test('under another key or other additional data nothing opens', () => {
  fc.assert(
    fc.property(key, key, additional, additional, text, (one, two, first, second, text) => {
      fc.pre(Buffer.compare(one, two) !== 0 && Buffer.compare(first, second) !== 0);
      const sealed = seal(one, first, randomBytes(12), text);
      assert.deepEqual(createGcmOpen(two, first)([sealed]), [null]);
      assert.deepEqual(createGcmOpen(one, second)([sealed]), [null]);
    }),
  );
});

test('a tag of any other length is refused, though all there is of it is right', () => {
  const [key, additional, text] = [randomBytes(32), randomBytes(5), randomBytes(23)];
  const whole = seal(key, additional, randomBytes(12), text);
  const open = createGcmOpen(key, additional);
  for (let length = 0; length < 16; length++)
    assert.deepEqual(open([{ ...whole, tag: whole.tag.subarray(0, length) }, whole]), [null, text]);
  for (const more of [1, 16]) {
    const tag = Buffer.concat([whole.tag, Buffer.alloc(more)]);
    assert.deepEqual(open([{ ...whole, tag }, whole]), [null, text]);
  }
});

test('a ciphertext that is cut, or longer by zeros, is refused', () => {
  const [key, additional] = [randomBytes(32), randomBytes(5)];
  const whole = seal(key, additional, randomBytes(12), Buffer.alloc(33));
  const open = createGcmOpen(key, additional);
  for (let length = 0; length < 33; length++)
    assert.deepEqual(open([{ ...whole, ciphertext: whole.ciphertext.subarray(0, length) }]), [null]);
  const longer = Buffer.concat([whole.ciphertext, Buffer.alloc(1)]);
  assert.deepEqual(open([{ ...whole, ciphertext: longer }]), [null]);
});
