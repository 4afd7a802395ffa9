import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gather } from './write-behind.ts';

test('what cannot be written is kept for the next time, together with what came meanwhile', async () => {
  const written: (readonly (readonly [string, number])[])[] = [];
  let isAway = true;
  const sums = gather<string, number>(
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
