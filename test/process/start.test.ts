import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { createCli } from '../cli/cli.ts';
import { consoleClient } from '../support/console/console.ts';
import { databaseEnvironment } from '../support/engine.ts';
import { isRoot, NOBODY } from '../support/faults/unprivileged.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cleanEnvironment, runLatchkey, startProcess } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';

/** Runs the command after it as systemd does, with the stream of the journal in the environment. */
const LIKE_SYSTEMD = [
  ...['sh', '-c', 'exec 3>&1; export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/3); exec "$@"'],
  'sh',
];
/** Whether a start has printed its welcome before the first log line. */
const isOrderly = (output: string) => {
  const welcome = output.indexOf('--help');
  return welcome > 0 && !output.slice(0, welcome).includes('\n{') && output.slice(welcome).includes('\n{');
};

const noCredentials = { LATCHKEY_CONSUMER_KEY: '', LATCHKEY_CONSUMER_SECRET: '' };

test('the first start prints an address, a key, a secret and a curl command that works; its log has neither key nor secret', async (t) => {
  const dataDir = `${temporaryFolder()}/made/by/the/start`;
  const first = await startProcess(t, dataDir, { env: { ...noCredentials, LATCHKEY_LOG_LEVEL: 'trace' } });
  const output = first.output();
  assert.match(output, /ck_[0-9a-f]{40}/);
  assert.match(output, /cs_[0-9a-f]{40}/);
  assert.match(output, /master\.key/);
  const command = /^ *(curl .*)$/m.exec(output)?.[1] as string;
  const curl = spawn('sh', ['-c', command]);
  let answer = '';
  curl.stdout.on('data', (data) => {
    answer += data;
  });
  await once(curl, 'close');
  assert.equal(JSON.parse(answer).data.license_key, 'FIRST-KEY');
  for (const path of ['/healthz', '/readyz']) {
    const response = await fetch(first.origin + path);
    assert.deepEqual([response.status, await response.json()], [200, { status: 'ok' }]);
  }
  await first.stop();
  assert.ok(isOrderly(first.output()), first.output());
  const logged = first
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  assert.ok(logged.length > 0);
  assert.doesNotMatch(logged.join('\n'), /c[ks]_[0-9a-f]{40}/);

  const second = await startProcess(t, dataDir, {
    env: {
      ...noCredentials,
      LATCHKEY_BASE_URL: 'https://shop.example/keys',
      npm_command: 'exec',
      npm_lifecycle_script: 'latchkey',
    },
  });
  assert.match(second.output(), /Documentation +https:\/\/shop\.example\/keys\/docs$/m);
  assert.match(second.output(), /Commands +npx latchkey --help$/m);
  assert.doesNotMatch(second.output(), /c[ks]_[0-9a-f]{40}/);
  const [, consumerKey = '', consumerSecret = ''] = /(ck_\w+):(cs_\w+)/.exec(command) ?? [];
  await second.ok('GET', '/licenses/FIRST-KEY', { credentials: { consumerKey, consumerSecret } });
});

test('a start that cannot listen leaves the first API key for the start that can', async (t) => {
  const dataDir = temporaryFolder();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const env = { LATCHKEY_PORT: String(port), LATCHKEY_DATA_DIR: dataDir };
  const { code, stdout } = await runLatchkey(['serve'], { env });
  assert.equal(code, 3);
  assert.match(stdout, /Back it up, apart from the database/);
  taken.close();
  const api = await startProcess(t, dataDir, { env: noCredentials });
  assert.match(api.output(), /cs_[0-9a-f]{40}/);
});

