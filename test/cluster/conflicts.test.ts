import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WRONG_COUNTS } from '../support/faults/integrity.ts';
import type { Answer, Api } from '../support/http/api.ts';
import { connectTo, createCluster, serverOfFile, single, until } from '../support/postgres/cluster.ts';

const server = await serverOfFile();

/**
 * Asserts that every answer is one that the API documents: 200, or a refusal that gives the state of the
 * record.
 */
function assertAnswered(answers: readonly Answer[]): void {
  const others = answers.filter(({ status }) => ![200, 404, 409].includes(status));
  assert.deepEqual(
    others.map(({ status, body }) => `${status} ${JSON.stringify(body)}`),
    [],
  );
}

/** Requests at once: more than two nodes have connections, and fewer than a busy machine leaves waiting for too long. */
const AT_ONCE = 20;

async function many(count: number, call: (i: number) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  const left = Array(count).keys();
  const client = async () => {
    for (const i of left) answers.push(await call(i));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return answers;
}

/** Waits until at least `count` transactions wait for a lock. */
const someoneWaits = (count = 1) =>
  until('transactions wait for a lock', async () => {
    return (
      Number(await single(server, 'postgres', 'select count(*) from pg_locks where not granted')) >= count
    );
  });

test('a client does not see the deadlock that aborts its change', async (t) => {
  const cluster = await createCluster(t, server);
  const node = await cluster.node();
  const { license_key: key } = await node.license();
  const { token } = await node.activation(key);
  // This transaction locks the records in the opposite order of a deactivation. It detects deadlocks last.
  const other = await connectTo(t, server, cluster.database);
  await other.query("begin; set local deadlock_timeout = '60s'");
  await other.query('update licenses set valid_for = valid_for');
  const deactivated = node.call('GET', `/licenses/deactivate/${token}`);
  await someoneWaits();
  // This statement succeeds only if the deactivation is the one that is aborted.
  await other.query('update activations set label = label');
  await other.query('commit');
  assert.equal((await deactivated).status, 200);
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
});

test('a change that a concurrent change overtakes is retried on the current record', async (t) => {
  const cluster = await createCluster(t, server);
  const node = await cluster.node();
  const { license_key: key } = await node.license();
  const other = await connectTo(t, server, cluster.database);
  await other.query('begin');
  await other.query('update licenses set order_id = 7');
  const changed = node.call('PUT', `/licenses/${key}`, { json: { product_id: 8 } });
  const activated = node.call('GET', `/licenses/activate/${key}`);
  await someoneWaits();
  await other.query('commit');
  const { status, body } = await changed;
  assert.equal(status, 200);
  assert.deepEqual([body.data.order_id, body.data.product_id], [7, 8]);
  assert.equal((await activated).status, 200);
});

test('of two concurrent reactivations of one activation for the last seat, the second learns that it is active', async (t) => {
  const cluster = await createCluster(t, server);
  const node = await cluster.node();
  const { license_key: key } = await node.license({ activations_limit: 1 });
  const { token } = await node.activation(key);
  await node.ok('GET', `/licenses/deactivate/${token}`);
  const other = await connectTo(t, server, cluster.database);
  await other.query('begin');
  await other.query('update activations set label = label');
  await other.query('update licenses set valid_for = valid_for');
  const both = many(2, () => node.call('GET', `/licenses/activate/${key}`, { query: { token } }));
  await someoneWaits(2);
  await other.query('commit');
  const told = (await both).map(({ status, body }) => body.code ?? status);
  assert.deepEqual(told.sort(), [200, 'data_error']);
});

test('concurrent deactivations and reactivations of a few tokens keep the counts right', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(2);
  const keys: string[] = [];
  const tokens: string[] = [];
  for (let i = 0; i < 2; i++) {
    const { license_key: key } = await nodes[0].license({ activations_limit: 3 });
    for (let place = 0; place < 3; place++) {
      keys.push(key);
      tokens.push((await nodes[0].activation(key)).token);
    }
  }
  const begun = performance.now();
  const answers = await many(400, (i) => {
    const which = i % tokens.length;
    const reactivate = `activate/${keys[which]}?token=${tokens[which]}`;
    const path = Math.floor(i / tokens.length) % 2 ? reactivate : `deactivate/${tokens[which]}`;
    return (nodes[i % 2] as Api).call('GET', `/licenses/${path}`);
  });
  assertAnswered(answers);
  t.diagnostic(
    `${Math.round(performance.now() - begun)} ms, ${answers.filter(({ status }) => status === 200).length} of ${answers.length} done`,
  );
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
});

test('concurrent changes and deletions of the same licenses and releases keep the counts right', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(2);
  const [first] = nodes;
  const { id: software } = await first.software();
  const keys: string[] = [];
  const releases: string[] = [];
  for (let i = 0; i < 4; i++) {
    keys.push((await first.license({ activations_limit: 0 })).license_key);
    const { id } = await first.release(software, { version: `1.0.${i}` });
    releases.push(`/software/${software}/releases/${id}`);
  }
  const begun = performance.now();
  // As many as a busy machine answers before the store's patience ends.
  const answers = await many(200, (i) => {
    const node = nodes[i % 2] as Api;
    const key = keys[i % 4];
    const release = releases[i % 4] as string;
    const isLast = i >= 160;
    switch (Math.floor(i / 4) % 5) {
      case 0:
        return node.call('PUT', `/licenses/${key}`, { json: { order_id: i } });
      case 1:
        return node.call('GET', `/licenses/activate/${key}`);
      case 2:
        return node.call('PUT', release, { json: { changelog: `${i}` } });
      case 3:
        return isLast
          ? node.call('DELETE', i % 2 ? release : `/licenses/${key}`)
          : node.call('PUT', `/software/${software}`, { json: { name: `${i}` } });
      default:
        return node.call('POST', `/software/${software}/releases`, {
          multipart: { version: `2.0.${i % 7}`, file: new File([`bytes ${i % 3}`], 'a.zip') },
        });
    }
  });
  assertAnswered(answers);
  t.diagnostic(
    `${Math.round(performance.now() - begun)} ms, ${answers.filter(({ status }) => status === 200).length} of ${answers.length} done`,
  );
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
});
