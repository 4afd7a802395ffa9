import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  characters,
  checkTemplate,
  compose,
  type KeyTemplate,
  keyAt,
  keySpace,
  randomLength,
} from './generator.ts';

const some = (maxLength: number) => fc.string({ unit: 'grapheme', maxLength });
const template: fc.Arbitrary<KeyTemplate> = fc.record({
  charset: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
  chunks: fc.integer({ min: 1, max: 4 }),
  chunkLength: fc.integer({ min: 1, max: 4 }),
  separator: some(3),
  prefix: fc.option(some(5)),
  suffix: fc.option(some(5)),
});

test('each number gives another key, and all of them are the key space', () => {
  const small = template.filter((one) => keySpace(one) <= 2_000);
  fc.assert(
    fc.property(small, (one) => {
      const keys = Array.from({ length: keySpace(one) }, (_, index) => keyAt(one, index));
      assert.equal(new Set(keys).size, characters(one).length ** (one.chunks * one.chunkLength));
    }),
  );
});

test('a key is prefix, chunks of the charset joined by the separator, and suffix', () => {
  fc.assert(
    fc.property(template, fc.nat(), (one, number) => {
      const key = keyAt(one, number % Math.min(keySpace(one), 2 ** 31));
      const { prefix, suffix, separator, chunkLength } = one;
      assert.ok(key.startsWith(prefix ?? '') && key.endsWith(suffix ?? ''));
      let rest = [...key].slice([...(prefix ?? '')].length, suffix ? -[...suffix].length : undefined);
      for (let chunk = 0; chunk < one.chunks; chunk++) {
        if (chunk > 0) {
          assert.equal(rest.slice(0, [...separator].length).join(''), separator);
          rest = rest.slice([...separator].length);
        }
        for (const character of rest.slice(0, chunkLength)) assert.ok(characters(one).includes(character));
        assert.ok(rest.length >= chunkLength);
        rest = rest.slice(chunkLength);
      }
      assert.deepEqual(rest, []);
    }),
  );
});

test('a key asks for exactly as many random characters as it has, in order', () => {
  fc.assert(
    fc.property(template, (one) => {
      const asked: number[] = [];
      compose(one, (n) => {
        asked.push(n);
        return 'x';
      });
      assert.deepEqual(
        asked,
        Array.from({ length: randomLength(one) }, (_, n) => n),
      );
    }),
  );
});

test('a repeated character counts once', () => {
  fc.assert(
    fc.property(template, (one) => {
      const doubled = { ...one, charset: one.charset + one.charset };
      assert.deepEqual(characters(doubled), characters(one));
      assert.equal(keySpace(doubled), keySpace(one));
    }),
  );
});

test('a template is refused exactly if its keys are longer than 255 code points', () => {
  const long = fc.record({
    charset: fc.constant('AB'),
    chunks: fc.integer({ min: 1, max: 100 }),
    chunkLength: fc.integer({ min: 1, max: 100 }),
    separator: some(5),
    prefix: fc.option(some(64)),
    suffix: fc.option(some(64)),
  });
  fc.assert(
    fc.property(long, (one) => {
      if (one.prefix?.startsWith('hashed-')) return;
      assert.equal(checkTemplate(one).ok, [...compose(one, () => 'A')].length <= 255);
    }),
    { numRuns: 500 },
  );
});
