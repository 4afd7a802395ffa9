import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runTests, startQuickPostgres } from '../runner/run-tests.ts';

/**
 * `npm run test:fuzz`: runs the fuzz tests one after the other from one seed, which it prints first.
 *
 *     --seconds N   time of each; 60 by default
 *     --seed N      random by default
 *     --only NAME   requests, wire, model, concurrent, seats or leases
 *     --engine NAME sqlite (default) or postgres: our own server, or that of LATCHKEY_TEST_DATABASE_URL
 */
const NAMES = ['requests', 'wire', 'model', 'concurrent', 'seats', 'leases'];
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    only: { type: 'string' },
    engine: { type: 'string', default: 'sqlite' },
  },
});
const { seconds, seed, only, engine } = values;
if (!(Number(seconds) > 0)) throw new Error('--seconds must be a number over 0.');
if (!/^-?\d+$/.test(seed)) throw new Error('--seed must be a whole number.');
if (only !== undefined && !NAMES.includes(only))
  throw new Error(`--only must be one of ${NAMES.join(', ')}.`);
if (!['sqlite', 'postgres'].includes(engine)) throw new Error('--engine must be sqlite or postgres.');

const { LATCHKEY_TEST_DATABASE_URL: url, ...env } = process.env;
const isOurs = engine === 'postgres' && !url;
const server = isOurs ? await startQuickPostgres() : null;
const files = NAMES.filter((name) => only === undefined || name === only).map(
  (name) => `test/fuzz/${name}.test.ts`,
);
console.log(`${seconds} seconds each on ${engine}, seed ${seed}`);
const isDone = await runTests(
  files,
  {
    ...env,
    LATCHKEY_FUZZ_SECONDS: seconds,
    LATCHKEY_FUZZ_SEED: seed,
    ...(engine === 'postgres' && { LATCHKEY_TEST_DATABASE_URL: url ?? server?.url('postgres') }),
  },
  ['--test-concurrency=1'],
);
await server?.stop();
process.exitCode = isDone ? 0 : 1;
