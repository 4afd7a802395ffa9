import { after, test } from 'node:test';
import fc from 'fast-check';
import { withApiKey } from '../support/http/api-keys.ts';
import { startService } from '../support/service.ts';
import { count, holds, type Tally } from './budget.ts';
import { compare } from './compare.ts';
import { BEGINNING, CALLERS, operations } from './operations.ts';
import { clearWorld } from './world.ts';

/** Any sequence of operations is answered as the model of the contract says, to the last field. */
const RUNS = 8;
const AT_ONCE = 60;
const START = Date.UTC(2029, 11, 1, 12, 0, 0);

const clock = { now: START };
const api = await startService({ after }, { clock: () => clock.now });
const apis = await Promise.all(
  CALLERS.map((limits) => withApiKey(api, limits as Parameters<typeof withApiKey>[1])),
);

test('any sequence of operations is answered as the model says', async (t) => {
  const tally: Tally = new Map();
  const sequences = fc.array(operations, { minLength: 1, maxLength: AT_ONCE, size: 'max' });
  await holds(t, sequences, RUNS, tally, async (some) => {
    await clearWorld(api);
    clock.now = START;
    const comparison = compare(apis, clock);
    for (const operation of [...BEGINNING, ...some]) {
      const result = await comparison.run(operation);
      count(tally, `${operation.do} ${result}`.trim());
    }
    await comparison.finish();
    api.logs.length = 0;
  });
});
