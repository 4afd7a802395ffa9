import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { check } from './day/check.ts';
import { WORLD } from './day/curve.ts';
import { capacities, morningOf, outage, totalOf, usualDay } from './day/model.ts';

/**
 * `npm run measure:day` computes from `day/costs.ts` what the layouts of docs/scaling.md carry, and a day of 10,000,000
 * installs. It then checks the model against a real service on its own data set, scaled down: the busiest minute at its
 * full rate, and a storm of starts at `--factor` times the rate that the service can answer. The load generator shares
 * the machine with the service.
 */
const { values } = parseArgs({
  options: {
    'model-only': { type: 'boolean', default: false },
    'check-only': { type: 'boolean', default: false },
    engine: { type: 'string', default: 'sqlite,postgres' },
    licenses: { type: 'string', default: '100000' },
    factor: { type: 'string', default: '8' },
    speed: { type: 'string', default: '30' },
    folder: { type: 'string', default: join(tmpdir(), 'latchkey-day') },
  },
});

if (!values['check-only']) for (const tell of [capacities, usualDay, outage]) console.log(tell());
if (!values['model-only'])
  for (const engine of ['sqlite', 'postgres'] as const) {
    if (!values.engine.split(',').includes(engine)) continue;
    await check(
      {
        engine,
        licenses: Number(values.licenses),
        folder: values.folder,
        url: null,
        fresh: false,
        events: false,
      },
      {
        factor: Number(values.factor),
        speed: Number(values.speed),
        morning: totalOf(morningOf({ validate: 2, update: 1 }, WORLD)),
      },
    );
  }
