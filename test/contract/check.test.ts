import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startService } from '../support/service.ts';

/** The acceptance check of the contract. It lies beside the repository, not in it. */
const CHECK = fileURLToPath(new URL('../../../shared/contract/check.mjs', import.meta.url));

test('check.mjs of the contract passes', async (t) => {
  if (!existsSync(CHECK)) return t.skip('no ../shared/contract/check.mjs beside this repository');
  const { root, credentials } = await startService(t, { server: { failureLimit: 300 } });
  const { consumerKey, consumerSecret } = credentials;
  const args = ['--root', root, '--key', consumerKey, '--secret', consumerSecret];
  const { stdout } = await promisify(execFile)(process.execPath, [CHECK, ...args]).catch((error) => error);
  const lines = stdout.trimEnd().split('\n');
  assert.match(lines.at(-1), /^[1-9]\d* passed, 0 failed$/, stdout);
});
