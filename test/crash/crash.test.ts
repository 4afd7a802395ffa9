import { test } from 'node:test';
import { ENGINE } from '../support/engine.ts';
import { runEventRounds } from './event-rounds.ts';
import { KILLS } from './killer.ts';
import { runRounds } from './rounds.ts';

test('a service killed in every way under load loses nothing it has answered and leaves nothing half done', async (t) => {
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

test('nodes killed while they deliver events log and deliver every change once, in order where an endpoint asks for it', async (t) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  t.diagnostic(`seed ${seed}`);
  await runEventRounds({
    engine: ENGINE,
    rounds: 2,
    nodes: 2,
    seed,
    print: (line) => t.diagnostic(line),
  });
});
