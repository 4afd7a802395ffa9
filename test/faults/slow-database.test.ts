import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { holdWrites, migratedFolder } from '../support/engine.ts';
import { assertWhole, WRONG_COUNTS } from '../support/faults/integrity.ts';
import { startLoad } from '../support/faults/load.ts';
import { createCluster, pause, serverOfFile, single, until } from '../support/postgres/cluster.ts';
import { startTcpProxy } from '../support/postgres/tcp-proxy.ts';
import { startProcess } from '../support/process.ts';

/**
 * Milliseconds within which every request is answered, whatever the database does: the service's own timeouts, on a
 * slow machine.
 */
const ANSWERED_MS = 30_000;
const CLIENTS = 10;
const { LATCHKEY_TEST_ROUNDS: ROUNDS = '1' } = process.env;
/** MiB by which a server may grow while the database does not answer. */
const GROWTH_MIB = 120;

const memory = (pid: number | undefined): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

const server = await serverOfFile();

test('under load on a slow and then silent PostgreSQL, the server answers 503 in time, does not grow, and recovers', async (t) => {
  const proxy = await startTcpProxy(t, server.port, { silences: /./ });
  const url = (database: string) => `postgres://postgres@127.0.0.1:${proxy.port}/${database}`;
  const cluster = await createCluster(t, server, { url });
  const node = await cluster.node();
  const { license_key: limited } = await node.license({ activations_limit: 40 });
  const load = startLoad(t, [node], CLIENTS, limited, ANSWERED_MS);
  const count = (status: number) => load.asked.filter((one) => one.status === status).length;
  await until('work', async () => count(200) > 200, 60_000);
  const before = memory(node.child.pid);

  proxy.delay = 100;
  const slowly = count(200);
  await until('work, slowly', async () => count(200) > slowly + 50, 60_000);
  proxy.delay = 0;

  for (let round = 0; round < Number(ROUNDS); round++) {
    // Open connections stay open, and no byte passes through them.
    const refused = count(503);
    proxy.silent = true;
    await until('503', async () => count(503) > refused + CLIENTS, 60_000);
    assert.equal((await fetch(`${node.origin}/healthz`)).status, 200);
    assert.equal((await fetch(`${node.origin}/readyz`)).status, 503);
    proxy.silent = false;
    const done = count(200);
    await until('work again', async () => count(200) > done + 200, 60_000);
  }
  const grown = memory(node.child.pid) - before;
  await load.stop();
  t.diagnostic(`${load.summary()}; ${Math.round(grown)} MiB more`);
  assert.ok(grown < GROWTH_MIB, `${grown} MiB`);
  await load.verify(node);
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
});

test('during a long SQLite lock by another process, reads work, changes answer 503 in time, and the server recovers', async (t) => {
  const dataDir = await migratedFolder();
  const api = await startProcess(t, dataDir);
  const { license_key: limited } = await api.license({ activations_limit: 40 });
  const { token } = await api.activation(limited);
  const load = startLoad(t, [api], CLIENTS, limited, ANSWERED_MS);
  const count = (status: number) => load.asked.filter((one) => one.status === status).length;
  await until('work', async () => count(200) > 200, 60_000);
  const before = memory(api.child.pid);
  const letGo = await holdWrites(dataDir);
  const refused = count(503);
  let reads = 0;
  // The service waits 15 seconds for the lock.
  const isRefused = async () => {
    await pause(100);
    await api.ok('GET', `/licenses/validate/${token}`);
    reads++;
    return count(503) >= refused + CLIENTS;
  };
  await until('503', isRefused, 60_000);
  await letGo();
  const done = count(200);
  await until('work again', async () => count(200) > done + 200, 60_000);
  const grown = memory(api.child.pid) - before;
  await load.stop();
  t.diagnostic(`${load.summary()}; ${reads} reads during the lock; ${Math.round(grown)} MiB more`);
  assert.ok(grown < GROWTH_MIB, `${grown} MiB`);
  assert.match(api.output(), /the database is locked by another process/);
  await load.verify(api);
  await api.stop();
  assertWhole(dataDir);
});
