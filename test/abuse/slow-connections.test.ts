import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, type TestContext, test } from 'node:test';
import { migratedFolder } from '../support/engine.ts';
import { basicHeader } from '../support/http/api.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

/** Number of connections of each kind. */
const EACH = 700;
/** Mebibytes of memory that all connections together may take. */
const GROWTH_MAX = 200;

const KINDS: Record<string, (api: RunningProcess) => string> = {
  'connections that send nothing': () => '',
  'connections that send half of their headers': () =>
    `GET /wp-json/dlm/v1/licenses HTTP/1.1\r\nX-Fill: ${'x'.repeat(20_000)}`,
  'connections that send many headers': () => `GET / HTTP/1.1\r\n${'X-Many: 1\r\n'.repeat(2_000)}`,
  'connections that send half of their body': (api) =>
    `POST /wp-json/dlm/v1/licenses/activate/none HTTP/1.1\r\nHost: x\r\nAuthorization: ${basicHeader(api.credentials)}\r\n` +
    `Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"label": "${'x'.repeat(10_000)}`,
  'connections that send a query string of many lists and half of their body': () =>
    `POST /client/v1/validate?${Array.from({ length: 500 }, (_, i) => `a${i}${'[1023]'.repeat(4)}&`).join('')} HTTP/1.1\r\n` +
    'Host: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  'connections that request much and read nothing': () =>
    'GET /docs/yaml HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20),
};

async function opened(t: TestContext, port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.on('error', () => {}).pause();
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  await new Promise((resolve) => {
    socket.once('close', resolve);
    socket.write(bytes, resolve);
  });
  return socket;
}

const residentMb = ({ child }: RunningProcess): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;

const env = { LATCHKEY_LOG_LEVEL: 'warn' };
const api = await startProcess({ after }, await migratedFolder(), { env });
const port = Number(new URL(api.origin).port);
const skip = process.platform !== 'linux';

test(`with ${EACH} slow connections of each kind, the service answers others and its memory stays bounded`, {
  skip,
}, async (t) => {
  const { license_key: key } = await api.license({ activations_limit: 0 });
  const before = residentMb(api);
  for (const [kind, bytesOf] of Object.entries(KINDS)) {
    const bytes = bytesOf(api);
    for (let i = 0; i < EACH; i += 50)
      await Promise.all(Array.from({ length: 50 }, () => opened(t, port, bytes)));
    for (let i = 0; i < 20; i++) await api.activation(key);
    t.diagnostic(`${EACH} ${kind}: ${Math.round(residentMb(api))} MiB`);
  }
  const after = residentMb(api);
  assert.equal(api.child.exitCode, null);
  assert.ok(after - before < GROWTH_MAX, `${Math.round(before)} MiB, then ${Math.round(after)}`);
  await api.ok('GET', `/licenses/${key}`);
});

/** More connections than Node.js asks the kernel to queue (511), fewer than Linux allows (4,096). */
const BURST = 700;

test(`${BURST} clients that connect while the service is busy all get an answer`, { skip }, async (t) => {
  // A stopped process accepts no connections, like a process that is busy with other requests.
  api.child.kill('SIGSTOP');
  t.after(() => api.child.kill('SIGCONT'));
  const sockets = await Promise.all(
    Array.from({ length: BURST }, () =>
      opened(t, port, 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
    ),
  );
  api.child.kill('SIGCONT');
  for (const socket of sockets) {
    const answer = await text(socket);
    assert.match(answer, /^HTTP\/1\.1 200 /);
  }
});
