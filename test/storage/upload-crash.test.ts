import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeCredentials } from '../../src/app/api-keys/credentials.ts';
import { createCli } from '../cli/cli.ts';
import { migratedFolder } from '../support/engine.ts';
import { basicHeader, type Record_ } from '../support/http/api.ts';
import { type RunningProcess, startProcess } from '../support/process.ts';

const SIZE = 4 * 1024 * 1024;
/**
 * The part of an upload that is sent before the kill. Past 1, the kill comes some milliseconds after the whole
 * upload.
 */
const MOMENTS = [0.5, 1, 1.005, 1.02, 1.04];

/** Sends an upload up to a moment, then kills the process. Returns whether the upload was answered 200 by then. */
async function uploadUntil(
  api: RunningProcess,
  path: string,
  version: string,
  moment: number,
): Promise<boolean> {
  const body = Buffer.concat([
    Buffer.from(`--x\r\ncontent-disposition: form-data; name="version"\r\n\r\n${version}\r\n`),
    Buffer.from('--x\r\ncontent-disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'),
    randomBytes(SIZE),
    Buffer.from('\r\n--x--\r\n'),
  ]);
  const url = new URL(api.root + path);
  const socket = connect(Number(url.port), url.hostname);
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.on('error', () => {});
  socket.write(
    `POST ${url.pathname} HTTP/1.1\r\nhost: x\r\nauthorization: ${basicHeader(api.credentials)}\r\n` +
      `content-type: multipart/form-data; boundary=x\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  await new Promise<void>((resolve) => {
    socket.write(body.subarray(0, Math.floor(body.length * Math.min(moment, 1))), () => resolve());
  });
  const until = performance.now() + (moment - 1) * 1_000;
  while (performance.now() < until && answer === '') await new Promise((resolve) => setImmediate(resolve));
  const done = answer.startsWith('HTTP/1.1 200');
  await api.stop('SIGKILL');
  socket.destroy();
  return done;
}

/** Returns all files below a folder except locks. */
const filesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
        .map((entry) => join(entry.parentPath, entry.name))
    : [];

test('after kills during uploads, latchkey doctor --fix leaves the files of releases and no others', async (t) => {
  const dataDir = await migratedFolder();
  const credentials = makeCredentials();
  const artifacts = join(dataDir, 'artifacts');
  const answered: string[] = [];
  let path = '';
  for (const [i, moment] of MOMENTS.entries()) {
    const api = await startProcess(t, dataDir, { credentials });
    if (path === '') path = `/software/${(await api.software()).id}/releases`;
    if (await uploadUntil(api, path, `1.${i}`, moment)) answered.push(`1.${i}`);
    const stdout = await createCli(dataDir).ok(['doctor', '--fix']);
    assert.match(stdout, /ok +Leftovers/);
    assert.deepEqual(filesIn(join(artifacts, 'incoming')), [], stdout);
  }
  const api = await startProcess(t, dataDir, { credentials });
  const releases: Record_[] = await api.ok('GET', path);
  const hashes = filesIn(artifacts).map((file) =>
    createHash('sha256').update(readFileSync(file)).digest('hex'),
  );
  assert.deepEqual(hashes.sort(), releases.map(({ sha256 }) => sha256).sort());
  for (const version of answered)
    assert.ok(
      releases.some((one) => one.version === version),
      version,
    );
});
