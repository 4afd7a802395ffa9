import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { addTo, createTally, read } from './tally.ts';

test('a tally counts values up to each bound, a bound included, and above all of them', () => {
  const tally = createTally([1, 5]);
  assert.deepEqual(read(tally), {
    upTo: [
      { bound: 1, count: 0 },
      { bound: 5, count: 0 },
    ],
    count: 0,
    sum: 0,
  });
  for (const value of [0, 1, 1.5, 5, 6, 100]) addTo(tally, value);
  const upTo = [
    { bound: 1, count: 2 },
    { bound: 5, count: 4 },
  ];
  assert.deepEqual(read(tally), { upTo, count: 6, sum: 113.5 });
});

test('what one thread adds to a shared tally, another one reads', async () => {
  const tally = createTally([1], { shared: true });
  const source =
    "const { counts } = require('node:worker_threads').workerData; counts[0] = 7; counts[2] = 3.5;";
  await once(new Worker(source, { eval: true, workerData: tally }), 'exit');
  assert.deepEqual(read(tally), { upTo: [{ bound: 1, count: 7 }], count: 7, sum: 3.5 });
});
