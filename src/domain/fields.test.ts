import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { emailAddress } from './email-address.ts';
import {
  codePoints,
  datetime,
  flag,
  integer,
  isStorableText,
  numberedName,
  oneOrMany,
  reference,
  text,
} from './fields.ts';

const anyString = fc.string({ unit: 'binary' });

test('an integer is read from a JSON integer and from its decimal digits, within its range', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), fc.nat(), fc.nat(), (number, a, b) => {
      const [min, max] = [Math.min(a, b), Math.max(a, b)];
      const expected = number >= min && number <= max;
      for (const value of [number, String(number)]) {
        const read = integer({ min, max }).read(value);
        assert.equal(read.ok, expected);
        if (read.ok) assert.equal(read.value, number);
      }
    }),
  );
});

test('only decimal digits are an integer: no sign, point, exponent, white space or other digits', () => {
  const near = fc.stringMatching(/^[0-9+\-.eExX_,٣５ \t\n]{0,18}$/);
  fc.assert(
    fc.property(fc.oneof(anyString, near), (value) => {
      const digits = value !== '' && [...value].every((one) => '0123456789'.includes(one));
      const read = reference().read(value);
      assert.equal(read.ok, digits && BigInt(value) <= BigInt(Number.MAX_SAFE_INTEGER));
      if (read.ok) assert.equal(BigInt(value), BigInt(read.value));
    }),
    { numRuns: 2_000 },
  );
});

test('nothing that is neither a number nor a string is an integer, a date or a status', () => {
  const other = fc.anything().filter((value) => typeof value !== 'number' && typeof value !== 'string');
  fc.assert(
    fc.property(other, (value) => {
      for (const field of [integer(), datetime, numberedName(['a', 'b'])])
        assert.equal(field.read(value).ok, false);
    }),
  );
});

test('no field throws, whatever it is given', () => {
  const fields = [
    integer(),
    reference(),
    text({ max: 5 }),
    text({ max: 5, cut: true }),
    datetime,
    flag,
    oneOrMany(integer()),
  ];
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
      for (const field of fields) assert.equal(typeof field.read(value).ok, 'boolean');
    }),
  );
});

test('an email address of a megabyte is refused before it is normalized, which would take minutes', () => {
  const marks = '\u0300'.repeat(250_000) + '\u0316'.repeat(250_000);
  assert.equal(emailAddress.read(`a${marks}@example.test`).ok, false);
});

test('lengths are in code points', () => {
  fc.assert(
    fc.property(anyString, (value) => {
      if (value.isWellFormed()) assert.equal(codePoints(value), [...value].length);
    }),
  );
});

test('text is kept as sent, or refused: for its length, a NUL or a lone surrogate', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(10), (value, max) => {
      const expected = !value.includes('\0') && value.isWellFormed() && [...value].length <= max;
      const read = text({ max }).read(value);
      assert.equal(read.ok, expected);
      if (read.ok) assert.equal(read.value, value);
    }),
    { numRuns: 1_000 },
  );
});

test('text that is cut keeps its first code points and stays well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), fc.nat(10), (value, max) => {
      const read = text({ max, cut: true }).read(value);
      assert.equal(read.ok, isStorableText(value));
      if (!read.ok) return;
      assert.ok(isStorableText(read.value));
      assert.deepEqual([...read.value], [...value].slice(0, max));
    }),
    { numRuns: 1_000 },
  );
});

test('a flag is one of the documented values and nothing else', () => {
  const yes: unknown[] = [true, 1, '1', 'true', 'yes'];
  const no: unknown[] = [false, 0, '', '0', 'false', 'no'];
  for (const value of yes) assert.deepEqual(flag.read(value), { ok: true, value: true });
  for (const value of no) assert.deepEqual(flag.read(value), { ok: true, value: false });
  fc.assert(
    fc.property(fc.anything(), (value) => {
      assert.equal(flag.read(value).ok, [...yes, ...no].includes(value));
    }),
  );
});

test('a numbered name is read in any case, and by its number', () => {
  const names = ['sold', 'delivered', 'active'] as const;
  const field = numberedName(names);
  fc.assert(
    fc.property(fc.nat(2), fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }), (index, capitals) => {
      const name = [...(names[index] as string)].map((letter, i) =>
        capitals[i] ? letter.toUpperCase() : letter,
      );
      for (const value of [name.join(''), index + 1, String(index + 1)]) {
        assert.deepEqual(field.read(value), { ok: true, value: index + 1 });
      }
    }),
  );
});
