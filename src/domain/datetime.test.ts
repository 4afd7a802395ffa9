import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, parseDatetime, toDatetime, toMilliseconds } from './datetime.ts';

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59Z');
const instant = fc.integer({ min: FIRST / 1000, max: LAST / 1000 }).map((seconds) => seconds * 1000);
const pad = (number: number, digits = 2) => String(number).padStart(digits, '0');

test('a datetime is the same after writing and reading it', () => {
  fc.assert(
    fc.property(instant, (ms) => {
      assert.equal(toMilliseconds(toDatetime(ms)), ms);
      assert.equal(parseDatetime(toDatetime(ms)), toDatetime(ms));
    }),
  );
});

test('fractions of a second are dropped', () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 999 }), (ms, more) => {
      assert.equal(toDatetime(ms + more), toDatetime(ms));
    }),
  );
});

test('text order is time order', () => {
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      assert.equal(toDatetime(a) < toDatetime(b), a < b);
      assert.equal(toDatetime(a) === toDatetime(b), a === b);
    }),
  );
});

test('RFC 3339 of any offset is the same instant in UTC', () => {
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
  fc.assert(
    fc.property(instant, offset, fc.constantFrom('T', 't', ' '), (ms, minutes, separator) => {
      const local = ms + minutes * 60_000;
      if (local < FIRST || local > LAST) return;
      const size = Math.abs(minutes);
      const zone = `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
      assert.equal(parseDatetime(`${toDatetime(local).replace(' ', separator)}${zone}`), toDatetime(ms));
    }),
  );
});

test('a date is its midnight', () => {
  fc.assert(
    fc.property(instant, (ms) => {
      const date = toDatetime(ms).slice(0, 10);
      assert.equal(parseDatetime(date), `${date} 00:00:00`);
    }),
  );
});

test('a date that does not exist is refused', () => {
  const field = (max: number) => fc.integer({ min: 0, max });
  fc.assert(
    fc.property(field(9999), field(13), field(32), field(25), field(61), field(61), (y, mo, d, h, mi, s) => {
      const text = `${pad(y, 4)}-${pad(mo)}-${pad(d)} ${pad(h)}:${pad(mi)}:${pad(s)}`;
      const leap = (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0;
      const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
      const exists =
        y >= 1 &&
        mo >= 1 &&
        mo <= 12 &&
        d >= 1 &&
        d <= (days[mo - 1] as number) &&
        h < 24 &&
        mi < 60 &&
        s < 60;
      assert.equal(parseDatetime(text), exists ? text : null);
    }),
    { numRuns: 2_000 },
  );
});

test('reading never throws, and what it reads is a datetime', () => {
  const near = fc.stringMatching(/^[0-9+\-:.TtZz ]{0,40}$/);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), near), (text) => {
      const read = parseDatetime(text);
      if (read !== null) assert.equal(toDatetime(toMilliseconds(read)), read);
    }),
    { numRuns: 2_000 },
  );
});

test('days are added in whole days, and never past the year 9999', () => {
  fc.assert(
    fc.property(instant, fc.integer({ min: 0, max: 2 ** 31 - 1 }), (ms, days) => {
      const at = addDays(toDatetime(ms), days);
      const exact = ms + days * 86_400_000;
      assert.equal(at, exact > LAST ? null : toDatetime(exact));
    }),
  );
});
