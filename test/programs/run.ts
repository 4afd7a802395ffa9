import { runTests } from '../runner/run-tests.ts';

/**
 * `npm run test:programs`: installs Debian's compilers and runs the programs of all pages in docs/integrate/.
 */
process.exitCode = (await runTests(['test/programs/every-language.test.ts'], process.env)) ? 0 : 1;
