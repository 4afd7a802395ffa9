import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWriteBehind } from './write-behind.ts';

test('a failed flush keeps its values, and the next one writes them together with later ones', async () => {
  const written: (readonly (readonly [string, number])[])[] = [];
  let isAway = true;
  const sums = createWriteBehind<string, number>(
    async (noted) => {
      await new Promise(setImmediate);
      if (isAway) throw new Error('away');
      written.push(noted);
    },
    (earlier, later) => earlier + later,
  );
  sums.note('a', 1);
  sums.note('a', 2);
  const failing = sums.flush();
  sums.note('a', 4);
  sums.note('b', 8);
  await assert.rejects(failing, /away/);
  isAway = false;
  await sums.flush();
  await sums.flush();
  assert.deepEqual(written, [
    [
      ['a', 7],
      ['b', 8],
    ],
  ]);
});
