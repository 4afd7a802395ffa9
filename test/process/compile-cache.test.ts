import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { createApi } from '../support/api.ts';
import { temporaryFolder } from '../support/folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A checkout of its own: the source, in a folder of this name, and packages that are those of this one. */
function checkout(source = 'src'): string {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'src'), join(folder, source), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.'))
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

const environment = (dataDir: string, env: NodeJS.ProcessEnv = {}) => {
  const { NODE_COMPILE_CACHE: _, ...own } = process.env;
  return { ...own, LATCHKEY_DATA_DIR: dataDir, ...env };
};

test('from a checkout where no compile cache can be written it starts, writes and stops', async (t) => {
  const folder = checkout();
  // A file in the place of the folder keeps everybody from making it, whatever their rights.
  writeFileSync(join(folder, 'node_modules/.cache'), '');
  const credentials = makeCredentials();
  const child = spawn(process.execPath, [join(folder, 'src/start.js'), 'serve'], {
    env: environment(temporaryFolder(), {
      LATCHKEY_PORT: '0',
      LATCHKEY_CONSUMER_KEY: credentials.consumerKey,
      LATCHKEY_CONSUMER_SECRET: credentials.consumerSecret,
    }),
  });
  t.after(() => child.kill('SIGKILL'));
  let [output, errors] = ['', ''];
  child.stderr.on('data', (data) => {
    errors += data;
  });
  child.stdout.on('data', (data) => {
    output += data;
  });
  const ended = once(child, 'exit');
  while (!output.includes('listening on'))
    assert.notEqual(await Promise.race([once(child.stdout, 'data'), ended.then(() => null)]), null, errors);
  const origin = /listening on (http:\/\/\S+)/.exec(output)?.[1];
  const api = createApi(`${origin}/wp-json/dlm/v1`, credentials);
  await api.activation((await api.license()).license_key);
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  assert.equal(errors, '');
});

test('the cache is kept beside the packages of a checkout and nowhere else, and what is built keeps none', () => {
  for (const source of ['src', 'dist']) {
    const folder = checkout(source);
    const [elsewhere, temporary] = [temporaryFolder(), temporaryFolder()];
    const { status, stderr } = spawnSync(process.execPath, [join(folder, source, 'start.js'), 'migrate'], {
      env: environment(temporaryFolder(), { TMPDIR: temporary }),
      cwd: elsewhere,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.equal(existsSync(join(folder, 'node_modules/.cache/latchkey')), source === 'src');
    assert.deepEqual([readdirSync(elsewhere), readdirSync(temporary)], [[], []]);
  }
});
