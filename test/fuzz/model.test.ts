import { after, test } from 'node:test';
import fc from 'fast-check';
import { withApiKey } from '../support/http/api-keys.ts';
import { startService } from '../support/service.ts';
import { count, holds, type Tally } from './budget.ts';
import { compare } from './compare.ts';
import { BEGINNING, CALLERS, operations } from './operations.ts';
import { clearWorld } from './world.ts';

/** The service answers any sequence of operations like the model of the contract, to the last field. */
const RUNS = 8;
const MAX_OPERATIONS = 60;
const START = Date.UTC(2029, 11, 1, 12, 0, 0);

const clock = { now: START };
const api = await startService({ after }, { clock: () => clock.now });
const apis = await Promise.all(
  CALLERS.map((limits) => withApiKey(api, limits as Parameters<typeof withApiKey>[1])),
);

test('the service answers any sequence of operations like the model', async (t) => {
  const tally: Tally = new Map();
  const sequences = fc.array(operations, { minLength: 1, maxLength: MAX_OPERATIONS, size: 'max' });
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
