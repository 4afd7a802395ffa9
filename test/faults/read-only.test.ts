import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createCli } from '../cli/cli.ts';
import { type ConsoleClient, consoleClient, cookieOf } from '../support/console/console.ts';
import { assertWhole } from '../support/faults/integrity.ts';
import { startLoad } from '../support/faults/load.ts';
import { canMount } from '../support/faults/namespace.ts';
import { smallDisk } from '../support/faults/small-disk.ts';
import { temporaryFolder } from '../support/folder.ts';
import type { Record_ } from '../support/http/api.ts';
import { type RunningProcess, runLatchkey, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

/** Milliseconds within which every request is answered, even on the slowest machine. */
const ANSWERED_MS = 30_000;
const CLIENTS = 8;

test('a start on a read-only file system fails with a reason, and works once it is writable', async (t) => {
  const disk = smallDisk(t, 12, () => null);
  const first = await startProcess(t, disk.folder);
  await first.license({ license_key: 'KEPT' });
  await first.stop();
  const mount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, dirname(disk.folder)]);
  if (!canMount)
    return t.diagnostic(
      'no file system can be mounted here: test/faults/gone.test.ts does it with permissions',
    );
  mount('ro');
  const env = { LATCHKEY_DATA_DIR: disk.folder, LATCHKEY_PORT: '0' };
  const { code, stderr } = await runLatchkey(['serve'], { env });
  mount('rw');
  assert.equal(code, 3, stderr);
  assert.match(
    stderr,
    /^error: [^\n]*latchkey\.db: the file system is read-only\. Mount it for writing[^\n]*\n$/,
  );
  const again = await startProcess(t, disk.folder, { credentials: first.credentials });
  await again.ok('DELETE', '/licenses/KEPT');
});

/**
 * Returns a disk whose file system can become read-only under open files, as the kernel makes it after an error; null
 * if it cannot be mounted.
 */
function failingDisk(t: TestContext): { folder: string; fail(): void; repair(): void } | null {
  const folder = temporaryFolder();
  const [image, mounted] = [join(folder, 'image'), join(folder, 'disk')];
  mkdirSync(mounted);
  try {
    writeFileSync(image, '');
    truncateSync(image, 48 * 1024 ** 2);
    // Without a journal: Linux 6.18 confirms a pending sync when it aborts the journal, and loses the synced data.
    execFileSync('mkfs.ext4', ['-q', '-O', '^has_journal', image], { stdio: 'ignore' });
    execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, mounted], { stdio: 'ignore' });
  } catch {
    return null;
  }
  t.after(() => execFileSync('umount', ['--lazy', mounted]));
  const device = String(execFileSync('findmnt', ['-no', 'SOURCE', mounted])).trim();
  return {
    folder: join(mounted, 'data'),
    fail: () => writeFileSync(`/sys/fs/ext4/${basename(device)}/trigger_fs_error`, 'by a test'),
    repair() {
      execFileSync('umount', [mounted]);
      // Exit code 1: e2fsck found errors and corrected them.
      spawnSync('e2fsck', ['-p', image]);
      execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, mounted]);
    },
  };
}

/** A console client with a session from before the disk failed. */
async function signIn(api: RunningProcess, dataDir: string): Promise<ConsoleClient> {
  const [email, password] = ['owner@example.test', 'correct horse battery'];
  const flags = ['--email', email, '--name', 'Owner', '--role', 'owner', '--password-stdin'];
  await createCli(dataDir).ok(['user', 'create', ...flags], { input: password });
  const { port } = new URL(api.origin);
  const { headers } = await consoleClient({ port: Number(port) }, { 'x-csrf-token': '1' }).post('/session', {
    email,
    password,
  });
  return consoleClient({ port: Number(port) }, { cookie: cookieOf(headers) });
}

test('on a disk turned read-only under load, changes answer 503, reads and downloads work, doctor says so; no acknowledged change is lost', async (t) => {
  const disk = canMount ? failingDisk(t) : null;
  if (!disk) return t.diagnostic('no ext4 can be mounted here');
  const api = await startProcess(t, disk.folder);
  const browser = await signIn(api, disk.folder);
  const { id } = await api.software({ access: 'public' });
  await api.release(id);
  const { download_url: address } = await api.ok('GET', `/software/${id}`);
  const { license_key: limited } = await api.license({ activations_limit: 40 });
  const { token } = await api.activation(limited);
  const load = startLoad(t, [api], CLIENTS, limited, ANSWERED_MS);
  const count = (wanted: number) => load.asked.filter(({ status }) => status === wanted).length;
  await until(() => count(200) > 100);
  disk.fail();
  await until(() => count(503) > 20);
  for (let i = 0; i < 30; i++) {
    await api.ok('GET', `/licenses/validate/${token}`);
    await api.ok('GET', `/licenses/${limited}`);
  }
  assert.equal(await (await fetch(address)).text(), 'bytes');
  const file = new File(['bytes'], 'a.zip');
  const upload = await api.call('POST', `/software/${id}/releases`, { multipart: { version: '2', file } });
  assert.deepEqual([upload.status, upload.body.code], [503, 'server_error']);
  assert.equal((await fetch(`${api.origin}/healthz`)).status, 200);
  assert.match(api.output(), /check the disk: it may be full, failing, read-only/);
  const env = { LATCHKEY_DATA_DIR: disk.folder };
  const { stdout } = await runLatchkey(['doctor', '--json'], { env });
  assert.match(stdout, /data is on a read-only file system/);
  const { health } = await browser.ok('GET', '/settings');
  const found = health.find(({ check }: Record_) => check === 'disk');
  assert.deepEqual([found.is_good, found.amount], [false, null]);
  await load.stop();
  await api.stop();
  disk.repair();
  const again = await startProcess(t, disk.folder, { credentials: api.credentials });
  await load.verify(again);
  await again.license();
  assert.equal(await again.stop(), 0);
  assertWhole(disk.folder);
});
