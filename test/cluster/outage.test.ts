import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WRONG_COUNTS } from '../support/faults/integrity.ts';
import { backAfter, startLoad } from '../support/faults/load.ts';
import { newKey } from '../support/http/api.ts';
import { createCluster, pause, serverOfFile, single, until } from '../support/postgres/cluster.ts';

/** Milliseconds after the server's return within which the service must answer again. */
const RECOVERY_MS = 2_000;
const ROUNDS = 3;
const server = await serverOfFile();

test(`${ROUNDS} database crashes under load lose nothing answered 200; nodes answer 503 in time and recover`, async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(2);
  const limited = newKey();
  await nodes[0].license({ license_key: limited, activations_limit: 40 });
  const load = startLoad(t, nodes, 8, limited);

  for (let round = 0; round < ROUNDS; round++) {
    const before = load.asked.length;
    await until('requests of the load', async () => load.asked.length > before + 100);
    const stoppedAt = performance.now();
    await server.stop('immediate');
    await pause(round === 0 ? 2_500 : 500);
    for (const node of nodes) {
      assert.equal((await fetch(`${node.origin}/healthz`)).status, 200);
      assert.equal((await fetch(`${node.origin}/readyz`)).status, 503);
    }
    await server.start();
    const startedAt = performance.now();
    await pause(RECOVERY_MS + 500);
    const back = backAfter(load, startedAt);
    const refused = load.asked.filter(({ at, status }) => at > stoppedAt && status === 503).length;
    t.diagnostic(
      `during the crash: ${refused} × 503; the last was sent ${Math.round(back)} ms after the restart`,
    );
    assert.ok(refused > 0);
    assert.ok(back < RECOVERY_MS, `a request sent ${back} ms after the server's return was answered 503`);
    for (const node of nodes) assert.equal((await fetch(`${node.origin}/readyz`)).status, 200);
  }
  await load.stop();
  t.diagnostic(load.summary());
  await load.verify(nodes[1]);
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
  const taken = 'select max(times_activated) from licenses';
  assert.equal(await single(server, cluster.database, taken), 40);
});
