import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addAddress,
  addressesIn,
  areUnusual,
  joinAddresses,
  noAddresses,
  usualAddresses,
} from './address-count.ts';

const counted = (addresses: Iterable<string>) => {
  const registers = noAddresses();
  for (const address of addresses) addAddress(registers, address);
  return registers;
};
const range = (from: number, to: number) =>
  Array.from(
    { length: to - from },
    (_, i) => `10.${(from + i) >> 16}.${((from + i) >> 8) & 255}.${(from + i) & 255}`,
  );

for (const size of [0, 1, 2, 10, 50, 100, 300, 640, 1_000, 5_000, 100_000]) {
  test(`${size} addresses are counted as about so many`, () => {
    const found = addressesIn(counted(range(0, size)));
    assert.ok(Math.abs(found - size) <= Math.max(1, size * 0.25), String(found));
  });
}

test('in which order they come, how often, and in which of two counts, makes no difference', () => {
  fc.assert(
    fc.property(fc.array(fc.ipV4()), fc.array(fc.ipV6()), (some, others) => {
      const joined = joinAddresses(counted(some), counted(others));
      assert.deepEqual(joined, counted([...others, ...some, ...others]));
    }),
  );
});

test('adding says whether anything has changed', () => {
  const registers = noAddresses();
  assert.equal(addAddress(registers, '192.0.2.1'), true);
  assert.equal(addAddress(registers, '192.0.2.1'), false);
});

test('usual is the hour in the middle; unusual are five times as many, and at least a hundred', () => {
  assert.equal(usualAddresses([]), 0);
  assert.equal(usualAddresses([7]), 7);
  assert.equal(usualAddresses([9, 1, 100]), 9);
  assert.deepEqual(
    [areUnusual(99, 0), areUnusual(100, 0), areUnusual(500, 100), areUnusual(501, 100)],
    [false, true, false, true],
  );
});
