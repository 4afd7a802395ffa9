import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Credentials } from '../../../src/app/api-keys/credentials.ts';
import type { Api } from '../http/api.ts';
import { type Cluster, pause, single, until } from './cluster.ts';

/** Milliseconds after its commit that a revocation must have reached every node. */
const REACHES_MS = 1_000;

/** A new API key, and its id, made on the command line. */
async function makeApiKey(cluster: Cluster): Promise<{ id: number; credentials: Credentials }> {
  const { stdout, stderr } = await cluster.cli(['api-key', 'create', '--json']);
  assert.equal(stderr, '');
  const { id, consumer_key: consumerKey, consumer_secret: consumerSecret } = JSON.parse(stdout);
  return { id, credentials: { consumerKey, consumerSecret } };
}

/** Asks one node again and again with an API key: when each answer was asked for, and whether it was given. */
export function askAlways(node: Api, credentials: Credentials) {
  const asked: { at: number; status: number }[] = [];
  let isOver = false;
  const running = (async () => {
    for (; !isOver; await pause(10)) {
      const at = performance.now();
      // A token that nobody has: 404 means that the API key was good.
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

/** What is refused of an API key, and how that shows in the database. */
interface Refused {
  status: number;
  /** SQL of its row. */
  where: string;
}
const REVOKED: Refused = { status: 401, where: 'revoked_at is not null' };
/** For a key that may not validate any more. */
export const NARROWED: Refused = { status: 403, where: "endpoints not like '%validate%'" };

/** Sees to it that an API key in use on every node is refused by all of them in time, once `revoke` has revoked it. */
export async function shownRefused(
  t: TestContext,
  cluster: Cluster,
  nodes: readonly Api[],
  revoke: (id: number) => Promise<void>,
  refused: Refused = REVOKED,
): Promise<void> {
  const { id, credentials } = await makeApiKey(cluster);
  const asking = nodes.map((node) => askAlways(node, credentials));
  // Long enough that it is remembered for being heard of, not for being new.
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
    assert.ok(last < revokedAt + REACHES_MS, `taken ${last - revokedAt} ms after it was revoked`);
  }
  t.diagnostic(`last taken, in ms after the commit, by node: ${took.join(', ')}`);
}

export async function revokeOnCommandLine(cluster: Cluster, id: number): Promise<void> {
  const { code, stderr } = await cluster.cli(['api-key', 'revoke', String(id)]);
  assert.equal(code, 0, stderr);
}