test('the first start creates the API key of the settings, and a changed secret replaces the old one', async (t) => {
  const dataDir = temporaryFolder();
  const first = await startProcess(t, dataDir);
  await first.license();
  await first.stop();
  const keys = await createCli(dataDir).ok(['api-key', 'list', '--json']);
  assert.match(keys, /"last_access(_at)?": ?"\d{4}-/, 'the last use must survive a stop');
  const changed = { ...first.credentials, consumerSecret: `cs_${'a'.repeat(40)}` };
  const second = await startProcess(t, dataDir, { credentials: changed });
  await second.ok('GET', '/licenses');
  await second.fails(401, 'authentication_error', 'GET', '/licenses', { credentials: first.credentials });
});

test('concurrent first starts in containers, all with the process id 1, share one database and one key', async () => {
  const asNumberOne = ['--import', 'data:text/javascript,Object.defineProperty(process,"pid",{value:1})'];
  const dataDir = temporaryFolder();
  const keys = ['A', 'B', 'C', 'D'];
  const ended = keys.map(async (key) => {
    const args = ['license', 'create', '--license-key', key];
    const child = spawn(process.execPath, [...asNumberOne, ...PROGRAM, ...args], {
      env: { ...cleanEnvironment(), LATCHKEY_DATA_DIR: dataDir },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let told = '';
    child.stderr.on('data', (chunk) => {
      told += chunk;
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 0, told);
  });
  await Promise.all(ended);
  const stdout = await createCli(dataDir).ok(['license', 'list', '--json']);
  for (const key of keys) assert.ok(stdout.includes(`"license_key":"${key}"`), stdout);
  // Reading creates the log files of SQLite.
  const names = readdirSync(dataDir).filter((name) => !/-(wal|shm)$/.test(name));
  assert.deepEqual(names.sort(), ['latchkey.db', 'master.key']);
});

test('each start without an owner makes a setup link, prints it outside the journal only, and revokes the previous one', async (t) => {
  const dataDir = temporaryFolder();
  const setUp = async (origin: string, token: string) => {
    const nobody = consoleClient({ port: Number(new URL(origin).port) }, { 'x-csrf-token': '1' });
    const owner = { name: 'Ada', email: 'ada@example.test', password: 'correct horse battery' };
    return (await nobody.post('/setup', { ...owner, token })).status;
  };
  const linked = (output: string) => / http:\S+\/console\/setup#(\S+)/.exec(output)?.[1] ?? null;
  const first = await startProcess(t, dataDir, { env: noCredentials, through: LIKE_SYSTEMD });
  const file = join(dataDir, 'first-start.txt');
  assert.ok(first.output().includes(`${file}\n`), first.output());
  assert.doesNotMatch(first.output(), /setup#|c[ks]_[0-9a-f]{40}/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const kept = readFileSync(file, 'utf8');
  const before = linked(kept) ?? assert.fail(kept);
  const [, consumerKey = '', consumerSecret = ''] = /(ck_\w+):(cs_\w+)/.exec(kept) ?? [];
  await first.ok('GET', '/licenses', { credentials: { consumerKey, consumerSecret } });
  await first.stop();
  const second = await startProcess(t, dataDir, {
    // The id of another stream: the output was redirected.
    env: { ...noCredentials, LATCHKEY_WORKERS: '2', JOURNAL_STREAM: '1:2' },
  });
  const token = linked(second.output()) ?? assert.fail(second.output());
  assert.equal(await setUp(second.origin, before), 404);
  assert.equal(await setUp(second.origin, token), 200);
  await second.stop();
  assert.ok(isOrderly(second.output()), second.output());
  assert.ok(
    !second
      .output()
      .split('\n')
      .some((line) => line.startsWith('{') && line.includes(token)),
  );
  const third = await startProcess(t, dataDir, { env: { ...noCredentials, LATCHKEY_FIRST_START: 'file' } });
  assert.equal(readFileSync(file, 'utf8'), kept);
  assert.equal(linked(third.output()), null);
  assert.match(third.output(), /Console +http:\/\/127\.0\.0\.1:\d+\/console$/m);
});

test('the file for first-start secrets is readable by this user only, or the start fails and makes no key', async (t) => {
  const dataDir = temporaryFolder();
  const env = { ...noCredentials, LATCHKEY_FIRST_START: 'file' };
  const file = join(dataDir, 'first-start.txt');
  const refused = async (): Promise<string> => {
    const { code, stderr } = await runLatchkey(['serve'], {
      // A server that starts would not end by itself.
      through: process.platform === 'linux' ? ['timeout', '120'] : [],
      env: {
        ...env,
        ...(await databaseEnvironment(dataDir)),
        LATCHKEY_DATA_DIR: dataDir,
        LATCHKEY_PORT: '0',
      },
    });
    assert.equal(code, 3, stderr);
    return stderr;
  };
  const target = join(temporaryFolder(), 'target');
  writeFileSync(target, '');
  symlinkSync(target, file);
  assert.match(await refused(), /first-start\.txt: this is a symbolic link/);
  assert.equal(readFileSync(target, 'utf8'), '');
  rmSync(file);
  writeFileSync(file, '');
  chmodSync(file, 0o666);
  if (isRoot) {
    chownSync(file, NOBODY, NOBODY);
    assert.match(await refused(), /first-start\.txt: not permitted/);
    assert.equal(readFileSync(file, 'utf8'), '');
    chownSync(file, 0, 0);
  }
  await startProcess(t, dataDir, { env });
  assert.match(readFileSync(file, 'utf8'), /consumer secret +cs_/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
});
