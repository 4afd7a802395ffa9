import assert from 'node:assert/strict';
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createGcm } from './gcm.ts';

const bytes = (minLength: number, maxLength = minLength) => fc.uint8Array({ minLength, maxLength });
const key = bytes(32);
const additional = bytes(0, 50);
const nonce = bytes(12);
const text = fc.oneof(bytes(0, 50), bytes(0, 2_000));

/** A piece by Node.js: nonce, ciphertext, tag. */
function seal(key: Uint8Array, additional: Uint8Array, nonce: Uint8Array, text: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(additional);
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** What Node.js itself makes of a piece. */
function openByNode(key: Uint8Array, additional: Uint8Array, piece: Buffer) {
  const decipher = createDecipheriv('aes-256-gcm', key, piece.subarray(0, 12), { authTagLength: 16 })
    .setAAD(additional)
    .setAuthTag(piece.subarray(-16));
  try {
    return Buffer.concat([decipher.update(piece.subarray(12, -16)), decipher.final()]);
  } catch {
    return null;
  }
}

const createGcmOpen = (key: Uint8Array, additional: Uint8Array) => createGcm(key, additional).open;

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
  fc.assert(
    fc.property(
      key,
      additional,
      fc.array(text, { minLength: 1, maxLength: 6 }),
      fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 0, max: 7 })),
      (key, additional, texts, [which, at, bit]) => {
        const sealed = texts.map((text) => seal(key, additional, randomBytes(12), text));
        const mine = which % texts.length;
        const changed = sealed[mine] as Buffer;
        const index = at % changed.length;
        changed[index] = (changed[index] as number) ^ (1 << bit);
        assert.equal(openByNode(key, additional, changed), null);
        const expected = texts.map((text, i) => (i === mine ? null : Buffer.from(text)));
        assert.deepEqual(createGcmOpen(key, additional)(sealed), expected);
      },
    ),
  );
});

test('Node.js opens what was sealed here, several in one go', () => {
  fc.assert(
    fc.property(key, additional, fc.array(text, { maxLength: 10 }), (key, additional, texts) => {
      const pieces = texts.map((text) => Buffer.concat([randomBytes(12), text, Buffer.alloc(16)]));
      createGcm(key, additional).seal(pieces);
      assert.deepEqual(
        pieces.map((piece) => openByNode(key, additional, piece)),
        texts.map((text) => Buffer.from(text)),
      );
    }),
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

test('a piece that is cut anywhere, or longer, is refused, and its neighbour is not', () => {
  const [key, additional, text] = [randomBytes(32), randomBytes(5), Buffer.alloc(33)];
  const whole = seal(key, additional, randomBytes(12), text);
  const open = createGcmOpen(key, additional);
  for (let length = 0; length < whole.length; length++)
    assert.deepEqual(open([whole.subarray(0, length), whole]), [null, text]);
  for (const more of [1, 16])
    assert.deepEqual(open([Buffer.concat([whole, Buffer.alloc(more)]), whole]), [null, text]);
});
