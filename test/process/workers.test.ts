import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { databaseFile } from '../../src/installation/service.ts';
import { createCli } from '../cli/cli.ts';
import { migratedFolder } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { basicHeader, newKey, type Record_ } from '../support/http/api.ts';
import { incomingFiles, storedFiles } from '../support/http/artifacts.ts';
import { BOUNDARY, field, filePart, form } from '../support/http/multipart.ts';
import { freePort } from '../support/postgres/postgres.ts';
import { runLatchkey, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import {
  type Connection,
  isRunning,
  type RunningWorkers,
  startWorkers,
  WORKERS,
} from '../support/workers.ts';

const noCredentials = { LATCHKEY_CONSUMER_KEY: '', LATCHKEY_CONSUMER_SECRET: '' };

/**
 * Sends a request on each connection, without its body. Returns a function that sends the bodies and reads the answers.
 */
async function almostSent(api: RunningWorkers, connections: readonly Connection[]) {
  const requests = connections.map((connection) => {
    const key = newKey();
    const body = JSON.stringify({ license_key: key, valid_for: 0, status: 3, activations_limit: 1 });
    const head = `POST /wp-json/dlm/v1/licenses HTTP/1.1\r\nHost: x\r\nAuthorization: ${basicHeader(api.credentials)}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`;
    connection.write(head);
    return { connection, key, body };
  });
  // A request that was told to continue is pending.
  for (const { connection } of requests) assert.equal((await connection.answer()).status, 100);
  return async (): Promise<string[]> => {
    for (const { connection, body } of requests) connection.write(body);
    for (const { connection } of requests) assert.equal((await connection.answer()).status, 200);
    return requests.map(({ key }) => key);
  };
}

const storedKeys = async (dataDir: string): Promise<string[]> => {
  const { licenses } = await createCli(dataDir).json(['license', 'list']);
  return licenses.map(({ license_key }: Record_) => license_key).sort();
};

const allSay = (api: RunningWorkers, words: string) => () =>
  api
    .workerIds()
    .every((worker) => api.logs().some(({ pid, msg }) => pid === worker && msg?.includes(words)));
const isFinishing = (api: RunningWorkers) => allSay(api, 'finishing pending requests');

const STOPS: [what: string, send: (api: RunningWorkers) => void][] = [
  [
    'SIGINT from a terminal to all processes',
    ({ child, workerIds }) => {
      for (const pid of [child.pid as number, ...workerIds()]) process.kill(pid, 'SIGINT');
    },
  ],
  [
    'Two signals at once, as from a terminal and from npm,',
    ({ child }) => {
      // The system may merge two equal signals.
      for (const signal of ['SIGINT', 'SIGTERM'] as const) child.kill(signal);
    },
  ],
];
for (const [what, send] of STOPS) {
  test(`${what} completes pending requests, keeps their changes, and ends all processes with 0`, async (t) => {
    const dataDir = await migratedFolder();
    const api = await startWorkers(t, dataDir);
    const finish = await almostSent(api, await api.connections());
    const ended = once(api.child, 'exit');
    send(api);
    await until(isFinishing(api));
    const keys = await finish();
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(api.workerIds().filter(isRunning), []);
    assert.deepEqual(
      readdirSync(dataDir).sort(),
      ['latchkey.db', 'master.key'],
      'SQLite must have removed its log',
    );
    assert.deepEqual(await storedKeys(dataDir), keys.sort());
  });
}

test('the primary process removes an SQLite log that its workers could not remove', async (t) => {
  const dataDir = await migratedFolder();
  const api = await startWorkers(t, dataDir);
  const finish = await almostSent(api, await api.connections());
  const reader = new DatabaseSync(databaseFile(dataDir), { readOnly: true });
  reader.prepare('select count(*) from licenses').get();
  const ended = once(api.child, 'exit');
  api.child.kill('SIGTERM');
  await until(isFinishing(api));
  // The primary process must not end before the reader is closed.
  api.child.kill('SIGSTOP');
  await finish();
  await until(allSay(api, 'stopped'));
  reader.close();
  assert.ok(readdirSync(dataDir).includes('latchkey.db-wal'));
  api.child.kill('SIGCONT');
  assert.deepEqual(await ended, [0, null]);
  assert.deepEqual(readdirSync(dataDir).sort(), ['latchkey.db', 'master.key']);
});

test('a later signal ends all processes at once', async (t) => {
  const api = await startWorkers(t, await migratedFolder());
  await almostSent(api, await api.connections());
  const ended = once(api.child, 'exit');
  // Those that come soon after the first one count as its repeats.
  await until(() => {
    api.child.kill('SIGTERM');
    return api.child.exitCode !== null;
  });
  assert.deepEqual(await ended, [1, null]);
  await until(() => !api.workerIds().some(isRunning));
});

test('workers complete their requests and end by themselves if the primary process is killed', async (t) => {
  const dataDir = await migratedFolder();
  const api = await startWorkers(t, dataDir);
  const finish = await almostSent(api, await api.connections());
  await api.stop('SIGKILL');
  await until(isFinishing(api));
  const keys = await finish();
  await until(() => !api.workerIds().some(isRunning));
  const again = await startProcess(t, dataDir, {
    credentials: api.credentials,
    env: { LATCHKEY_PORT: String(api.port) },
  });
  for (const key of keys) await again.ok('GET', `/licenses/${key}`);
});

const settings = join(temporaryFolder(), 'latchkey.env');
writeFileSync(settings, `LATCHKEY_MASTER_KEY=${'a'.repeat(64)}\n`, { mode: 0o600 });
const sharedFolder = temporaryFolder();
/** The service of the tests that kill a worker which is then replaced. */
const shared = await startWorkers({ after }, sharedFolder, { env: { LATCHKEY_CONFIG: settings } });
const oneWorker = () => shared.workerIds().find(isRunning) as number;
/** Kills a worker, and waits until another one listens in its place. */
async function replace(worker: number): Promise<void> {
  const before = shared.workerIds().length;
  process.kill(worker, 'SIGKILL');
  await until(() => shared.workerIds().length > before);
}

test('a connection handed to a worker that is then killed is closed', async () => {
  const worker = oneWorker();
  // The stopped worker is handed a connection and never accepts it.
  process.kill(worker, 'SIGSTOP');
  const answers: string[] = [];
  const ends = Array.from({ length: 2 * WORKERS }, async () => {
    const socket = connect(shared.port, '127.0.0.1');
    socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    let answer = '';
    try {
      for await (const data of socket) answer += data;
    } finally {
      answers.push(answer);
    }
  });
  await until(() => answers.length === 2 * WORKERS - 1);
  assert.ok(answers.every((one) => one.startsWith('HTTP/1.1 200')));
  await Promise.all([replace(worker), Promise.allSettled(ends)]);
  assert.equal(answers.at(-1), '');
});

test('a start that cannot listen says so once, and leaves the first API key for the start that can', async (t) => {
  const dataDir = temporaryFolder();
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  const env = { LATCHKEY_PORT: String(port), LATCHKEY_DATA_DIR: dataDir, LATCHKEY_WORKERS: '3' };
  const { code, stdout, stderr } = await runLatchkey(['serve'], { env });
  assert.equal(code, 3);
  assert.match(stderr, /^error: Port \d+ of 127\.0\.0\.1 is in use by another program\. .*\n$/);
  assert.doesNotMatch(stdout, /c[ks]_/);
  taken.close();

  const api = await startWorkers(t, dataDir, { env: noCredentials });
  const [, consumerKey = '', consumerSecret = '', ...more] =
    /curl -u (ck_\w+):(cs_\w+)/.exec(api.output()) ?? [];
  assert.deepEqual(more, []);
  assert.equal(api.output().match(/listening on http/g)?.length, 1);
  for (const connection of await api.connections()) {
    const { status } = await connection.get('/licenses', { credentials: { consumerKey, consumerSecret } });
    assert.equal(status, 200);
  }
});

test('a worker that is killed while the others still start is replaced', async (t) => {
  const port = await freePort();
  const starting = startWorkers(t, await migratedFolder(), { env: { LATCHKEY_PORT: String(port) } });
  const childrenOf = (pid = 0) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
  await until(answers);
  process.kill(childrenOf(childrenOf(process.pid).at(-1))[0] as number, 'SIGKILL');
  for (const connection of await (await starting).connections())
    assert.equal((await connection.get('/licenses')).status, 200);
});

test('the replacement of a killed worker has the settings of the start, although their file has changed', async () => {
  const { license_key: key } = await shared.license();
  writeFileSync(settings, `LATCHKEY_MASTER_KEY=${'b'.repeat(64)}\nhalf a line`);
  await replace(oneWorker());
  for (const connection of await shared.connections())
    assert.equal((await connection.get(`/licenses/${key}`)).status, 200);
});

test("the replacement of a killed worker removes that worker's partial uploads, and no pending one", async () => {
  const { id } = await shared.software();
  const content = randomBytes(200_000);
  const whole = form(field('version', '1.0.0'), filePart(content));
  const connections = await shared.connections();
  const head = `POST /wp-json/dlm/v1/software/${id}/releases HTTP/1.1\r\nHost: x\r\nAuthorization: ${basicHeader(shared.credentials)}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${whole.length}\r\n\r\n`;
  for (const connection of connections) connection.write(head).write(whole.subarray(0, 100_000));
  await until(() => incomingFiles(sharedFolder).length === connections.length);
  // Leftovers of a process that died long ago.
  const old = ['0123456789ab.lock', '0123456789ab-1'].map((name) =>
    join(sharedFolder, 'artifacts', 'incoming', name),
  );
  for (const file of old) writeFileSync(file, '');

  process.kill(oneWorker(), 'SIGKILL');
  await until(() => !old.some(existsSync));
  const left = incomingFiles(sharedFolder).length;
  assert.ok(left > 0 && left < connections.length, `${left} of ${connections.length} uploads`);
  const answers = connections.map((connection) =>
    connection
      .write(whole.subarray(100_000))
      .answer()
      .then(
        ({ status }) => status,
        () => 0,
      ),
  );
  // All uploads are of one version: the first creates it. Requests to the killed worker get no answer.
  const statuses = (await Promise.all(answers)).filter((status) => status !== 0);
  assert.equal(statuses.length, left);
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.equal(storedFiles(sharedFolder, content).length, 1);
  assert.equal((await shared.ok('GET', `/software/${id}/releases`)).length, 1);
});
