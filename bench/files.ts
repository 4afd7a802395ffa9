import { execFileSync } from 'node:child_process';
import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { memory } from './run/cpu.ts';
import { startService } from './run/processes.ts';
import { AUTHORIZATION as authorization, CREDENTIALS } from './run/session.ts';
import { median } from './run/turns.ts';

/**
 * Measures how fast releases upload and download, and how much memory that takes: `npm run measure:files`. Needs 6 GiB
 * of disk. The ratios compare with `cp` and with a bare static file server of Node.js, on the same file in the same
 * run.
 */
const MIB = 1024 ** 2;
const ROUNDS = 3;
const PARALLEL = 50;
const folder = mkdtempSync(join(tmpdir(), 'latchkey-files-'));

function makeFile(name: string, bytes: number): string {
  const path = join(folder, name);
  const opened = openSync(path, 'w');
  for (let at = 0; at < bytes; at += MIB) writeSync(opened, randomFillSync(Buffer.allocUnsafe(MIB)));
  return path;
}

async function seconds(run: () => Promise<unknown> | unknown): Promise<number> {
  const start = performance.now();
  await run();
  return (performance.now() - start) / 1_000;
}
/** Returns the median over `ROUNDS` rounds. */
async function medianSeconds(run: () => Promise<unknown> | unknown): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) times.push(await seconds(run));
  return median(times);
}

// biome-ignore lint/suspicious/noExplicitAny: answers of the API
async function call(path: string, body?: object): Promise<any> {
  const response = await fetch(root + path, {
    headers: { authorization, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text).data;
}

async function upload(softwareId: number, version: string, path: string): Promise<void> {
  const head = Buffer.from(
    `--x\r\ncontent-disposition: form-data; name="version"\r\n\r\n${version}\r\n` +
      `--x\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\ncontent-type: application/zip\r\n\r\n`,
  );
  const tail = Buffer.from('\r\n--x--\r\n');
  const sent = request(`${root}/software/${softwareId}/releases`, {
    method: 'POST',
    // Open a new connection: the server may have closed a kept one while this process was waiting.
    agent: false,
    headers: {
      authorization,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': head.length + statSync(path).size + tail.length,
    },
  });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  sent.write(head);
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    if (!sent.write(chunk)) await once(sent, 'drain');
  }
  sent.end(tail);
  const [answer] = await answered;
  const text = Buffer.concat(await answer.toArray()).toString();
  if (answer.statusCode !== 200) throw new Error(`upload: ${answer.statusCode} ${text}`);
}

/** Returns the number of bytes received. */
async function download(url: string): Promise<number> {
  const sent = request(url, { agent: false }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let bytes = 0;
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  await once(answer, 'end');
  if (answer.statusCode !== 200) throw new Error(`${url}: ${answer.statusCode}`);
  return bytes;
}

const residentMiB = (pid: number): number => memory(pid).now;

/** Returns the highest resident memory of a process during `run`, in MiB. */
async function peak(pid: number, run: () => Promise<unknown>): Promise<number> {
  let highest = residentMiB(pid);
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMiB(pid));
  }, 20);
  await run();
  clearInterval(timer);
  return highest;
}

const settings = { LATCHKEY_DATA_DIR: join(folder, 'data'), ...CREDENTIALS };
const service = await startService(settings, join(folder, 'log'));
const { pid } = service;
const { LATCHKEY_CONSUMER_KEY, LATCHKEY_CONSUMER_SECRET } = CREDENTIALS;
const root = `http://127.0.0.1:${service.port}/wp-json/dlm/v1`;
const bare = createServer((incoming, response) => {
  const path = join(folder, incoming.url ?? '');
  response.writeHead(200, { 'content-length': statSync(path).size });
  createReadStream(path).pipe(response);
}).listen(0, '127.0.0.1');
await once(bare, 'listening');
try {
  const { port } = bare.address() as { port: number };
  const { id } = await call('/software', { name: 'Measure' });
  await call('/licenses', { license_key: 'M', valid_for: 0, status: 3, activations_limit: 0 });
  const { token } = await call(`/licenses/activate/M?software=${id}`);

  const middle = makeFile('middle', 500 * MIB);
  const copied = await medianSeconds(() => execFileSync('cp', [middle, `${middle}.copy`]));
  const synced = await medianSeconds(() =>
    execFileSync('sh', ['-c', `cp ${middle} ${middle}.copy && sync ${middle}.copy`]),
  );
  const hashed = await seconds(() => execFileSync('sha512sum', [middle]));
  let version = 0;
  const uploaded = await medianSeconds(() => upload(id, `0.${version++}`, middle));
  const rate = (time: number) => `${Math.round(500 / time)} MiB/s`;
  console.log(
    `upload of 500 MiB: ${rate(uploaded)}; cp ${rate(copied)}, cp and sync ${rate(synced)}, sha512sum ${rate(hashed)}; ` +
      `time ÷ cp = ${(uploaded / copied).toFixed(1)}, ÷ cp and sync = ${(uploaded / synced).toFixed(1)}`,
  );
  const address = `${root}/software/download/${token}?consumer_key=${LATCHKEY_CONSUMER_KEY}&consumer_secret=${LATCHKEY_CONSUMER_SECRET}`;
  const bareTime = await medianSeconds(() => download(`http://127.0.0.1:${port}/middle`));
  const ours = await medianSeconds(() => download(address));
  console.log(
    `download of 500 MiB: ${rate(ours)}; bare static server of Node.js ${rate(bareTime)}; time ÷ bare = ${(ours / bareTime).toFixed(2)}`,
  );

  const small = makeFile('small', 100 * MIB);
  await upload(id, '1.0', small);
  const before = residentMiB(pid);
  let bytes: number[] = [];
  const during = await peak(pid, async () => {
    bytes = await Promise.all(Array.from({ length: PARALLEL }, () => download(address)));
  });
  await setTimeout(500);
  console.log(
    `${PARALLEL} downloads of 100 MiB at once: ${bytes.filter((one) => one === 100 * MIB).length} whole; resident ${before} MiB before, ${during} at most, ${residentMiB(pid)} after`,
  );

  const large = makeFile('large', 2048 * MIB);
  const most = await peak(pid, async () => {
    const time = await seconds(() => upload(id, '2.0', large));
    console.log(`upload of 2 GiB: ${Math.round(2048 / time)} MiB/s`);
  });
  console.log(`resident during the upload: ${most} MiB at most`);
} finally {
  bare.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
