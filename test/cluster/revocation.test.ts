import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Credentials } from '../../src/app/credentials.ts';
import { SYSTEM } from '../../src/service.ts';
import type { Api } from '../support/api.ts';
import { type Cluster, createCluster, pause, serverOfFile, single, until } from '../support/cluster.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const NODES = 3;
/** Milliseconds after its commit that a revocation must have reached every node. */
const REACHES_MS = 1_000;
const server = await serverOfFile({ shared_preload_libraries: 'pg_stat_statements' });
await server.query('create extension pg_stat_statements');

/** A new API key, and its id, made on the command line. */
async function makeApiKey(cluster: Cluster): Promise<{ id: number; credentials: Credentials }> {
  const { stdout, stderr } = await cluster.cli(['api-key', 'create', '--json']);
  assert.equal(stderr, '');
  const { id, consumer_key: consumerKey, consumer_secret: consumerSecret } = JSON.parse(stdout);
  return { id, credentials: { consumerKey, consumerSecret } };
}

/** Asks one node again and again with an API key: when each answer was asked for, and whether it was given. */
function askAlways(node: Api, credentials: Credentials) {
  const asked: { at: number; status: number }[] = [];
  let isOver = false;
  const running = (async () => {
    for (; !isOver; await pause(10)) {
      const at = performance.now();
      // A token that nobody has: 404 means that the API key was good.
      const { status } = await node.call('GET', '/licenses/validate/none', { credentials });
      asked.push({ at, status });
    }
  })();
  return {
    asked,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

/** Sees to it that an API key in use on every node is refused by all of them in time, once `revoke` has revoked it. */
async function shownRefused(
  t: TestContext,
  cluster: Cluster,
  nodes: readonly Api[],
  revoke: (id: number) => Promise<void>,
): Promise<void> {
  const { id, credentials } = await makeApiKey(cluster);
  const asking = nodes.map((node) => askAlways(node, credentials));
  // Long enough that it is remembered for being heard of, not for being new.
  await pause(1_000);
  const revoking = revoke(id);
  const isRevoked = `select revoked_at is not null from api_keys where id = ${id}`;
  await until('revoked', async () => (await single(server, cluster.database, isRevoked)) === true);
  const revokedAt = performance.now();
  await pause(REACHES_MS + 300);
  await revoking;

  const took: number[] = [];
  for (const { asked, stop } of asking) {
    await stop();
    assert.ok(asked.filter(({ at, status }) => at < revokedAt && status === 404).length > 10);
    assert.deepEqual([...new Set(asked.map(({ status }) => status))], [404, 401]);
    const last = asked.findLast(({ status }) => status === 404)?.at as number;
    took.push(Math.round(last - revokedAt));
    assert.ok(last < revokedAt + REACHES_MS, `taken ${last - revokedAt} ms after it was revoked`);
  }
  t.diagnostic(`last taken, in ms after the commit, by node: ${took.join(', ')}`);
}

async function revokeOnCommandLine(cluster: Cluster, id: number): Promise<void> {
  const { code, stderr } = await cluster.cli(['api-key', 'revoke', String(id)]);
  assert.equal(code, 0, stderr);
}

/** Times that the API keys were read from the database while every node was asked. */
async function readsOfApiKeys(cluster: Cluster, nodes: readonly Api[], ms: number): Promise<number> {
  const sql = `select coalesce(sum(calls), 0)::int from pg_stat_statements join pg_database on dbid = pg_database.oid
    where datname = '${cluster.database}' and query like '%from "api_keys" where "key_hash"%'`;
  const reads = async () => Number(await single(server, 'postgres', sql));
  const before = await reads();
  const asking = nodes.map((node) => askAlways(node, cluster.credentials));
  await pause(ms);
  await Promise.all(asking.map(({ stop }) => stop()));
  return (await reads()) - before;
}

test('API keys are not read from the database again, and one revoked elsewhere is refused within a second', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(NODES);
  for (const node of nodes) await node.license();
  assert.equal(await readsOfApiKeys(cluster, nodes, 1_500), 0);
  await shownRefused(t, cluster, nodes, (id) => revokeOnCommandLine(cluster, id));
});

test('the same where the connections that listen have just been cut, or are cut again and again', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(NODES);
  let cuts = 0;
  const cut = async () => {
    const listening = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${cluster.database}' and query ~ '^(listen|select 1)'`;
    cuts += (await server.query(listening)).rowCount ?? 0;
  };
  const beside = await cluster.service();
  await shownRefused(t, cluster, nodes, async (id) => {
    await cut();
    // They notice within a quarter of a second, and listen again a quarter later: it is told in between.
    await pause(220);
    await beside.execute('revoke-api-key', { id }, SYSTEM);
  });
  assert.ok(cuts >= NODES);

  let isOver = false;
  const cutting = (async () => {
    for (; !isOver; await pause(50)) await cut();
  })();
  await shownRefused(t, cluster, nodes, (id) => revokeOnCommandLine(cluster, id));
  isOver = true;
  await cutting;
  assert.ok(cuts > 5 * NODES, `cut ${cuts} times`);
  await pause(1_000);
  for (const node of nodes) await node.license();
  assert.equal(await readsOfApiKeys(cluster, nodes, 1_500), 0);
});

test('the same behind a proxy that swallows what listeners send and hear, and listening goes on afterwards', async (t) => {
  const proxy = await startTcpProxy(t, server.port, { silences: /listen latchkey/i });
  const url = (database: string) => `postgres://postgres@127.0.0.1:${proxy.port}/${database}`;
  const cluster = await createCluster(t, server, { url });
  const nodes = await cluster.nodes(NODES);
  for (const node of nodes) await node.license();
  assert.equal(await readsOfApiKeys(cluster, nodes, 1_000), 0);
  const beside = await cluster.service();
  const revoke = async (id: number) => {
    // Heard until this moment.
    proxy.silent = true;
    await beside.execute('revoke-api-key', { id }, SYSTEM);
  };
  await shownRefused(t, cluster, nodes, revoke);
  await shownRefused(t, cluster, nodes, revoke);
  proxy.silent = false;
  await pause(2_500);
  for (const node of nodes) await node.license();
  assert.equal(await readsOfApiKeys(cluster, nodes, 1_500), 0);
});
