import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Credentials } from '../../../src/app/api-keys/credentials.ts';
import { temporaryFolder } from '../../support/folder.ts';
import type { Record_ } from '../../support/http/api.ts';
import type { Cli, RunOptions } from '../cli.ts';
import { PASSWORD } from './moves.ts';

export const newFolder = (): string => join(temporaryFolder(), 'restored');

/** Backs up everything in a data directory and returns the command's JSON output. */
export async function backUp(cli: Cli, args: string[] = [], options?: RunOptions): Promise<Record_> {
  return JSON.parse(await cli.ok(['backup', '--json', ...args], options));
}

/**
 * Restores a backup to another data directory with the master key of the first, and returns the command's JSON output.
 */
export async function restore(from: Cli, file: string, to: Cli, options?: RunOptions): Promise<Record_> {
  const key = ['--master-key-file', join(from.dataDir, 'master.key')];
  return JSON.parse(await to.ok(['restore', '--json', file, ...key], options));
}

/** Asserts that a restore fails with this code and this message. */
export async function refuses(
  to: Cli,
  args: string[],
  code: string,
  why: RegExp,
  options = {},
): Promise<void> {
  const { error } = JSON.parse(
    await to.fails(/^master/.test(code) ? 3 : 1, ['restore', '--json', ...args], options),
  );
  assert.equal(error.code, code);
  assert.match(error.message, why);
  assert.doesNotMatch(error.message, new RegExp(PASSWORD));
}

/** The JSON output of verify for a backup that must be intact or must not be. */
export async function verified(
  cli: Cli,
  file: string,
  isWhole: boolean,
  args: string[] = [],
): Promise<Record_> {
  const { code, stdout, stderr } = await cli.run(['backup', 'verify', '--json', file, ...args]);
  assert.equal(code, isWhole ? 0 : 1, stderr + stdout);
  const { ok, backups } = JSON.parse(stdout);
  assert.equal(ok, isWhole, stdout);
  return backups[0];
}

/** The acceptance test of the contract, kept next to the repository, not in it. */
const CHECK = fileURLToPath(new URL('../../../../shared/contract/check.mjs', import.meta.url));

/** Runs the acceptance test against a service. Returns false if the test is not on this machine. */
export async function checkContract(
  root: string,
  { consumerKey, consumerSecret }: Credentials,
): Promise<boolean> {
  if (!existsSync(CHECK)) return false;
  const args = ['--root', root, '--key', consumerKey, '--secret', consumerSecret];
  const { stdout } = await promisify(execFile)(process.execPath, [CHECK, ...args]).catch((error) => error);
  assert.match(stdout.trimEnd().split('\n').at(-1), /^[1-9]\d* passed, 0 failed$/, stdout);
  return true;
}
