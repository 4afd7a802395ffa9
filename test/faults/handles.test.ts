import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { migratedFolder } from '../support/engine.ts';
import { assertWhole } from '../support/faults/integrity.ts';
import { temporaryFolder } from '../support/folder.ts';
import { basicHeader } from '../support/http/api.ts';
import { Wire } from '../support/http/wire.ts';
import { type RunningProcess, runLatchkey, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';

/** Files that the server may have open, including connections. */
const HANDLES = 80;
/** The highest share of a processor that an idle server may use. */
const BUSY_MAX = 0.5;

/** Processor time of a process so far, in seconds. */
function processorTime({ child }: RunningProcess): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // The fields are in hundredths of a second on every Linux: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

test(`with ${HANDLES} file handles and more connections, the server answers early clients, does not spin, and recovers`, async (t) => {
  const dataDir = await migratedFolder();
  const through = ['prlimit', `--nofile=${HANDLES}:${HANDLES}`];
  const api = await startProcess(t, dataDir, { through });
  const port = Number(new URL(api.origin).port);
  const { id } = await api.software({ access: 'public' });
  await api.release(id);
  const early = await Wire.open(port);
  const head = `Host: x\r\nAuthorization: ${basicHeader(api.credentials)}\r\n`;
  const ask = async (method: string, path: string, body = '') => {
    const type = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    return early.write(`${method} /wp-json/dlm/v1${path} HTTP/1.1\r\n${head}${type}\r\n${body}`).answer();
  };
  const license = (key: string) =>
    ask(
      'POST',
      '/licenses',
      JSON.stringify({ license_key: key, valid_for: 0, status: 3, activations_limit: 1 }),
    );
  const { download_url: url } = await api.ok('GET', `/software/${id}`);
  assert.equal((await license('BEFORE')).status, 200);

  const crowd: Socket[] = [];
  let refused = 0;
  for (let i = 0; i < 3 * HANDLES; i++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.on('close', () => refused++);
    crowd.push(socket);
  }
  await until(() => refused > HANDLES);
  t.diagnostic(`${refused} of ${crowd.length} connections were closed`);

  // Early connections are served; a request that needs another file may answer 503.
  assert.equal((await license('DURING')).status, 200);
  assert.equal((await ask('GET', '/licenses/BEFORE')).status, 200);
  const path = new URL(url).pathname.replace('/wp-json/dlm/v1', '');
  const download = await ask('GET', path + new URL(url).search);
  assert.ok([200, 503].includes(download.status), String(download.status));
  const form =
    '--b\r\nContent-Disposition: form-data; name="version"\r\n\r\n2.0.0\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\nbytes\r\n--b--\r\n';
  early.write(
    `POST /wp-json/dlm/v1/software/${id}/releases HTTP/1.1\r\n${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
  );
  const uploaded = await early.answer();
  assert.ok([200, 503].includes(uploaded.status), uploaded.body);
  t.diagnostic(`a download: ${download.status}, an upload: ${uploaded.status}`);

  const [since, used] = [performance.now(), processorTime(api)];
  await setTimeout(2_000);
  const share = (processorTime(api) - used) / ((performance.now() - since) / 1_000);
  t.diagnostic(`${Math.round(share * 100)} % of a processor while idle`);
  assert.ok(share < BUSY_MAX);

  for (const socket of crowd) socket.destroy();
  await until(() =>
    api.call('GET', '/licenses').then(
      ({ status }) => status === 200,
      () => false,
    ),
  );
  assert.equal((await fetch(url)).status, 200);
  await api.release(id, { version: '3.0.0' });
  await api.ok('GET', '/licenses/DURING');
  early.close();
  assert.equal(await api.stop(), 0);
  assertWhole(dataDir);
});

test('doctor warns about a limit of open files that is too low', async () => {
  const env = { LATCHKEY_DATA_DIR: temporaryFolder() };
  const { stdout } = await runLatchkey(['doctor'], { env, through: ['prlimit', '--nofile=256:256'] });
  assert.match(stdout, /^warn {2}Open files +at most 256 [^\n]*\n +Raise the limit: [^\n]*ulimit -n/m);
});
