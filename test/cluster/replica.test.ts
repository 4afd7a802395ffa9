import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { generateKeys } from '../../src/app/batches/generate-keys.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { LICENSE_SOURCE } from '../../src/domain/licenses/license.ts';
import type { Record_ } from '../support/http/api.ts';
import { createCluster, pause, serverOfFile } from '../support/postgres/cluster.ts';
import { caughtUp, startStandby } from '../support/postgres/standby.ts';

const primary = await serverOfFile({ wal_keep_size: '512MB' });
const replica = await startStandby(primary);
after(() => replica.stop('immediate'));

const nowhere = { LATCHKEY_DATABASE_REPLICA_URL: 'postgres://postgres@127.0.0.1:1/latchkey' };

test('lists come from the replica, single records and changes from the primary', async (t) => {
  const cluster = await createCluster(t, primary);
  const node = await cluster.node({ LATCHKEY_DATABASE_REPLICA_URL: replica.url(cluster.database) });
  const software = await node.software();
  await node.release(software.id);
  const generator = await node.generator();
  const old = await node.license();
  await caughtUp(primary, replica);
  await replica.query('select pg_wal_replay_pause()');
  t.after(() => replica.query('select pg_wal_replay_resume()'));

  const made = await node.license();
  const { token } = await node.activation(made.license_key);
  assert.deepEqual(await idsOf('/licenses'), [old.id]);
  assert.equal((await node.ok('GET', `/licenses/validate/${token}`)).license.id, made.id);
  assert.equal((await node.ok('GET', `/licenses/${made.license_key}`)).id, made.id);
  assert.equal((await node.activation(made.license_key)).license.times_activated, 2);
  await node.ok('GET', `/licenses/deactivate/${token}`);

  const other = await node.generator();
  assert.deepEqual(await idsOf('/generators'), [generator.id]);
  assert.equal((await node.ok('GET', `/generators/${other.id}`)).id, other.id);
  await node.software();
  assert.deepEqual(await idsOf('/software'), [software.id]);
  await node.release(software.id, { version: '2.0.0' });
  assert.equal((await node.ok('GET', `/software/${software.id}/releases`)).length, 1);

  await replica.query('select pg_wal_replay_resume()');
  await caughtUp(primary, replica);
  assert.deepEqual(await idsOf('/licenses'), [made.id, old.id]);

  async function idsOf(path: string): Promise<number[]> {
    return (await node.ok('GET', path)).map(({ id }: { id: number }) => id);
  }
});

test('a repeated request for new keys gets them even if the replica lacks them', async (t) => {
  const cluster = await createCluster(t, primary);
  const node = await cluster.node();
  const { id } = await node.generator();
  await caughtUp(primary, replica);
  await replica.query('select pg_wal_replay_pause()');
  t.after(() => replica.query('select pg_wal_replay_resume()'));

  const service = await cluster.service({ databaseReplicaUrl: replica.url(cluster.database) });
  const input = { amount: 3, save: true, status: null, orderId: null, productId: null, userId: null };
  const request = { key: 'once', digest: 'same' };
  const order = { named: String(id), input, source: LICENSE_SOURCE.generator, request };
  const made = await generateKeys(service, order, SYSTEM);
  assert.ok(made.ok);
  assert.deepEqual(await generateKeys(service, order, SYSTEM), made);
});

test('with REPLICA_READS=all single records come from the replica too, but API keys and changes do not', async (t) => {
  const cluster = await createCluster(t, primary);
  const replicaUrl = { LATCHKEY_DATABASE_REPLICA_URL: replica.url(cluster.database) };
  const node = await cluster.node({ ...replicaUrl, LATCHKEY_DATABASE_REPLICA_READS: 'all' });
  const { license_key: key } = await node.license();
  const { token } = await node.activation(key);
  const { token: ended } = await node.activation(key);
  await node.ok('GET', `/licenses/deactivate/${ended}`);
  await caughtUp(primary, replica);
  await replica.query('select pg_wal_replay_pause()');
  t.after(() => replica.query('select pg_wal_replay_resume()'));

  await node.ok('GET', `/licenses/deactivate/${token}`);
  await node.ok('GET', `/licenses/validate/${token}`);
  // What the replica does not have, and what has ended there, is looked up on the primary.
  const made = await node.license();
  assert.equal((await node.ok('GET', `/licenses/${made.license_key}`)).id, made.id);
  const { token: newest } = await node.activation(made.license_key);
  await node.activation(key, { token: ended });
  for (const valid of [newest, ended]) await node.ok('GET', `/licenses/validate/${valid}`);
  await node.fails(404, 'data_error', 'GET', `/licenses/validate/${'0'.repeat(40)}`);

  // A lease is valid for days, so the node issues it from the primary's data.
  const ask = async (path: string, body: object, headers = {}) => {
    const json = { 'content-type': 'application/json', ...headers };
    const url = new URL(`/client/v1${path}`, node.root);
    const answer = await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record_ };
  };
  const activated = await ask('/activate', { license_key: made.license_key });
  assert.match(activated.body.lease, /^ey/);
  await node.ok('PUT', `/licenses/${made.license_key}`, { json: { status: 'disabled' } });
  const bearer = { authorization: `Bearer ${activated.body.activation.token}` };
  const validated = await ask('/validate', {}, bearer);
  assert.deepEqual([validated.status, validated.body.code], [403, 'license_disabled']);

  // The CLI creates, shows and revokes an API key while the replica does not replay.
  const { stdout, stderr } = await cluster.cli(['api-key', 'create', '--json'], replicaUrl);
  assert.equal(stderr, '');
  const { id, consumer_key: consumerKey, consumer_secret: consumerSecret } = JSON.parse(stdout);
  const credentials = { consumerKey, consumerSecret };
  await node.ok('GET', '/licenses', { credentials });
  const revoked = await cluster.cli(['api-key', 'revoke', String(id), '--json'], replicaUrl);
  assert.equal(revoked.code, 0, revoked.stderr);
  assert.notEqual(JSON.parse(revoked.stdout).revoked_at, null);
  await pause(1_000);
  await node.fails(401, 'authentication_error', 'GET', '/licenses', { credentials });

  // The import reads back a batch that it has just staged, so it must read from the primary.
  const csv = 'license_key\nSAME-KEY\nSAME-KEY\n';
  const args = ['license', 'import', '-', '--json'];
  const imported = await cluster.cli(args, { ...replicaUrl, LATCHKEY_DATABASE_REPLICA_READS: 'all' }, csv);
  assert.notEqual(imported.code, 0);
  assert.match(imported.stdout + imported.stderr, /is in an earlier line/);
});

test('while the replica is down, the primary answers lists', async (t) => {
  const cluster = await createCluster(t, primary);
  const node = await cluster.node({ LATCHKEY_DATABASE_REPLICA_URL: replica.url(cluster.database) });
  const made = await node.license();
  await caughtUp(primary, replica);
  await node.ok('GET', '/licenses');
  await replica.stop('immediate');
  const begun = performance.now();
  const lists = Array.from({ length: 20 }, () => node.ok('GET', '/licenses'));
  for (const list of await Promise.all(lists)) assert.equal(list[0].id, made.id);
  assert.ok(performance.now() - begun < 2_000);
  await replica.start();
  await caughtUp(primary, replica);
  await node.ok('GET', '/licenses');
});

test('a node starts and serves although its replica is unreachable', async (t) => {
  const cluster = await createCluster(t, primary);
  const node = await cluster.node(nowhere);
  const made = await node.license();
  assert.equal((await node.ok('GET', '/licenses'))[0].id, made.id);
});
