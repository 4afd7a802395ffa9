import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { entriesIn, pack, withRows } from '../cli/backups/crafted.ts';
import { assertWhole } from '../support/faults/integrity.ts';
import { startLoad } from '../support/faults/load.ts';
import { canMount } from '../support/faults/namespace.ts';
import { type SmallDisk, smallDisk } from '../support/faults/small-disk.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Answer, createApi } from '../support/http/api.ts';
import { freePort } from '../support/postgres/postgres.ts';
import { cleanEnvironment, type RunningProcess, runLatchkey, startProcess } from '../support/process.ts';
import { PROGRAM } from '../support/program.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

/** MiB of each disk. */
const SIZE = 12;
/** Milliseconds within which every request is answered, even on the slowest machine. */
const ANSWERED_MS = 30_000;
const CLIENTS = 8;

function assertBusy({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.code], [503, 'server_error'], JSON.stringify(body));
  assert.ok(Number(headers.get('retry-after')) >= 1);
}

/** Starts a server with its data on a small disk. */
async function startOnDisk(t: TestContext): Promise<{ api: RunningProcess; disk: SmallDisk }> {
  let started: RunningProcess | null = null;
  const disk = smallDisk(t, SIZE, () => started?.child ?? null);
  const api = await startProcess(t, disk.folder);
  started = api;
  return { api, disk };
}

