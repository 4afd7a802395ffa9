import { parseArgs } from 'node:util';
import { runTests } from '../runner/run-tests.ts';

/**
 * Runs the fault tests: `npm run test:faults -- FILES`, or all without files. `--rounds N` or `--seconds N` sets how
 * long the tests with random damage run, and `--seed N` repeats the same damage.
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
