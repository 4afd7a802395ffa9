import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pino } from 'pino';
import { chainEntries, REACH } from '../../src/app/audit/audit-chain.ts';
import { METRICS_CONNECTIONS, metricsServer } from '../../src/http/metrics.ts';
import { readFigures } from '../../src/installation/figures.ts';
import { keepHouse } from '../../src/server/housekeeping.ts';
import { noFailures } from '../../src/server/job-failures.ts';
import { signedIn } from '../support/console/console.ts';
import { ENGINE } from '../support/engine.ts';
import { newKey } from '../support/http/api.ts';
import { toldBy } from '../support/http/lines.ts';
import { metricsOf, type Page } from '../support/metrics.ts';
import { ROOT } from '../support/program.ts';
import { startService, storeConfig } from '../support/service.ts';
import { until } from '../support/until.ts';

const TOKEN = 'a-token-for-metrics';
const HOUR_MS = 3_600_000;
/** The number of milliseconds by which the clock of the service is ahead. */
let ahead = 0;
const api = await startService(
  { after },
  { clock: () => Date.now() + ahead, server: { metricsToken: TOKEN, failureLimit: 20 } },
);
const url = `http://127.0.0.1:${api.port}/metrics`;
const ask = (token: string | null) =>
  fetch(url, { headers: token === null ? {} : { authorization: `Bearer ${token}` } });

/** Returns the page once it counts an answer: the server counts an answer after its last byte. */
async function pageWith(series: string, value: number): Promise<Page> {
  let page = await metricsOf(url, TOKEN);
  await until(async () => {
    page = await metricsOf(url, TOKEN);
    return page.value(series) === value;
  });
  return page;
}

test('metrics count requests by route pattern, refusals by reason, and activations, validations and deactivations', async () => {
  const { license_key: key } = await api.license({ activations_limit: 1 });
  const { token } = await api.activation(key);
  for (let i = 0; i < 3; i++) await api.ok('GET', `/licenses/validate/${token}`);
  await api.fails(404, 'license_activation_limit_reached', 'GET', `/licenses/activate/${key}`);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  for (const path of ['/nowhere', `/nowhere/${newKey()}`]) await api.fails(404, 'rest_no_route', 'GET', path);
  const page = await pageWith('latchkey_http_requests_total{method="any",route="unknown",status="404"}', 2);
  const validate = 'method="GET",route="/wp-json/dlm/v1/licenses/validate/:activation_token"';
  const activate = 'method="GET",route="/wp-json/dlm/v1/licenses/activate/:license_key"';
  const expected = {
    [`latchkey_http_requests_total{${validate},status="200"}`]: 3,
    [`latchkey_http_request_duration_seconds_count{${validate}}`]: 3,
    [`latchkey_http_request_duration_seconds_bucket{${validate},le="+Inf"}`]: 3,
    [`latchkey_http_requests_total{${activate},status="200"}`]: 1,
    [`latchkey_http_requests_total{${activate},status="404"}`]: 1,
    'latchkey_refusals_total{reason="activation_limit_reached"}': 1,
    'latchkey_refusals_total{reason="no_route"}': 2,
    latchkey_activations_total: 1,
    latchkey_validations_total: 3,
    latchkey_deactivations_total: 1,
    latchkey_licenses: 1,
    latchkey_ready: 1,
    latchkey_changes_pending: 0,
    'latchkey_job_failures_total{name="backup"}': 0,
  };
  for (const [series, value] of Object.entries(expected)) assert.equal(page.value(series), value, series);
  assert.ok((page.value(`latchkey_http_request_duration_seconds_sum{${validate}}`) ?? 0) > 0);
  assert.ok((page.value('latchkey_disk_free_bytes') ?? 0) > 0);
});

