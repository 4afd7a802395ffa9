import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { databaseFile } from '../../src/installation/service.ts';
import { copyMigrated } from '../support/engine.ts';
import { assertWhole } from '../support/faults/integrity.ts';
import { unprivileged } from '../support/faults/unprivileged.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Answer, Api } from '../support/http/api.ts';
import { type RunningProcess, runLatchkey, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

function assertBusy({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.code], [503, 'server_error'], JSON.stringify(body));
  assert.ok(Number(headers.get('retry-after')) >= 1);
}

const create = (api: Api) =>
  api.call('POST', '/licenses', {
    json: { license_key: 'NEW', valid_for: 0, status: 3, activations_limit: 1 },
  });
const upload = (api: Api, id: number, version: string) =>
  api.call('POST', `/software/${id}/releases`, {
    multipart: { version, file: new File(['bytes'], 'a.zip') },
  });
const readiness = async ({ origin }: RunningProcess) =>
  Promise.all(['/healthz', '/readyz'].map(async (path) => (await fetch(origin + path)).status));

/** Waits for the log line: an answer may arrive before it. */
const logged = (api: RunningProcess, words: RegExp) => until(() => words.test(api.output()));

/** Starts a server that file permissions apply to, with a license, an activation and a release. */
async function startUsed(t: TestContext) {
  const dataDir = join(temporaryFolder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  await copyMigrated(dataDir);
  const api = await startProcess(t, dataDir, { through: unprivileged });
  const { license_key: key } = await api.license();
  const { token } = await api.activation(key);
  const { id } = await api.software({ gated: false });
  await api.release(id);
  const reads = async () => {
    await api.ok('GET', `/licenses/${key}`);
    await api.ok('GET', `/licenses/validate/${token}`);
  };
  return { api, dataDir, id, reads, env: { LATCHKEY_DATA_DIR: dataDir, LATCHKEY_PORT: '0' } };
}

const startAgain = (t: TestContext, dataDir: string, { credentials }: RunningProcess) =>
  startProcess(t, dataDir, { credentials, through: unprivileged });

test('with an inaccessible data directory, changes answer 503, reads work, the log says why, and changes recover', async (t) => {
  const { api, dataDir, reads } = await startUsed(t);
  chmodSync(dataDir, 0o000);
  try {
    assertBusy(await create(api));
    await reads();
    assert.deepEqual(await readiness(api), [200, 503]);
    await logged(api, /check that the user that latchkey runs as can reach its folder/);
  } finally {
    chmodSync(dataDir, 0o700);
  }
  assert.equal((await create(api)).status, 200);
  assert.deepEqual(await readiness(api), [200, 200]);
  await api.stop();
});

test('a start after a crash fails if the data directory has become read-only', async (t) => {
  const { api, dataDir, env } = await startUsed(t);
  await api.stop('SIGKILL');
  chmodSync(dataDir, 0o500);
  const { code, stderr } = await runLatchkey(['serve'], { env, through: unprivileged });
  chmodSync(dataDir, 0o700);
  assert.equal(code, 3, stderr);
  assert.match(stderr, /data: permission denied/);
});

test('with the data directory moved away, changes answer 503 and reads work; moved back, changes work again', async (t) => {
  const { api, dataDir, id, reads } = await startUsed(t);
  const away = `${dataDir}-away`;
  renameSync(dataDir, away);
  await reads();
  for (let i = 0; i < 3; i++) assertBusy(await create(api));
  assertBusy(await upload(api, id, '2.0.0'));
  await reads();
  assert.deepEqual(await readiness(api), [200, 503]);
  await logged(api, /latchkey\.db has been moved away, removed or replaced: put it back, or restart/);
  assert.ok(!existsSync(dataDir), 'the server must not create a new folder');
  renameSync(away, dataDir);
  assert.equal((await create(api)).status, 200);
  assert.equal((await upload(api, id, '2.0.0')).status, 200);
  assert.deepEqual(await readiness(api), [200, 200]);
  await api.stop();
  assertWhole(dataDir);
});

test('with a removed or replaced database file, changes answer 503, and no acknowledged change is lost', async (t) => {
  const { api, dataDir } = await startUsed(t);
  const file = databaseFile(dataDir);
  const copy = temporaryFolder();
  await api.stop();
  cpSync(file, join(copy, 'latchkey.db'));
  const again = await startAgain(t, dataDir, api);
  unlinkSync(file);
  for (let i = 0; i < 3; i++) assertBusy(await create(again));
  assert.ok(!existsSync(file), 'the server must not create a new file');
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true });
  cpSync(join(copy, 'latchkey.db'), file);
  assertBusy(await create(again));
  await again.stop();
  const last = await startAgain(t, dataDir, api);
  assert.equal((await create(last)).status, 200);
  await last.ok('GET', '/licenses/NEW');
  await last.stop();
  assertWhole(dataDir);
});

