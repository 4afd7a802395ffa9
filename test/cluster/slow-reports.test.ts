import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../support/http/api.ts';
import { createCluster, serverOfFile, single, until } from '../support/postgres/cluster.ts';

/** Connections for lists of each node. */
const REPORTS = 4;
/** Milliseconds that a list may take. */
const REPORT_MS = 30_000;
const server = await serverOfFile();

test('slow reports that take all list connections end with 503 and delay nothing else', async (t) => {
  const cluster = await createCluster(t, server);
  const node = await cluster.node();
  const { id: software } = await node.software();
  const { license_key: key } = await node.license({ activations_limit: 0 });
  const { token } = await node.activation(key);
  // Reading the download counts is now slow, without waiting for a lock.
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
  await until('all reports are slow', async () => (await single(server, 'postgres', slow)) === REPORTS);

  const more = Array.from({ length: 12 }, report);

  // No time limits here: the reports take half a minute, and none has ended when all of these requests have.
  for (let i = 0; i < 100; i++) {
    await node.ok('GET', `/licenses/validate/${token}`);
    await node.activation(key);
    await node.ok('GET', `/licenses/${key}`);
  }
  await Promise.all(Array.from({ length: 100 }, () => node.ok('GET', `/licenses/validate/${token}`)));
  for (const answer of await Promise.all([...more, node.call('GET', '/licenses')])) assertBusy(answer);
  assert.equal((await fetch(`${node.origin}/readyz`)).status, 200);
  t.diagnostic(`requests beside the reports answered after ${Math.round(performance.now() - begun)} ms`);
  assert.equal(ended, 0);

  for (const answer of await Promise.all(reports)) assertBusy(answer);
  const took = performance.now() - begun;
  assert.ok(took > REPORT_MS - 1_000 && took < REPORT_MS + 5_000, `${took} ms`);
  // The server has stopped working on the reports, and their connections are free again.
  assert.equal(await single(server, 'postgres', slow), 0);
  await node.ok('GET', '/licenses');
});

test('generated keys are compared with the licenses of a slow database, and look-ups go on meanwhile', async (t) => {
  const cluster = await createCluster(t, server);
  const node = await cluster.node();
  const { id: generator } = await node.ok('POST', '/generators', {
    json: { name: 'Keys', charset: 'ABCDEFGHJKMNPQRS', chunks: 4, chunk_length: 5 },
  });
  await server.query('alter table licenses rename to stored_licenses', cluster.database);
  const slowly = 'create view licenses as select stored_licenses.* from pg_sleep(0.25), stored_licenses';
  await server.query(slowly, cluster.database);

  let isOver = false;
  const generated = node
    .ok('POST', `/generators/${generator}/generate`, { json: { amount: 2_000 } })
    .finally(() => {
      isOver = true;
    });
  const answers = (async () => {
    while (!isOver) await node.ok('GET', `/generators/${generator}`);
  })();
  assert.equal((await generated).length, 2_000);
  await answers;
});

function assertBusy({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.code], [503, 'server_error']);
  assert.ok(Number(headers.get('retry-after')) >= 1);
}
