import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '../../src/domain/actor.ts';
import type { Api } from '../support/http/api.ts';
import { type Cluster, createCluster, pause, serverOfFile, single } from '../support/postgres/cluster.ts';
import { askAlways, NARROWED, revokeOnCommandLine, shownRefused } from '../support/postgres/revocation.ts';
import { startTcpProxy } from '../support/postgres/tcp-proxy.ts';

const NODES = 3;
const server = await serverOfFile({ shared_preload_libraries: 'pg_stat_statements' });
await server.query('create extension pg_stat_statements');

/** Returns how often the nodes read API keys from the database while all of them answer requests. */
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

test('nodes cache API keys, yet refuse a key revoked on another node within a second', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(NODES);
  for (const node of nodes) await node.license();
  assert.equal(await readsOfApiKeys(cluster, nodes, 1_500), 0);
  await shownRefused(t, cluster, nodes, (id) => revokeOnCommandLine(cluster, id));
  // A permission that was withdrawn is refused just as soon.
  const beside = await cluster.service();
  const changes = { endpoints: ['licenses.list'] } as const;
  const narrow = async (id: number) => {
    await beside.execute('update-api-key', { id, changes, configuredKey: null }, SYSTEM);
  };
  await shownRefused(t, cluster, nodes, narrow, NARROWED);
});

test('nodes refuse a revoked key within a second although their listening connections are cut, once or repeatedly', async (t) => {
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
    // Nodes notice the cut within 200 ms and listen again 200 ms later. The revocation falls between the two.
    await pause(180);
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

test('nodes refuse a revoked key behind a proxy that silences listeners, and listen again afterwards', async (t) => {
  const proxy = await startTcpProxy(t, server.port, { silences: /listen latchkey/i });
  const url = (database: string) => `postgres://postgres@127.0.0.1:${proxy.port}/${database}`;
  const cluster = await createCluster(t, server, { url });
  const nodes = await cluster.nodes(NODES);
  for (const node of nodes) await node.license();
  assert.equal(await readsOfApiKeys(cluster, nodes, 1_000), 0);
  const beside = await cluster.service();
  const revoke = async (id: number) => {
    // Nodes hear notifications up to this moment.
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
