import { test } from 'node:test';
import { ENGINE } from '../support/engine.ts';
import { runEventRounds } from './event-rounds.ts';
import { KILLS } from './killer.ts';
import { runRounds } from './rounds.ts';

test('killed in every way under load: nothing that was answered is missing, and nothing is there by half', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  t.diagnostic(`seed ${seed}`);
  await runRounds({
    engine: ENGINE,
    rounds: KILLS[ENGINE].length,
    answers: 60,
    seconds: Number.POSITIVE_INFINITY,
    seed,
    print: (line) => t.diagnostic(line),
  });
});

test('killed while events are delivered: each change is told once, and delivered, in order where that is chosen', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  t.diagnostic(`seed ${seed}`);
  await runEventRounds({
    engine: ENGINE,
    rounds: 3,
    nodes: 2,
    seed,
    print: (line) => t.diagnostic(line),
  });
});
