import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../support/folder.ts';
import { ROOT, START } from '../support/program.ts';

const { engines, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const needed = Number(/^>=(\d+)$/.exec(engines.node)?.[1]);

/**
 * A preload script that fakes the version of this runtime and rejects imports: an older Node.js might not parse other
 * files.
 */
const preload = (version: string) => `
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
  require('node:module').registerHooks({
    resolve(specifier, context, next) {
      if (context.parentURL?.startsWith('file:')) throw new Error('an import of ' + specifier);
      return next(specifier, context);
    },
  });`;

function startedAs(version: string) {
  const file = join(temporaryFolder(), 'preload.cjs');
  writeFileSync(file, preload(version));
  return start(process.execPath, ['--require', file]);
}

const start = (node: string, flags: string[] = []) =>
  spawnSync(node, [...flags, START, '--version'], { encoding: 'utf8', env: { PATH: process.env.PATH } });

const messageFor = (version: string, node: string) =>
  `Latchkey needs Node.js ${needed} or later, and was started with ${version} (${node}).\n`;

test('an older Node.js prints one sentence before it loads anything, and exits with 3', () => {
  for (const version of ['20.20.2', `${needed - 1}.99.0`]) {
    const { status, stdout, stderr } = startedAs(version);
    assert.deepEqual([status, stdout, stderr], [3, '', messageFor(version, process.execPath)]);
  }
  // From the first supported version on, the program loads more files, as the hook reports.
  assert.match(startedAs(`${needed}.0.0`).stderr, /an import of \.\/(program\/)?prepare\b/);
});

test('every Node.js on this machine runs the program or prints that it is too old', () => {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = [...folders.map((folder) => join(folder, 'node')).filter(existsSync), process.execPath];
  for (const node of new Set(found)) {
    const version = spawnSync(node, ['--print', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim();
    const path = spawnSync(node, ['--print', 'process.execPath'], { encoding: 'utf8' }).stdout.trim();
    const { status, stderr } = start(node);
    const isOld = Number(version.split('.')[0]) < needed;
    assert.deepEqual([status, stderr], isOld ? [3, messageFor(version, path)] : [0, '']);
    if (!isOld) continue;
    const npmStart = spawnSync(`${scripts.prestart} && ${scripts.start}`, {
      shell: true,
      cwd: ROOT,
      env: { PATH: dirname(node) },
      encoding: 'utf8',
    });
    assert.deepEqual([npmStart.status, npmStart.stderr], [3, messageFor(version, path)]);
  }
});
