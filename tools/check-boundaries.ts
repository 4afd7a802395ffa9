import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { faultsOf } from './boundaries.ts';

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'console', 'sdk'], {
  encoding: 'utf8',
});
const files = listed.split('\n').filter((file) => /\.(ts|tsx|js)$/.test(file) && existsSync(file));
const faults = faultsOf(files);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length > 0 ? 1 : 0;
