import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { newKey } from '../support/http/api.ts';
import { exactOf } from '../support/http/shared-limit.ts';
import { createCluster, serverOfFile, single, until } from '../support/postgres/cluster.ts';

const server = await serverOfFile();

interface Counter {
  port: number;
  /** Returns the round trips since the last call. The listening connection does not count. */
  count(): number;
  /** Returns the text of the statements sent since the last call. */
  sent(): string;
}

/** Starts a proxy before the server that counts how often a client sends something after an answer. */
async function countRoundTrips(t: TestContext): Promise<Counter> {
  let [trips, sent] = [0, ''];
  const proxy = createServer((client) => {
    const onward = connect(server.port, '127.0.0.1');
    let isListening = false;
    let isAnswered = true;
    client.on('data', (data) => {
      const text = data.toString('latin1');
      // The listening connection sends keep-alives all the time.
      isListening ||= text.includes('listen latchkey');
      // Writes of the audit trail do not count as part of a request.
      if (!isListening && !text.includes('audit_')) {
        if (isAnswered) trips++;
        sent += text;
      }
      isAnswered = false;
      onward.write(data);
    });
    onward.on('data', (data) => {
      isAnswered = true;
      client.write(data);
    });
    for (const socket of [client, onward]) socket.on('error', () => {});
    client.on('close', () => onward.destroy());
    onward.on('close', () => client.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => proxy.close());
  return {
    port: (proxy.address() as AddressInfo).port,
    count() {
      const counted = trips;
      trips = 0;
      return counted;
    },
    sent() {
      const text = sent;
      sent = '';
      return text;
    },
  };
}

test('validate takes one database round trip, activate, deactivate and a list two; hot statements are prepared once', async (t) => {
  const counter = await countRoundTrips(t);
  const cluster = await createCluster(t, server, {
    url: (database) => server.url(database).replace(`:${server.port}/`, `:${counter.port}/`),
    env: { LATCHKEY_DATABASE_CONNECTIONS: '1' },
  });
  const api = await cluster.node();
  const { license_key: key } = await api.license({ activations_limit: 0 });
  const software = await api.software();
  const { token } = await api.activation(key);
  await api.ok('GET', `/licenses/validate/${token}`);
  await api.ok('GET', `/licenses/${key}`);
  await api.activation(key, { software: software.id });
  const tokens: string[] = [];
  for (let i = 0; i <= 40; i++) tokens.push((await api.activation(key)).token);
  await api.ok('GET', `/licenses/deactivate/${tokens.pop()}`);
  // The requests prepare the statements on each connection for lists.
  await Promise.all(Array.from({ length: 16 }, () => api.ok('GET', '/licenses')));
  await Promise.all(Array.from({ length: 16 }, () => api.ok('GET', '/licenses', { query: { before: 5 } })));
  const unchained =
    'select count(*)::int from audit_entries where id not in (select entry_id from audit_chain)';
  await until(
    'every entry is in the chain',
    async () => (await single(server, cluster.database, unchained)) === 0,
  );
  const counted = "select count(*)::int from usage_counts where counted = 'validations'";
  await until(
    'the counts are written, which prepares their statements',
    async () => (await single(server, cluster.database, counted)) === 1,
  );
  // Takes the fewest round trips of 40 calls: a read of the API key, a flush or a split packet may add one.
  const trips = (path: string, query = {}) => fewest(() => api.ok('GET', path, { query }));
  const fewest = async (call: (i: number) => Promise<unknown>) => {
    const counts: number[] = [];
    for (let i = 0; i < 40; i++) {
      counter.count();
      await call(i);
      counts.push(counter.count());
    }
    return Math.min(...counts);
  };
  counter.sent();
  assert.equal(await trips(`/licenses/validate/${token}`), 1);
  assert.equal(await trips(`/licenses/${key}`), 1);
  assert.equal(await trips(`/licenses/activate/${key}`, { label: 'x', 'meta[os]': 'linux' }), 2);
  // With more than one connection, the license and the software are looked up concurrently.
  assert.equal(await trips(`/licenses/activate/${key}`, { software: software.id }), 3);
  assert.equal(await trips('/licenses'), 2);
  assert.equal(await trips('/licenses', { before: 5 }), 2);
  // Ignore what a node does by itself, on whichever connection is free.
  const own = /select "name", "value" from "meta"|insert into "meta"|update "api_keys" set "last_access_at"/g;
  const sent = counter.sent().replaceAll(own, '');
  assert.equal(/(select|update|insert).{0,300}/is.exec(sent)?.[0], undefined, 'statements are sent by name');
  assert.equal(await fewest((i) => api.ok('GET', `/licenses/deactivate/${tokens[i]}`)), 2);
  // Audit entries are sent together with the commit.
  assert.equal(await fewest(() => api.license()), 2);
  assert.equal(await fewest((i) => api.ok('PUT', `/licenses/${key}`, { json: { order_id: i + 1 } })), 3);
});

test('the rate limit of an address holds across all nodes', async (t) => {
  const cluster = await createCluster(t, server);
  const limit = 60;
  const nodes = await cluster.nodes(3, { LATCHKEY_RATE_LIMIT: String(limit), LATCHKEY_TRUST_PROXY: 'yes' });
  const ask = (headers: Record<string, string>) =>
    Promise.all(
      Array.from({ length: 3 * limit }, (_, i) =>
        (nodes[i % nodes.length] ?? nodes[0]).call('GET', `/licenses/${newKey()}`, { headers }),
      ),
    );
  const [headers, answers] = await exactOf(async (from) => {
    const headers = { 'x-forwarded-for': from };
    const answers = await ask(headers);
    const allowed = answers.filter(({ status }) => status === 404).length;
    return allowed === limit ? ([headers, answers] as const) : null;
  });
  const refused = answers.filter(({ status }) => status === 429);
  assert.equal(limit + refused.length, answers.length);
  for (const { headers } of refused) {
    const wait = Number(headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 60, String(wait));
  }
  for (const node of nodes) assert.equal((await node.call('GET', '/licenses', { headers })).status, 429);
});
