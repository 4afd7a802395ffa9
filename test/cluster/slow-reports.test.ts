import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../support/http/api.ts';
import { createCluster, serverOfFile, single, until } from '../support/postgres/cluster.ts';

/** Connections for lists, of each node. */
const REPORTS = 4;
/** Milliseconds that a list may take. */
const REPORT_MS = 30_000;
const server = await serverOfFile();

test('while slow reports take all connections for lists, everything else is served at once; they end with 503', async (t) => {
  const cluster = await createCluster(t, server);
  const node = await cluster.node();
  const { id: software } = await node.software();
  const { license_key: key } = await node.license({ activations_limit: 0 });
  const { token } = await node.activation(key);
  // Whoever counts downloads is slow now, without waiting for anybody.
  await server.query('alter table download_counts rename to counts', cluster.database);
  const slowly = 'create view download_counts as select counts.* from pg_sleep(100), counts';
  await server.query(slowly, cluster.database);

  let ended = 0;
  const begun = performance.now();
  const report = () => node.call('GET', `/software/${software}/downloads`);
  const reports = Array.from({ length: REPORTS }, async () => {
    const answer = await report();
    ended++;
    return answer;
  });
  const slow = `select count(*)::int from pg_stat_activity where datname = '${cluster.database}' and wait_event = 'PgSleep'`;
  await until('all are slow', async () => (await single(server, 'postgres', slow)) === REPORTS);

  const more = Array.from({ length: 12 }, report);

  // No bounds in time here: none of the reports, which take half a minute, has ended when all of these have.
  for (let i = 0; i < 100; i++) {
    await node.ok('GET', `/licenses/validate/${token}`);
    await node.activation(key);
    await node.ok('GET', `/licenses/${key}`);
  }
  await Promise.all(Array.from({ length: 100 }, () => node.ok('GET', `/licenses/validate/${token}`)));
  for (const answer of await Promise.all([...more, node.call('GET', '/licenses')])) assertBusy(answer);
  assert.equal((await fetch(`${node.origin}/readyz`)).status, 200);
  t.diagnostic(`served beside them after ${Math.round(performance.now() - begun)} ms`);
  assert.equal(ended, 0);

  for (const answer of await Promise.all(reports)) assertBusy(answer);
  const took = performance.now() - begun;
  assert.ok(took > REPORT_MS - 1_000 && took < REPORT_MS + 5_000, `${took} ms`);
  // The server has stopped working on them, too, and the connections are free for others.
  assert.equal(await single(server, 'postgres', slow), 0);
  await node.ok('GET', '/licenses');
});

function assertBusy({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.code], [503, 'server_error']);
  assert.ok(Number(headers.get('retry-after')) >= 1);
}
