import { parseArgs } from 'node:util';
import { runTests } from '../runner/run-tests.ts';

/**
 * Runs the tests of faults: `npm run test:faults -- --rounds N` or `--seconds N` for how long those of random damage go
 * on, `--seed N` for the same damage again, and files, where not all are wanted.
 */
const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string' }, seconds: { type: 'string' }, seed: { type: 'string' } },
  allowPositionals: true,
});
const env: NodeJS.ProcessEnv = { ...process.env };
for (const [name, value] of Object.entries(values)) {
  if (!/^\d+$/.test(value)) throw new RangeError(`--${name} must be a whole number`);
  env[`LATCHKEY_TEST_${name.toUpperCase()}`] = value;
}
const files = positionals.length > 0 ? positionals : ['test/faults/**/*.test.ts'];
process.exitCode = (await runTests(files, env)) ? 0 : 1;
