import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { databaseEnvironment, ENGINE, numberOf } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newKey } from '../support/http/api.ts';
import { exactOf } from '../support/http/shared-limit.ts';
import { metricsOf } from '../support/metrics.ts';
import { runLatchkey } from '../support/process.ts';
import { until } from '../support/until.ts';
import { startWorkers } from '../support/workers.ts';

const WORKERS = 3;
const folder = temporaryFolder();
const api = await startWorkers({ after }, folder, {
  env: { LATCHKEY_METRICS_PORT: '0', LATCHKEY_WORKERS: String(WORKERS) },
});

/** Runs the command line next to the service. */
async function cli(args: string[]) {
  const env = { LATCHKEY_DATA_DIR: folder, ...(await databaseEnvironment(folder)) };
  const { code, stdout, stderr } = await runLatchkey(args, { env });
  assert.equal(code, 0, stderr);
  return stdout;
}

/** Limits per address that 12 connections with 10 requests each exceed. */
const LIMITS = { requests: 60, failures: 40 };
const limited = await startWorkers({ after }, temporaryFolder(), {
  env: {
    LATCHKEY_RATE_LIMIT: String(LIMITS.requests),
    LATCHKEY_FAILURE_LIMIT: String(LIMITS.failures),
    LATCHKEY_TRUST_PROXY: 'yes',
  },
});

test('several workers share one address, and each log line names its worker', async () => {
  const workers = api.workerIds();
  assert.equal(new Set(workers).size, WORKERS);
  const connections = await api.connections();
  const answered = new Set<number>();
  for (const connection of connections) {
    const { status, headers } = await connection.get('/licenses');
    assert.equal(status, 200);
    const isIt = ({ reqId }: { reqId?: string }) => reqId === headers.get('x-request-id');
    await until(() => api.logs().some(isIt));
    answered.add(api.logs().find(isIt)?.pid);
  }
  assert.deepEqual([...answered].sort(), workers.sort());
  for (const path of ['/healthz', '/readyz']) assert.equal((await fetch(api.origin + path)).status, 200);
});

test('an activation limit holds across all workers', async () => {
  const { id, license_key: key } = await api.license({ activations_limit: 25 });
  const connections = await api.connections();
  const answers = await Promise.all(
    connections.map(async (connection) => {
      const got: string[] = [];
      for (let i = 0; i < 10; i++) {
        const { status, json } = await connection.get(`/licenses/activate/${key}`);
        got.push(`${status} ${json().code ?? ''}`);
      }
      return got;
    }),
  );
  const count = (what: string) => answers.flat().filter((one) => one === what).length;
  assert.deepEqual(
    [count('200 '), count('404 license_activation_limit_reached')],
    [25, 10 * connections.length - 25],
  );
  assert.equal(await numberOf(folder, `select count(*) from activations where license_id = ${id}`), 25);
  assert.equal(await numberOf(folder, `select times_activated from licenses where id = ${id}`), 25);
});

test('every worker reports metrics summed over all workers, and limits of one', async () => {
  const url = /metrics are at (\S+)"/.exec(api.output())?.[1] ?? '';
  const limits = readFileSync(`/proc/${api.workerIds()[0]}/limits`, 'utf8');
  const maxFiles = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
  for (let i = 0; i < WORKERS; i++) {
    const page = await metricsOf(url);
    assert.equal(page.value('latchkey_processes'), WORKERS);
    assert.equal(page.value('latchkey_activations_total'), 25);
    assert.equal(page.value('latchkey_refusals_total{reason="activation_limit_reached"}'), 95);
    assert.equal(page.value('latchkey_licenses'), 1);
    assert.equal(page.value('process_max_fds'), maxFiles);
    assert.equal(page.value('latchkey_job_failures_total{name="backup"}'), 0);
  }
  assert.equal((await fetch(url.replace('/metrics', '/healthz'))).status, 404);
});

