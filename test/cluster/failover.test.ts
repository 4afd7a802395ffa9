import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WRONG_COUNTS } from '../support/faults/integrity.ts';
import { backAfter, startLoad } from '../support/faults/load.ts';
import { newKey } from '../support/http/api.ts';
import { createCluster, pause, serverOfFile, single, until } from '../support/postgres/cluster.ts';
import { replicateSynchronously, startStandby } from '../support/postgres/standby.ts';
import { startTcpProxy } from '../support/postgres/tcp-proxy.ts';

/** Milliseconds after the promotion within which the service must answer again. */
const RECOVERY_MS = 2_000;

test('failover to a synchronous standby under load loses nothing answered 200, and the service recovers by itself', async (t) => {
  const primary = await serverOfFile({ wal_keep_size: '512MB' });
  const proxy = await startTcpProxy(t, primary.port);
  const url = (database: string) => `postgres://postgres@127.0.0.1:${proxy.port}/${database}`;
  const cluster = await createCluster(t, primary, { url });
  const nodes = await cluster.nodes(2);
  const standby = await startStandby(primary);
  after(() => standby.stop('immediate'));
  await replicateSynchronously(primary);
  const limited = newKey();
  await nodes[0].license({ license_key: limited, activations_limit: 40 });

  const load = startLoad(t, nodes, 8, limited);
  await until('requests of the load', async () => load.asked.length > 300);
  await primary.stop('immediate');
  // A load balancer may do the same: clients reach the standby before its promotion.
  await pause(300);
  proxy.switchTo(standby.port);
  await pause(1_000);
  // No connection stays on a standby: it may never be promoted.
  for (const node of nodes) assert.equal((await fetch(`${node.origin}/readyz`)).status, 503);
  const { rows } = await standby.query('select pg_promote() as done');
  const promotedAt = performance.now();
  assert.deepEqual(rows, [{ done: true }]);
  await pause(RECOVERY_MS + 500);
  const back = backAfter(load, promotedAt);
  t.diagnostic(`the last request answered 503 was sent ${Math.round(back)} ms after the promotion`);
  assert.ok(back < RECOVERY_MS);
  const before = load.asked.length;
  await until('requests of the load', async () => load.asked.length > before + 300);
  await load.stop();
  t.diagnostic(load.summary());
  await load.verify(nodes[1]);
  assert.equal(await single(standby, cluster.database, WRONG_COUNTS), 0);
  assert.equal(await single(standby, cluster.database, 'select max(times_activated) from licenses'), 40);
});
