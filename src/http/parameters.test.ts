import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/text.ts';
import { parseForm } from './parameters.ts';

test('reading a form never throws and pollutes nothing', () => {
  const near = fc.stringMatching(/^[a-c[\]%=&+0-9;_.]{0,60}$/);
  const word = fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'a',
    '0',
    '[',
    ']',
    '=',
    '&',
    '%',
    '%00',
    '%FF',
    '[]',
  );
  const words = fc.array(word, { maxLength: 30 }).map((all) => all.join(''));
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), near, words), (text) => {
      const form = parseForm(text);
      assert.ok(typeof form === 'object' && form !== null && !Array.isArray(form));
      assert.equal(Object.keys(Object.prototype).length, 0);
    }),
    { numRuns: 3_000 },
  );
});

test('names and values come back as they were encoded, the last of a name', () => {
  const name = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((one) => !/[[\]]/.test(one) && one !== '__proto__');
  const pairs = fc.array(fc.tuple(name, fc.string({ unit: 'grapheme' })), { maxLength: 20 });
  fc.assert(
    fc.property(pairs, fc.boolean(), (all, plus) => {
      const encode = (text: string) => {
        const encoded = encodeURIComponent(text);
        return plus ? encoded.replaceAll('%20', '+') : encoded;
      };
      const form = parseForm(all.map(([one, value]) => `${encode(one)}=${encode(value)}`).join('&'));
      assert.deepEqual({ ...form }, Object.fromEntries(all));
    }),
  );
});

test('brackets nest', () => {
  const form = parseForm('meta[os]=linux&meta[deep][er]=1&status[]=1&status[]=2&list[0]=a&list[1]=b');
  const plain = JSON.parse(JSON.stringify(form));
  assert.deepEqual(plain, { meta: { os: 'linux', deep: { er: '1' } }, status: ['1', '2'], list: ['a', 'b'] });
});

test('numbers in brackets name values of meta, unless they count from 0', () => {
  const jsonOf = (text: string) => JSON.stringify(parseForm(text));
  assert.equal(jsonOf('meta[1]=a'), '{"meta":{"1":"a"}}');
  assert.equal(jsonOf('meta[5][2]=a&meta[7]=b'), '{"meta":{"5":{"2":"a"},"7":"b"}}');
  assert.equal(jsonOf('meta[x][1]=a&meta[x][0]=b'), '{"meta":{"x":["b","a"]}}');
  assert.equal(jsonOf('status[3]=a&status[1]=b'), '{"status":["b","a"]}');
});

test('bytes that are no UTF-8 become text that no field takes', () => {
  for (const bytes of ['%FF', '%C3', '%ED%A0%80', 'a%C0%AFb']) {
    assert.equal((parseForm(`a=${bytes}`).a as string).isWellFormed(), false);
  }
});

test('a percent sign that begins no sequence stays', () => {
  const kept = { a: '100%', b: '%zz', c: '50% off' };
  assert.deepEqual({ ...parseForm('a=100%&b=%zz&c=50%+off') }, kept);
});