test('on a full disk under load, changes answer 503, reads and downloads work, and no acknowledged change is lost; with space, all recovers', async (t) => {
  const { api, disk } = await startOnDisk(t);
  const { license_key: limited } = await api.license({ activations_limit: 40 });
  const { token } = await api.activation(limited);
  const { id } = await api.software({ access: 'public' });
  await api.release(id);
  const { download_url: address } = await api.ok('GET', `/software/${id}`);
  const load = startLoad(t, [api], CLIENTS, limited, ANSWERED_MS);
  const count = (wanted: number) => load.asked.filter(({ status }) => status === wanted).length;
  for (let round = 0; round < 2; round++) {
    const [done, refused] = [count(200), count(503)];
    await until(() => count(200) > done + 100);
    disk.fill();
    await until(() => count(503) > refused + 20);
    for (let i = 0; i < 30; i++) {
      await api.ok('GET', `/licenses/validate/${token}`);
      await api.ok('GET', `/licenses/${limited}`);
      assert.equal(await (await fetch(address)).text(), 'bytes');
    }
    assert.equal((await fetch(`${api.origin}/healthz`)).status, 200);
    await until(() => /"msg":"a download is not recorded"/.test(api.output()));
    assert.match(api.output(), /disk[^"]*: (free some space on|check) the disk/);
    disk.free();
  }
  const [done, refused] = [count(200), count(503)];
  await until(() => count(200) > done + 200);
  t.diagnostic(`${count(503) - refused} × 503 after space was freed`);
  await load.stop();
  t.diagnostic(load.summary());
  await api.license();
  await load.verify(api);
  assert.equal(await api.stop(), 0);
  assertWhole(disk.folder);
});

test('an upload to a full disk answers 503 and leaves nothing; it succeeds once there is space', async (t) => {
  const { api, disk } = await startOnDisk(t);
  const { id } = await api.software();
  await api.release(id);
  const file = new File([Buffer.alloc(3 * 1024 ** 2, 7)], 'large.zip');
  const upload = () =>
    api.call('POST', `/software/${id}/releases`, { multipart: { version: '2.0.0', file } });
  const incoming = () =>
    readdirSync(join(disk.folder, 'artifacts', 'incoming')).filter((name) => !name.endsWith('.lock'));
  // The disk fills during the upload, and is full from the beginning.
  for (const kib of [1_000, 0]) {
    disk.fill(kib);
    for (let i = 0; i < 3; i++) assertBusy(await upload());
    assert.deepEqual(incoming(), []);
    await until(() => /StorageUnavailable/.test(api.output()));
    disk.free();
  }
  assert.equal((await upload()).status, 200);
  assert.deepEqual(incoming(), []);
});

test('generating many keys on a full disk answers 503 and saves none; it saves all once there is space', async (t) => {
  const { api, disk } = await startOnDisk(t);
  const { id } = await api.generator();
  const generate = (amount: number) =>
    api.call('POST', `/generators/${id}/generate`, { json: { amount, save: true } });
  disk.fill(1_500);
  assertBusy(await generate(20_000));
  assert.equal((await api.ok('GET', '/licenses')).length, 0);
  disk.free();
  assert.equal((await generate(500)).status, 200);
  assert.equal((await api.call('GET', '/licenses')).headers.get('x-wp-total'), '500');
  assert.equal(await api.stop(), 0);
  assertWhole(disk.folder);
});

test('a first start on a full disk prints the reason and leaves nothing that blocks a later start', async (t) => {
  for (const kib of [0, 4, 8, 24, 64, 160, 320]) {
    const disk = smallDisk(t, 2, () => null);
    disk.fill(kib);
    const env = { LATCHKEY_DATA_DIR: disk.folder, LATCHKEY_PORT: '0' };
    const { code, stderr } = await runLatchkey(['migrate'], { env, through: disk.through });
    if (code !== 0) {
      assert.equal(code, 3, stderr);
      assert.match(
        stderr,
        /^error: [^\n]*(free some space on the disk|No space is left on the disk|check the disk)[^\n]*\n$/i,
      );
    }
    t.diagnostic(`${kib} KiB: ${code} ${stderr.trim().replaceAll(disk.folder, '')}`);
    disk.free();
    const { folder } = disk;
    const left = existsSync(folder) ? readdirSync(folder) : [];
    assert.deepEqual(
      left.filter((name) => !/^(latchkey\.db(-wal|-shm)?|master\.key)$/.test(name)),
      [],
    );
    const api = await startService(t, { dataDir: folder });
    await api.license();
    await api.stop();
    assertWhole(folder);
  }
});

test('a server with a full disk for its log keeps serving, and later log lines are intact', async (t) => {
  const disk = smallDisk(t, SIZE, () => child);
  const credentials = makeCredentials();
  const port = await freePort();
  // The data is on another disk.
  const data = smallDisk(t, SIZE, () => null);
  disk.fill(64);
  const log = join(dirname(disk.folder), 'log');
  const env = {
    ...cleanEnvironment(),
    LATCHKEY_DATA_DIR: data.folder,
    LATCHKEY_PORT: String(port),
    LATCHKEY_CONSUMER_KEY: credentials.consumerKey,
    LATCHKEY_CONSUMER_SECRET: credentials.consumerSecret,
  };
  const child = spawn(process.execPath, [...PROGRAM, 'serve'], {
    env,
    stdio: ['ignore', openSync(log, 'a'), 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const origin = `http://127.0.0.1:${port}`;
  await until(() =>
    fetch(`${origin}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const api = createApi(`${origin}/wp-json/dlm/v1`, credentials);
  const size = () => readFileSync(log).length;
  for (let last = -1; last !== size(); ) {
    last = size();
    for (let i = 0; i < 200; i++) await api.ok('GET', '/licenses');
  }
  disk.free();
  const before = readFileSync(log, 'utf8');
  for (let i = 0; i < 50; i++) await api.ok('GET', '/licenses');
  await until(() => size() > before.length + 50 * 100);
  t.diagnostic(`the log ended with ${JSON.stringify(before.slice(-20))}`);
  // The truncated line is completed.
  const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
  for (const line of lines.filter((one) => one.startsWith('{'))) assert.equal(JSON.parse(line).level, 'info');
  const started = before.slice(before.lastIndexOf('\n') + 1);
  assert.ok(lines.some((line) => line.startsWith(started)));
});

test('a restore whose rows would fill the disk, and a backup that would leave less than 100 MiB, stop and leave nothing', async (t) => {
  if (!canMount) return t.diagnostic('no file system can be mounted here');
  const disk = smallDisk(t, 112, () => null);
  const [dataDir, at] = [join(temporaryFolder(), 'data'), temporaryFolder()];
  const env = { LATCHKEY_DATA_DIR: dataDir };
  await runLatchkey(['license', 'create', '--license-key', 'A'], { env });
  await runLatchkey(['backup', '--to', join(at, 'whole.tar')], { env });
  const entries = withRows(await entriesIn(join(at, 'whole.tar')), 'meta', (lines, columns) => {
    for (let nth = 10; nth < 40; nth++) {
      const values: Record<string, string> = { name: `z${nth}`, value: 'a'.repeat(1024 ** 2) };
      lines.push(columns.map((column) => values[column]));
    }
  });
  const file = await pack(join(at, 'bomb.tar'), entries, true);
  assert.ok(statSync(file).size < 1024 ** 2);
  disk.fill(24 * 1024);
  const key = ['--master-key-file', join(dataDir, 'master.key')];
  const { code, stderr } = await runLatchkey(['restore', file, ...key], {
    env: { LATCHKEY_DATA_DIR: disk.folder },
  });
  assert.equal(code, 3, stderr);
  assert.match(stderr, /^error: Nothing was restored: the disk is too small: its rows need more space than/);
  assert.ok(!existsSync(disk.folder));
  disk.free();

  // One of two files fits: a backup leaves 100 MiB.
  const zip = join(at, 'a.zip');
  await runLatchkey(['software', 'create', '--name', 'Acme'], { env });
  for (const version of ['1', '2']) {
    writeFileSync(zip, Buffer.alloc(8 * 1024 ** 2, version));
    const args = ['release', 'publish', '--software', '1', '--version', version, zip];
    assert.equal((await runLatchkey(args, { env })).code, 0);
  }
  const refused = await runLatchkey(['backup', '--to', disk.folder], { env });
  assert.equal(refused.code, 3, refused.stderr);
  assert.match(
    refused.stderr,
    /^error: No backup was made: the disk is too small: .* leave less than 100 MiB on the disk of .*, which has 10\d MiB left\. Remove old backups/,
  );
  assert.deepEqual(readdirSync(disk.folder), []);
});

test('a restore, a move and a key file that do not fit on the disk say what is not done, and leave nothing', async (t) => {
  if (!canMount) return t.diagnostic('no file system can be mounted here');
  const disk = smallDisk(t, 8, () => null);
  const [dataDir, at] = [join(temporaryFolder(), 'data'), temporaryFolder()];
  const env = { LATCHKEY_DATA_DIR: dataDir };
  const [zip, file] = [join(at, 'a.zip'), join(at, 'whole.tar')];
  writeFileSync(zip, Buffer.alloc(4 * 1024 ** 2, 1));
  for (const args of [
    ['software', 'create', '--name', 'Acme'],
    ['release', 'publish', '--software', '1', '--version', '1', zip],
    ['backup', '--to', file],
  ])
    assert.equal((await runLatchkey(args, { env })).code, 0);
  const to = disk.folder;
  const restore = ['restore', file, '--data-dir', to, '--master-key-file', join(dataDir, 'master.key')];
  const full = 'master\\.key: no space is left on the disk\\. Free some and try again\\.\\n$';
  for (const [kib, args, words] of [
    [
      2_048,
      restore,
      '^error: Nothing was restored\\. The storage for release files cannot be used: ENOSPC[^\\n.]*\\.\\n$',
    ],
    [0, restore, `^error: Nothing was restored\\. [^\\n]*${full}`],
    [0, ['move', '--to', `sqlite:${to}`], full],
    [0, ['signing-key', 'export-root', to], full.replace('master\\.key', to)],
  ] as const) {
    disk.fill(kib);
    const { code, stderr } = await runLatchkey([...args], { env });
    assert.equal(code, 3, stderr);
    assert.match(stderr, new RegExp(words));
    assert.ok(!existsSync(to), args[0]);
    disk.free();
  }
});
