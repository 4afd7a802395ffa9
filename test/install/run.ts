import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../support/program.ts';

/**
 * `npm run test:install -- FILES`, or all without files: installs the results of `npm run build:package` and `npm run
 * build:binary`, each form on a fresh machine, as docs/operate/install.md says.
 */
const given = process.argv.slice(2);
const files = given.length > 0 ? given : [join(ROOT, 'test/install/*.test.ts')];
// One at a time: each test starts a whole machine.
const { status } = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...files], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