test('every worker refuses an API key revoked by the command line', async () => {
  const made = JSON.parse(await cli(['api-key', 'create', '--json']));
  const credentials = { consumerKey: made.consumer_key, consumerSecret: made.consumer_secret };
  const connections = await api.connections();
  const ask = () =>
    Promise.all(connections.map(async (one) => (await one.get('/licenses', { credentials })).status));
  const all = (status: number) => connections.map(() => status);
  for (let i = 0; i < 3; i++) assert.deepEqual(await ask(), all(200));
  await cli(['api-key', 'revoke', String(made.id)]);
  // PostgreSQL notifies each process; on SQLite each process polls.
  if (ENGINE === 'postgres') await until(async () => (await ask()).every((status) => status === 401));
  assert.deepEqual(await ask(), all(401));
});

test('the requests of an address are counted across all workers', async () => {
  const connections = await limited.connections();
  const ask = (from: string) =>
    Promise.all(
      connections.map(async (connection) => {
        const got: number[] = [];
        for (let i = 0; i < 10; i++) got.push((await connection.get('/licenses', { from })).status);
        return got;
      }),
    );
  await exactOf(async (from) => {
    const statuses = (await ask(from)).flat();
    const allowed = statuses.filter((status) => status === 200).length;
    if (allowed > LIMITS.requests) return null;
    assert.deepEqual([...new Set(statuses)].sort(), [200, 429]);
    // A worker whose clients have finished may have unused requests of its lease.
    assert.ok(allowed > LIMITS.requests / 2, `allowed ${allowed} of ${LIMITS.requests}`);
    return statuses;
  });
});

test('the failures of an address are counted across all workers', async () => {
  const connections = await limited.connections();
  const guess = (from: string) =>
    Promise.all(
      connections.map(async (connection) => {
        const got: number[] = [];
        const path = `/licenses/activate/${newKey()}`;
        for (let i = 0; i < 10; i++) got.push((await connection.get(path, { from })).status);
        return got;
      }),
    );
  await exactOf(async (from) => {
    const statuses = (await guess(from)).flat();
    const answered = statuses.filter((status) => status === 404).length;
    if (answered > LIMITS.failures) return null;
    assert.deepEqual([...new Set(statuses)].sort(), [404, 429]);
    // A worker whose clients have finished may have unused failures of its lease.
    assert.ok(answered > LIMITS.failures / 2, `answered ${answered} of ${LIMITS.failures}`);
    return statuses;
  }, '198.51.100');
  for (const connection of connections)
    assert.equal((await connection.get('/licenses', { from: '192.0.2.100' })).status, 200);
});

// On SQLite, the crash test does the same.
test('a killed worker is replaced, service continues, and no acknowledged change is lost', {
  skip: ENGINE === 'sqlite',
}, async () => {
  const created: string[] = [];
  let isOver = false;
  const clients = Array.from({ length: 4 * WORKERS }, async () => {
    while (!isOver) {
      const key = newKey();
      const json = { license_key: key, valid_for: 0, status: 3, activations_limit: 1 };
      const answer = await api.call('POST', '/licenses', { json }).catch(() => null);
      // The connections of the killed worker close. On a very busy machine, the database may answer too late.
      if (answer === null || answer.status === 503) continue;
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      created.push(key);
      // Keep the load constant, without saturating the machine.
      await setTimeout(50);
    }
  });
  for (const killed of api.workerIds().slice(0, 2)) {
    const before = api.workerIds().length;
    const more = created.length + 50;
    await until(() => created.length > more);
    process.kill(killed, 'SIGKILL');
    await until(() => api.workerIds().length > before);
    assert.ok(api.logs().some(({ worker, signal }) => worker === killed && signal === 'SIGKILL'));
  }
  const more = created.length + 50;
  await until(() => created.length > more);
  isOver = true;
  await Promise.all(clients);
  for (const key of created) await api.ok('GET', `/licenses/${key}`);
  assert.equal(await api.stop(), 0);
});