test('uploads answer 503 while the folder of release files is unreadable, and recreate a removed folder', async (t) => {
  const { api, dataDir, id, reads } = await startUsed(t);
  const folder = join(dataDir, 'artifacts');
  chmodSync(folder, 0o000);
  assertBusy(await upload(api, id, '2.0.0'));
  await reads();
  assert.equal((await create(api)).status, 200);
  chmodSync(folder, 0o700);
  assert.equal((await upload(api, id, '2.0.0')).status, 200);
  // The folder is removed for good: later uploads are stored all the same.
  rmSync(folder, { recursive: true });
  assert.equal((await upload(api, id, '3.0.0')).status, 200);
});

test('an unwritable data directory or database file stops a start with a reason; a running server continues', async (t) => {
  const { api, dataDir, id, reads, env } = await startUsed(t);
  const start = () => runLatchkey(['serve'], { env, through: unprivileged });
  chmodSync(dataDir, 0o500);
  chmodSync(join(dataDir, 'artifacts', 'incoming'), 0o500);
  await reads();
  assert.equal((await create(api)).status, 200);
  assertBusy(await upload(api, id, '2.0.0'));
  chmodSync(join(dataDir, 'artifacts', 'incoming'), 0o700);
  assert.equal((await upload(api, id, '2.0.0')).status, 200);
  chmodSync(dataDir, 0o700);
  await api.stop();

  const file = databaseFile(dataDir);
  for (const [path, mode] of [
    [dataDir, 0o500],
    [file, 0o400],
    [file, 0o000],
  ] as const) {
    chmodSync(path, mode);
    const { code, stderr } = await start();
    t.diagnostic(`${mode.toString(8)}: ${stderr.trim().replaceAll(dataDir, '…')}`);
    assert.equal(code, 3, stderr);
    assert.match(stderr, /^error: [^\n]*(that latchkey runs as|the user who owns it)[^\n]*\n$/);
    const { stdout } = await runLatchkey(['doctor'], { env, through: unprivileged });
    assert.match(
      stdout,
      /^fail {2}(Data directory|Database) [^\n]*\n +Run (latchkey as the user|"chmod u\+rwx)/m,
    );
    chmodSync(path, path === file ? 0o600 : 0o700);
  }

  const again = await startAgain(t, dataDir, api);
  await again.ok('DELETE', '/licenses/NEW');
  await again.stop();
  assertWhole(dataDir);
});

test('an unreadable master key stops a start with 3 and advice; restored, it starts', async (t) => {
  const { api, dataDir, env } = await startUsed(t);
  const file = join(dataDir, 'master.key');
  const whole = readFileSync(file);
  // The server reads the key once, so a running server is not affected.
  unlinkSync(file);
  assert.equal((await create(api)).status, 200);
  await api.ok('GET', '/licenses/NEW');
  await api.stop();
  const start = () => runLatchkey(['serve'], { env, through: unprivileged });
  const told = async (said: RegExp) => {
    const { code, stderr } = await start();
    t.diagnostic(stderr.trim().replaceAll(dataDir, '…'));
    assert.equal(code, 3, stderr);
    assert.match(stderr, said);
    assert.match(stderr, /^error: [^\n]*\n$/);
    assert.ok(!stderr.includes(whole.toString().slice(0, 12)));
  };
  writeFileSync(file, whole, { mode: 0o600 });
  chmodSync(file, 0o000);
  await told(/master\.key: permission denied/);
  unlinkSync(file);
  mkdirSync(file);
  await told(/master\.key: this is a folder/);
  rmSync(file, { recursive: true });
  writeFileSync(file, whole, { mode: 0o600 });
  const again = await startAgain(t, dataDir, api);
  await again.ok('GET', '/licenses/NEW');
});