test('an answer that fails after its first line counts as a refusal', async () => {
  const manager = await signedIn(api, 'manager');
  const { id } = await api.generator({ charset: '0123456789', chunks: 1, chunk_length: 4 });
  const { error } = await toldBy(
    await manager.fetch(`/generators/${id}/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount: 10_001 }),
    }),
  );
  assert.equal(error?.data.status, 422);
  assert.equal((await metricsOf(url, TOKEN)).value('latchkey_refusals_total{reason="keys_exhausted"}'), 1);
});

test('the lag of the audit chain is the age of its oldest unchained entry', async () => {
  const lag = async () => Number((await metricsOf(url, TOKEN)).value('latchkey_audit_chain_lag_seconds'));
  await api.license();
  ahead = 100_000;
  await api.license();
  assert.ok((await lag()) >= 100);
  await chainEntries(api.service, REACH.often);
  assert.equal(await lag(), 0);
  ahead = 0;
});

test('metrics describe the engine: commits of the writer thread, or pools of connections', async () => {
  const before = await metricsOf(url, TOKEN);
  for (let i = 0; i < 3; i++) await api.license();
  const page = await metricsOf(url, TOKEN);
  const more = (series: string) => (page.value(series) ?? 0) - (before.value(series) ?? 0);
  const [sqlite, postgres] = [ENGINE === 'sqlite', ENGINE === 'postgres'];
  // Background jobs commit, too.
  assert.equal(more('latchkey_commit_duration_seconds_count') >= 3, sqlite);
  assert.equal(more('latchkey_commit_duration_seconds_sum') > 0, sqlite);
  assert.equal(more('latchkey_commit_changes_sum') >= 3, sqlite);
  assert.equal(page.value('latchkey_pool_connections_max{pool="changes"}'), postgres ? 5 : undefined);
  assert.equal((page.value('latchkey_pool_connections{pool="changes",state="idle"}') ?? 0) > 0, postgres);
  assert.equal(page.value('latchkey_pool_waiting{pool="lists"}'), postgres ? 0 : undefined);
});

test('the age of the newest backup is absent without a backup', async () => {
  assert.equal((await metricsOf(url, TOKEN)).value('latchkey_backup_age_seconds'), undefined);
  const folder = join(api.dataDir, 'backups');
  mkdirSync(folder);
  for (const hours of [-1, 5, 9]) {
    const when = new Date(Date.now() - hours * HOUR_MS).toISOString();
    writeFileSync(join(folder, `latchkey-${when.slice(0, 19).replace(/[-:]/g, '')}Z.tar`), '');
  }
  const age = Number((await metricsOf(url, TOKEN)).value('latchkey_backup_age_seconds'));
  assert.ok(age >= 5 * 3_600 && age < 6 * 3_600, String(age));
});

test('docs/operate/monitoring.md lists exactly the metrics served, and the dashboard and alerts use no others', async () => {
  const { names } = await metricsOf(url, TOKEN);
  const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const docs = read('docs/operate/monitoring.md');
  const table = docs.slice(docs.indexOf('## The metrics'));
  const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => `${cell}`.match(/\w+/g) ?? []);
  assert.deepEqual(cells.toSorted(), names.toSorted());

  const alerts = read('deploy/prometheus/alerts.yml');
  const used = [alerts, read('deploy/grafana/latchkey.json'), docs].flatMap(
    (text) => text.match(/\b(latchkey|nodejs|process)_[a-z0-9_]+\b/g) ?? [],
  );
  const series = names.flatMap((name) => [
    name,
    ...['bucket', 'sum', 'count'].map((part) => `${name}_${part}`),
  ]);
  assert.deepEqual(
    used.filter((name) => !series.includes(name)),
    [],
  );

  // Two rules divide the jobs between them.
  const jobs = [...alerts.matchAll(/\{name[!=]~"(.*?)"\}/g)].map(([, names]) => `${names}`.split('|'));
  assert.equal(jobs.length, 2);
  assert.deepEqual(jobs[0], jobs[1]);
  assert.deepEqual(
    jobs[0]?.filter((job) => !(job in noFailures())),
    [],
  );

  const alertNames = [...alerts.matchAll(/^ {6}- alert: (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(
    [...docs.matchAll(/^\| `(Latchkey\w+)` \|/gm)].map(([, name]) => name),
    alertNames,
  );
  for (const annotation of ['summary', 'description', 'action'])
    assert.equal(
      alerts.match(new RegExp(`^ {10}${annotation}: `, 'gm'))?.length,
      alertNames.length,
      annotation,
    );
});

test('the filters of the alerts and the dashboard match what programs ask, in each API, and nothing of the console', async () => {
  const { id, license_key: key } = await api.license();
  const { token } = await api.activation(key);
  await api.ok('GET', `/licenses/validate/${token}`);
  const asked = { method: 'POST', headers: { authorization: `Bearer ${token}` } };
  await fetch(`http://127.0.0.1:${api.port}/client/v1/validate`, asked);
  await (await signedIn(api, 'manager')).fetch(`/licenses/${id}`);
  const ofPrograms = ['/wp-json/dlm/v1/licenses/validate/:activation_token', '/client/v1/validate'];
  const routes = [...ofPrograms, '/console/api/licenses/:license_id'];
  await until(async () => {
    const page = await (await ask(TOKEN)).text();
    return routes.every((route) => page.includes(`route="${route}"`));
  });
  const files = ['deploy/prometheus/alerts.yml', 'deploy/grafana/latchkey.json'];
  const filters = files.flatMap((file) => [
    ...readFileSync(join(ROOT, file), 'utf8').matchAll(/\broute=~\\?"(.*?)\\?"/g),
  ]);
  assert.equal(filters.length, 5);
  // Prometheus matches the whole label.
  for (const [, filter] of filters)
    assert.deepEqual(
      routes.filter((route) => new RegExp(`^(?:${filter})$`).test(route)),
      ofPrograms,
    );
});

test('metrics show an unavailable database and count failed jobs; without the settings there are no metrics', async (t) => {
  const other = await startService(t);
  await other.service.store.close();
  const figures = await readFigures(storeConfig(other.dataDir), other.service);
  const { diskFree, ...rest } = figures;
  assert.ok(diskFree);
  assert.deepEqual(rest, {
    isReady: false,
    licenses: null,
    chainLag: null,
    certificateLeft: null,
    stoppedEndpoints: null,
    backupAge: null,
  });
  const failures = noFailures();
  const warnings: object[] = [];
  const log = { warn: (about: object) => void warnings.push(about), info: () => {} };
  await keepHouse(other.service, { downloadDays: 1, eventDays: 30, trashDays: 30 }, log as never, {
    failures,
  });
  assert.deepEqual(
    [failures.sessions, failures.audit_chain, failures.downloads, failures.backup],
    [1, 1, 1, 0],
  );
  assert.ok(warnings.some((about) => 'job' in about && about.job === 'sessions'));
  // Without the settings, `/metrics` is answered like any unknown path.
  for (const headers of [{}, { authorization: 'Bearer x' }]) {
    const [metrics, nowhere] = await Promise.all(
      ['metrics', 'nowhere'].map(async (path) => {
        const answer = await fetch(`http://127.0.0.1:${other.port}/${path}`, { headers });
        return [answer.status, await answer.text()];
      }),
    );
    assert.deepEqual(metrics, nowhere);
  }
});

test('metrics need the token; a wrong token counts as a failure, a missing token does not', async () => {
  for (let i = 0; i < 30; i++) assert.equal((await ask(null)).status, 401);
  const statuses: number[] = [];
  for (let i = 0; i < 25; i++) {
    const answer = await ask(i % 2 === 0 ? `${TOKEN}x` : TOKEN.toUpperCase());
    statuses.push(answer.status);
    if (i > 0) continue;
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer realm="Latchkey"');
    assert.equal(((await answer.json()) as { message: string }).message, 'The bearer token is wrong.');
  }
  assert.equal(statuses[0], 401);
  assert.equal(statuses.at(-1), 429);
  assert.equal(
    (await metricsOf(url, TOKEN)).value('latchkey_refusals_total{reason="bearer_token_refused"}'),
    30 + statuses.filter((status) => status === 401).length,
  );
});

test('the metrics port accepts a limited number of connections', async (t) => {
  const server = metricsServer(pino({ level: 'silent' }), { page: async () => 'page' });
  t.after(() => server.close());
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  const open = async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  };
  const idle = await Promise.all(Array.from({ length: METRICS_CONNECTIONS }, open));
  // The server closes this connection at once; otherwise it would answer.
  const further = await open();
  further.write('GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  further.on('error', () => {});
  let answer = '';
  further.on('data', (data) => {
    answer += data;
  });
  await new Promise((resolve) => further.on('close', resolve));
  assert.equal(answer, '');
  for (const socket of idle) socket.destroy();
  await until(
    async () => (await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null))?.status === 200,
  );
});
