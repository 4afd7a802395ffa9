import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WRONG_COUNTS } from '../support/faults/integrity.ts';
import { type Answer, type Api, createApi, newKey } from '../support/http/api.ts';
import { createCluster, type Nodes, pause, serverOfFile, single } from '../support/postgres/cluster.ts';

const NODES = 4;
const LIMIT = 25;
const server = await serverOfFile();

const counted = (answers: readonly Answer[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const what = status === 200 ? '200' : `${status} ${body.code}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
};

test(`of 400 concurrent activations over ${NODES} nodes of a license with ${LIMIT} seats, exactly ${LIMIT} succeed`, async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(NODES);
  const key = newKey();
  await nodes[0].license({ license_key: key, activations_limit: LIMIT });

  const activate = (_: unknown, i: number) =>
    (nodes[i % NODES] as Api).call('GET', `/licenses/activate/${key}`);
  const answers = await Promise.all(Array.from({ length: 400 }, activate));
  assert.deepEqual(counted(answers), { 200: LIMIT, '404 license_activation_limit_reached': 400 - LIMIT });
  const tokens = new Set(answers.map(({ body }) => body.data.token).filter(Boolean));
  assert.equal(tokens.size, LIMIT);
  const taken = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.license);
  // Every successful answer has a count of its own.
  assert.deepEqual(
    taken.map(({ times_activated }) => times_activated).sort((a, b) => a - b),
    Array.from({ length: LIMIT }, (_, i) => i + 1),
  );
  assert.equal(await single(server, cluster.database, 'select count(*)::int from activations'), LIMIT);
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
});

test('400 concurrent activations, reactivations and deactivations keep the count right and within the limit', async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(NODES);
  const [first] = nodes;
  const key = newKey();
  await first.license({ license_key: key, activations_limit: LIMIT });
  const made = await Promise.all(Array.from({ length: LIMIT }, () => first.activation(key)));
  const tokens: string[] = made.map(({ token }) => token);

  let most = 0;
  let isOver = false;
  const watching = (async () => {
    for (; !isOver; await pause(5)) {
      const now = await single(server, cluster.database, 'select times_activated from licenses');
      most = Math.max(most, Number(now));
    }
  })();
  const paths = Array.from({ length: 400 }, (_, i) => {
    const token = tokens[Math.floor(i / 4) % LIMIT];
    const kinds = [`deactivate/${token}`, `activate/${key}?token=${token}`, `activate/${key}`];
    return `/licenses/${kinds[i % 4] ?? kinds[0]}`;
  });
  const answers = await Promise.all(paths.map((path, i) => (nodes[i % NODES] as Api).call('GET', path)));
  isOver = true;
  await watching;

  const { 200: done = 0, ...refused } = counted(answers);
  const known = ['404 license_activation_limit_reached', '404 data_error'];
  assert.deepEqual(
    Object.keys(refused).filter((what) => !known.includes(what)),
    [],
    JSON.stringify(refused),
  );
  t.diagnostic(JSON.stringify({ done, ...refused, most }));
  assert.ok(done >= LIMIT);
  for (const { status, body } of answers)
    if (status === 200) assert.ok(body.data.license.times_activated <= LIMIT);
  assert.ok(most <= LIMIT);
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
});

test(`50 concurrent activations by one device over ${NODES} nodes take the last seat once`, async (t) => {
  const cluster = await createCluster(t, server);
  const nodes = await cluster.nodes(NODES);
  const key = newKey();
  await nodes[0].license({ license_key: key, activations_limit: 1, seat_ttl: 600, takeovers_per_month: 5 });
  const json = { license_key: key, fingerprint: 'one', takeover: true };
  const activate = (_: unknown, i: number) => {
    const { origin, credentials } = nodes[i % NODES] as Nodes[number];
    return createApi(`${origin}/client/v1`, credentials).call('POST', '/activate', {
      json,
      credentials: null,
    });
  };
  const answers = await Promise.all(Array.from({ length: 50 }, activate));
  const statuses = answers.map(({ status }) => status);
  assert.deepEqual(statuses.sort(), [...Array.from({ length: 49 }, () => 200), 201]);
  assert.equal(new Set(answers.map(({ body }) => body.activation.token)).size, 1);
  assert.equal(await single(server, cluster.database, 'select count(*)::int from activations'), 1);
  assert.equal(await single(server, cluster.database, WRONG_COUNTS), 0);
});
