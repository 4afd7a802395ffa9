import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Credentials } from '../../../src/app/api-keys/credentials.ts';
import type { Api } from '../http/api.ts';
import { type Cluster, pause, single, until } from './cluster.ts';

/** Milliseconds after its commit within which a revocation must reach every node. */
const REACHES_MS = 1_000;

/** Creates an API key on the command line. */
async function makeApiKey(cluster: Cluster): Promise<{ id: number; credentials: Credentials }> {
  const { stdout, stderr } = await cluster.cli(['api-key', 'create', '--json']);
  assert.equal(stderr, '');
  const { id, consumer_key: consumerKey, consumer_secret: consumerSecret } = JSON.parse(stdout);
  return { id, credentials: { consumerKey, consumerSecret } };
}

/** Sends requests with an API key to a node until `stop`, and records the time and status of each. */
export function askAlways(node: Api, credentials: Credentials) {
  const asked: { at: number; status: number }[] = [];
  let isOver = false;
  const running = (async () => {
    for (; !isOver; await pause(10)) {
      const at = performance.now();
      // No activation has this token: 404 means that the node accepted the API key.
      const { status } = await node.call('GET', '/licenses/validate/none', { credentials });
      asked.push({ at, status });
    }
  })();
  return {
    asked,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

/** How a node answers when it refuses an API key, and how the reason shows in the database. */
interface Refused {
  status: number;
  /** An SQL condition on the row of the API key. */
  where: string;
}
const REVOKED: Refused = { status: 401, where: 'revoked_at is not null' };
/** For a key that may no longer validate. */
export const NARROWED: Refused = { status: 403, where: "endpoints not like '%validate%'" };

/** Asserts that, after `revoke` has revoked an API key in use on every node, all of them refuse it in time. */
export async function shownRefused(
  t: TestContext,
  cluster: Cluster,
  nodes: readonly Api[],
  revoke: (id: number) => Promise<void>,
  refused: Refused = REVOKED,
): Promise<void> {
  const { id, credentials } = await makeApiKey(cluster);
  const asking = nodes.map((node) => askAlways(node, credentials));
  // Longer than AGE_MS (src/store/postgres/caches.ts): now the nodes cache the key only because they listen for
  // changes.
  await pause(1_000);
  const revoking = revoke(id);
  const isRefused = `select ${refused.where} from api_keys where id = ${id}`;
  await until('revoked', async () => (await single(cluster.server, cluster.database, isRefused)) === true);
  const revokedAt = performance.now();
  await pause(REACHES_MS + 300);
  await revoking;

  const took: number[] = [];
  for (const { asked, stop } of asking) {
    await stop();
    assert.ok(asked.filter(({ at, status }) => at < revokedAt && status === 404).length > 10);
    assert.deepEqual([...new Set(asked.map(({ status }) => status))], [404, refused.status]);
    const last = asked.findLast(({ status }) => status === 404)?.at as number;
    took.push(Math.round(last - revokedAt));
    assert.ok(last < revokedAt + REACHES_MS, `accepted ${last - revokedAt} ms after the revocation`);
  }
  t.diagnostic(`last accepted, in ms after the commit, by node: ${took.join(', ')}`);
}

export async function revokeOnCommandLine(cluster: Cluster, id: number): Promise<void> {
  const { code, stderr } = await cluster.cli(['api-key', 'revoke', String(id)]);
  assert.equal(code, 0, stderr);
}
