import { runTests } from '../runner/run-tests.ts';

/** Runs the programs of all pages in docs/integrate/, after it has installed Debian's compilers: `npm run test:programs`. */
process.exitCode = (await runTests(['test/programs/every-language.test.ts'], process.env)) ? 0 : 1;
