import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isRoot, NOBODY } from '../support/faults/unprivileged.ts';
import { temporaryFolder } from '../support/folder.ts';

const COMMAND = new URL('../../deploy/debian/files/usr/bin/latchkey', import.meta.url);
/**
 * A stand-in for the program. It prints its capabilities, and the address of the debugger after SIGUSR1, if one opened.
 */
const PROGRAM = `
const [, capabilities] = /CapEff:\\s+(\\w+)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'));
process.kill(process.pid, 'SIGUSR1');
const tell = () => console.log(JSON.stringify([parseInt(capabilities, 16), require('node:inspector').url() ?? null]));
setTimeout(tell, 500);
`;

test("the Debian command, run by root, opens no debugger to the service's user", {
  skip: !isRoot || process.platform !== 'linux',
}, () => {
  const folder = temporaryFolder();
  const [command, program] = [join(folder, 'latchkey'), join(folder, 'program')];
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" -e "$PROGRAM"\n`);
  const script = readFileSync(COMMAND, 'utf8')
    .replace('program=/usr/lib/latchkey/latchkey', `program=${program}`)
    .replaceAll(/--(reuid|regid)=latchkey/g, `--$1=${NOBODY}`)
    .replace('--init-groups', '--clear-groups');
  writeFileSync(command, script);
  for (const path of [command, program]) chmodSync(path, 0o755);
  chmodSync(folder, 0o755);
  const env = { PATH: process.env.PATH, PROGRAM, NODE_OPTIONS: '--no-warnings' };
  const told = execFileSync(command, { env, encoding: 'utf8', stdio: 'pipe' });
  // CAP_DAC_READ_SEARCH, and nothing else.
  assert.deepEqual(JSON.parse(told), [1 << 2, null]);
});
