import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { bundleProgram } from '../../tools/bundle.ts';
import { temporaryFolder } from '../support/folder.ts';
import { createApi } from '../support/http/api.ts';
import { cleanEnvironment } from '../support/process.ts';
import { ROOT } from '../support/program.ts';

function folderOfPackage(): string {
  const folder = temporaryFolder();
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  return folder;
}

/** Makes a separate checkout: the source, with links to the packages of this one. */
function checkout(): string {
  const folder = folderOfPackage();
  cpSync(join(ROOT, 'src'), join(folder, 'src'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.'))
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

/** The bundle, without packages. */
const built = folderOfPackage();
// A run of all tests has made the bundle already.
if (process.env.LATCHKEY_TEST_PROGRAM)
  cpSync(dirname(process.env.LATCHKEY_TEST_PROGRAM), join(built, 'dist'), { recursive: true });
else await bundleProgram(join(built, 'dist'));

const environment = (dataDir: string, env: NodeJS.ProcessEnv = {}) => {
  const { NODE_COMPILE_CACHE: _, ...own } = cleanEnvironment();
  return { ...own, LATCHKEY_DATA_DIR: dataDir, ...env };
};

test('a checkout that cannot write a compile cache starts, writes and stops', async (t) => {
  const folder = checkout();
  // A file in place of the folder keeps any user, even root, from creating it.
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

test('a checkout keeps its compile cache next to its packages only, and a bundle keeps none', async () => {
  for (const [source, folder] of Object.entries({ src: checkout(), dist: built })) {
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

test('only the S3 storage loads the AWS SDK', async () => {
  const program = join(built, 'dist/program');
  const seen = new Map<string, string>();
  const names = readdirSync(program);
  const follow = (name: string): void => {
    if (seen.has(name) || !names.includes(name)) return;
    const code = readFileSync(join(program, name), 'utf8');
    seen.set(name, code);
    // Static imports begin a line.
    for (const [, next] of code.matchAll(/(?:^import [^;]*|\bimport\()"\.\/([\w.-]+)"/gm))
      if (!/^s3-/.test(String(next))) follow(String(next));
  };
  const withSdk = () => [...seen.keys()].filter((name) => seen.get(name)?.includes('node_modules/@aws-sdk/'));
  follow('prepare.js');
  assert.ok(seen.size > 30, `${seen.size} files`);
  assert.deepEqual(withSdk(), []);
  follow(names.find((name) => /^s3-/.test(name)) ?? assert.fail('no s3-*.js'));
  assert.notDeepEqual(withSdk(), []);
});
