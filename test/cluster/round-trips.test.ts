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
  /** Ways to the server and back since the last call, of connections that ask for something. */
  count(): number;
  /** Texts of statements that were sent since then. */
  sent(): string;
}

/** Stands before the server and counts how often it is sent something after it has answered. */
async function countRoundTrips(t: TestContext): Promise<Counter> {
  let [trips, sent] = [0, ''];
  const proxy = createServer((client) => {
    const onward = connect(server.port, '127.0.0.1');
    let isListening = false;
    let isAnswered = true;
    client.on('data', (data) => {
      const text = data.toString('latin1');
      // The connection that listens gives signs of life all the time.
      isListening ||= text.includes('listen latchkey');
      // Nor is the audit trail looked at for a request.
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

test('validate is one way to the database, activate, deactivate and a list two; what is hot is prepared once', async (t) => {
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
  // On each connection for lists.
  await Promise.all(Array.from({ length: 16 }, () => api.ok('GET', '/licenses')));
  await Promise.all(Array.from({ length: 16 }, () => api.ok('GET', '/licenses', { query: { before: 5 } })));
  const unchained =
    'select count(*)::int from audit_entries where id not in (select entry_id from audit_chain)';
  await until(
    'every entry has its place',
    async () => (await single(server, cluster.database, unchained)) === 0,
  );
  // The fewest: now and then the API key is read again, a flush of housekeeping comes between, or one way arrives in pieces.
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
  // With more connections, the license and the software are looked up at the same time.
  assert.equal(await trips(`/licenses/activate/${key}`, { software: software.id }), 3);
  assert.equal(await trips('/licenses'), 2);
  assert.equal(await trips('/licenses', { before: 5 }), 2);
  // But for what a node does by itself, on whichever connection is free.
  const own = /select "name", "value" from "meta"|update "api_keys" set "last_access_at"/g;
  const sent = counter.sent().replaceAll(own, '');
  assert.equal(
    /(select|update|insert).{0,300}/is.exec(sent)?.[0],
    undefined,
    'statements are called by their names',
  );
  assert.equal(await fewest((i) => api.ok('GET', `/licenses/deactivate/${tokens[i]}`)), 2);
  // What the audit trail is told travels with the commit.
  assert.equal(await fewest(() => api.license()), 2);
  assert.equal(await fewest((i) => api.ok('PUT', `/licenses/${key}`, { json: { order_id: i + 1 } })), 3);
});

test('a limit on the requests of an address holds over all nodes together', async (t) => {
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
