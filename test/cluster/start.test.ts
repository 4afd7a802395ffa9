import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { createCluster, serverOfFile } from '../support/postgres/cluster.ts';
import { startTcpProxy } from '../support/postgres/tcp-proxy.ts';

const server = await serverOfFile();

test('ten nodes that start concurrently on an empty database create one user, one API key and one set of migrations', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(10);

  for (const node of nodes) {
    assert.equal((await fetch(`${node.origin}/readyz`)).status, 200);
    await node.license();
    // On a busy machine, the database may be late for the background work: that is a warning.
    assert.doesNotMatch(node.output(), /"level":"(error|fatal)"/);
  }
  assert.equal((await nodes[0].ok('GET', '/licenses')).length, 10);

  const rows = async (sql: string) => (await server.query(sql, cluster.database)).rows;
  const names = MIGRATIONS.map(({ name }) => ({ name }));
  assert.deepEqual(await rows('select name from schema_migrations order by name'), names);
  assert.deepEqual(await rows('select id, name from users'), [{ id: '1', name: 'owner' }]);
  assert.deepEqual(await rows('select user_id, description from api_keys'), [
    { user_id: '1', description: 'From the settings' },
  ]);
  assert.equal((await rows("select from meta where name = 'master_key_fingerprint'")).length, 1);
});

test('of nodes with different master keys that start concurrently, only the first one starts', async (t) => {
  const cluster = await createCluster(t, server);
  const others = ['a', 'b', 'c', 'd'].map((digit) => ({ LATCHKEY_MASTER_KEY: digit.repeat(64) }));
  const ends = await Promise.allSettled(others.map((env) => cluster.node(env)));
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const end of ends)
    if (end.status === 'rejected') assert.match(end.reason.message, /made with another master key/);
});

test('a node starts although its database makes no connection for its background work', async (t) => {
  // Two to create the tables, one to listen, and the first of each pool.
  const proxy = await startTcpProxy(t, server.port, { works: 5 });
  const url = (database: string) => `postgres://postgres@127.0.0.1:${proxy.port}/${database}`;
  const cluster = await createCluster(t, server, { url });
  const node = await cluster.node();
  assert.equal((await fetch(`${node.origin}/healthz`)).status, 200);
});
