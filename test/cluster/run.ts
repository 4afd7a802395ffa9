import { runTests } from '../runner/run-tests.ts';

/**
 * `npm run test:cluster`: runs one file at a time, because each starts several nodes and a PostgreSQL server.
 */
const files = process.argv.slice(2);
const flags = ['--test-concurrency=1', '--test-timeout=600000'];
const all = ['test/cluster/**/*.test.ts'];
process.exitCode = (await runTests(files.length > 0 ? files : all, process.env, flags)) ? 0 : 1;
