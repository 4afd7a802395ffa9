import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { WRONG_COUNTS } from '../support/faults/integrity.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newKey } from '../support/http/api.ts';
import { createCluster, serverOfFile, single, until } from '../support/postgres/cluster.ts';

const server = await serverOfFile();

test('a license that many clients activate nonstop can be changed, disabled and deleted', async (t) => {
  const cluster = await createCluster(t, server);
  const [one, other] = await cluster.nodes(2);
  const { license_key: key } = await one.license({ activations_limit: 0 });
  let isOver = false;
  let activated = 0;
  const activators = Array.from({ length: 24 }, async (_, i) => {
    while (!isOver) {
      const { status } = await (i % 2 ? one : other).call('GET', `/licenses/activate/${key}`);
      if (status === 200) activated++;
    }
  });
  await until('clients activate the license', async () => activated > 50);
  const path = `/licenses/${key}`;
  for (const order of [1, 2, 3]) {
    const before = activated;
    const updated = await one.ok('PUT', path, { json: { order_id: order } });
    assert.equal(updated.order_id, order);
    assert.ok(updated.times_activated >= before, 'the answer shows the current state');
  }
  await other.ok('PUT', path, { json: { status: 'disabled' } });
  const { times_activated } = await one.ok('GET', path);
  assert.equal((await one.call('GET', `/licenses/activate/${key}`)).status, 405);
  assert.equal((await one.ok('GET', path)).times_activated, times_activated);
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
  await other.ok('PUT', path, { json: { status: 'active' } });
  await other.ok('DELETE', path);
  isOver = true;
  await Promise.all(activators);
  assert.equal(await single(server, cluster.database, 'select count(*)::int from activations'), 0);
});

test('an import commits while other licenses change all the time', async (t) => {
  const cluster = await createCluster(t, server);
  const node = await cluster.node();
  const keys = await Promise.all(
    Array.from({ length: 50 }, async () => (await node.license()).license_key as string),
  );
  const file = join(temporaryFolder(), 'licenses.csv');
  const lines = Array.from({ length: 20_000 }, (_, i) => `IMPORTED-${i}`);
  writeFileSync(file, `license_key\n${lines.join('\n')}\n`);
  let isOver = false;
  const changing = keys.slice(0, 4).map(async (key) => {
    for (let i = 1; !isOver; i++) await node.ok('PUT', `/licenses/${key}`, { json: { order_id: i } });
  });
  const imported = await cluster.cli(['license', 'import', file]);
  isOver = true;
  await Promise.all(changing);
  assert.equal(imported.code, 0, imported.stderr);
  assert.equal(await single(server, cluster.database, 'select count(*)::int from licenses'), 20_050);
});

test('nodes start concurrently on a database whose default isolation level is repeatable read', async (t) => {
  const cluster = await createCluster(t, server);
  await server.query(
    `alter database ${cluster.database} set default_transaction_isolation = 'repeatable read'`,
  );
  const [first] = await cluster.nodes(4);
  const { license_key: key } = await first.license({ activations_limit: 5 });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => first.call('GET', `/licenses/activate/${key}`)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 5);
});

test('while no standby confirms, changes answer 503 and leave nothing running; look-ups still work', async (t) => {
  const cluster = await createCluster(t, server);
  const node = await cluster.node();
  const { license_key: key } = await node.license({ activations_limit: 0 });
  const { token } = await node.activation(key);
  const setStandby = async (names: string) => {
    await server.query(`alter system set synchronous_standby_names = '${names}'`);
    await server.query('select pg_reload_conf()');
  };
  t.after(() => setStandby(''));
  await setStandby('nobody');
  let isOver = false;
  const changes = Array.from({ length: 20 }, async () => {
    const statuses = new Set<number>();
    while (!isOver) statuses.add((await node.call('POST', '/licenses', { json: license() })).status);
    return statuses;
  });
  const waiting = `select count(*)::int from pg_stat_activity where datname = '${cluster.database}' and wait_event = 'SyncRep'`;
  await until(
    'changes wait for the standby',
    async () => Number(await single(server, cluster.database, waiting)) > 0,
  );
  for (let i = 0; i < 200; i++) {
    await node.ok('GET', `/licenses/validate/${token}`);
    await node.ok('GET', `/licenses/${key}`);
  }
  isOver = true;
  for (const statuses of await Promise.all(changes)) assert.deepEqual([...statuses], [503]);
  // What remains are the node's own writes: last use of API keys and their addresses, usage counts, the audit
  // chain.
  await until(
    'abandoned changes no longer wait',
    async () => Number(await single(server, cluster.database, waiting)) <= 4,
    60_000,
  );
  await setStandby('');
  await until(
    'changes succeed again',
    async () => (await node.call('POST', '/licenses', { json: license() })).status === 200,
  );
});

const license = () => ({ license_key: newKey(), valid_for: 0, status: 3, activations_limit: 1 });
