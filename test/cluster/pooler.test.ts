import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ApiKey } from '../../src/domain/api-key.ts';
import { openCaches } from '../../src/store/postgres/caches.ts';
import { WRONG_COUNTS } from '../support/faults/integrity.ts';
import { type Api, newKey } from '../support/http/api.ts';
import { everyRoute } from '../support/http/every-route.ts';
import { createCluster, pause, serverOfFile, single } from '../support/postgres/cluster.ts';
import { startPgBouncer } from '../support/postgres/pgbouncer.ts';
import { revokeOnCommandLine, shownRefused } from '../support/postgres/revocation.ts';

const CHECK = fileURLToPath(new URL('../../../shared/contract/check.mjs', import.meta.url));
const ADVICE = /LATCHKEY_DATABASE_POOLER=yes/;
const server = await serverOfFile();
const url = await startPgBouncer(server);
const LENIENT = {
  ignore_startup_parameters: 'statement_timeout, lock_timeout, idle_in_transaction_session_timeout',
};
const POOLED = { LATCHKEY_DATABASE_POOLER: 'yes' };

test('behind PgBouncer in transaction mode, nodes that start concurrently migrate, and every route works under load', async (t) => {
  const cluster = await createCluster(t, server, { url, env: POOLED });
  const nodes = await cluster.nodes(3);
  const [first] = nodes;
  const { id: software } = await first.software();
  const { id: generator } = await first.generator();
  await Promise.all(
    Array.from({ length: 24 }, (_, i) => everyRoute(nodes[i % 3] as Api, software, generator)),
  );
  const key = newKey();
  await first.license({ license_key: key, activations_limit: 5 });
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => (nodes[i % 3] as Api).call('GET', `/licenses/activate/${key}`)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 5);
  assert.equal(answers.filter(({ status }) => status === 404).length, 55);
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
  for (const node of nodes) assert.doesNotMatch(node.output(), /the request failed/);
});

test('behind PgBouncer the contract check passes', async (t) => {
  if (!existsSync(CHECK)) return t.skip('no ../shared/contract/check.mjs beside this repository');
  const cluster = await createCluster(t, server, { url, env: POOLED });
  const { root, credentials } = await cluster.node();
  const args = ['--root', root, '--key', credentials.consumerKey, '--secret', credentials.consumerSecret];
  const { stdout } = await promisify(execFile)(process.execPath, [CHECK, ...args]).catch((error) => error);
  assert.match(stdout.trimEnd().split('\n').at(-1), /^[1-9]\d* passed, 0 failed$/, stdout);
});

test('behind PgBouncer every node refuses a revoked API key within a second', async (t) => {
  const cluster = await createCluster(t, server, { url, env: POOLED });
  const nodes = await cluster.nodes(2);
  await shownRefused(t, cluster, nodes, (id) => revokeOnCommandLine(cluster, id));
});

test('without the pooler setting a start fails and names the setting', async (t) => {
  const cluster = await createCluster(t, server, { url });
  await assert.rejects(cluster.node(), ADVICE);
});

test('if PgBouncer ignores unknown parameters, the failure still names the setting', async (t) => {
  const lenient = await startPgBouncer(server, LENIENT);
  const cluster = await createCluster(t, server, { url: lenient });
  const output = await cluster.node().then(
    async (node) => {
      const json = { valid_for: 0, status: 3, activations_limit: 0 };
      const create = () => node.call('POST', '/licenses', { json: { ...json, license_key: newKey() } });
      for (const { status } of await Promise.all(Array.from({ length: 60 }, create)))
        assert.ok(status === 200 || status === 503, `${status}`);
      return node.output();
    },
    (error) => error.message,
  );
  assert.match(output, ADVICE);
});

test('a node never trusts PgBouncer to forward notifications about API keys, whatever the settings', async (t) => {
  const lenient = await startPgBouncer(server, LENIENT);
  let count = 0;
  const findByHash = async () => {
    count++;
    return { id: 1 } as ApiKey;
  };
  const reads = { apiKeys: { findByHash }, events: { wanted: async () => new Set<string>() } };
  const caches = openCaches(reads, { url: lenient('postgres'), pooler: false });
  t.after(() => caches.close());
  // Long enough for the cache to listen, and to keep the API key if it trusted the connection.
  for (let i = 1; i <= 4; i++, await pause(600)) {
    await caches.apiKeys.findByHash(new Uint8Array(32));
    assert.equal(count, i);
  }
});
