import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../support/program.ts';

test('a start does not rebuild a current console', () => {
  const index = join(ROOT, 'dist/console/index.html');
  const args = [join(ROOT, 'console/build.ts'), '--if-missing'];
  spawnSync(process.execPath, args);
  const { mtimeMs } = statSync(index);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
  assert.equal(statSync(index).mtimeMs, mtimeMs);
});
