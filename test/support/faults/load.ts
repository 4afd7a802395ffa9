import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Answer, type Api, newKey } from '../http/api.ts';
import { pause } from '../postgres/cluster.ts';

/** Milliseconds within which the service must answer every request, whatever happens to the database. */
const ANSWERED_MS = 2_000;
/** Milliseconds that a client waits after a 503 answer. */
const AGAIN_MS = 50;

interface Asked {
  /** The start of the request, on the clock of `performance.now()`. */
  at: number;
  ms: number;
  status: number;
}

/** Clients that change and read records all the time, and record the answers. */
export interface Load {
  asked: Asked[];
  /** Stops the clients, and asserts that the service answered every request correctly. */
  stop(): Promise<void>;
  /** Asserts, by asking a node, that every change that was answered 200 is stored. */
  verify(node: Api): Promise<void>;
  /** Returns a line for the output of a test. */
  summary(): string;
}

/**
 * @param limited key of a license that all clients activate until it is full
 * @param answeredMs milliseconds within which the service must answer every request
 */
export function startLoad(
  t: TestContext,
  nodes: readonly Api[],
  clientsOfEach: number,
  limited: string,
  answeredMs = ANSWERED_MS,
): Load {
  const asked: Asked[] = [];
  const faults: string[] = [];
  const created = new Set<string>();
  /**
   * Whether the activation of a token must be valid (true) or deactivated (false); null if a change was not confirmed.
   */
  const activations = new Map<string, boolean | null>();
  let underWay = 0;
  let isOver = false;
  t.after(() => {
    isOver = true;
  });

  async function call(node: Api, method: string, path: string, json?: unknown): Promise<Answer | null> {
    const at = performance.now();
    underWay++;
    let answer: Answer | null = null;
    try {
      answer = await node.call(method, path, json === undefined ? {} : { json });
    } catch (error) {
      faults.push(`${method} ${path}: no answer, ${error}`);
    }
    underWay--;
    const ms = performance.now() - at;
    asked.push({ at, ms, status: answer?.status ?? 0 });
    if (!answer) return null;
    const isBusy =
      answer.status === 503 && answer.body.code === 'server_error' && answer.headers.has('retry-after');
    const isFull = answer.status === 404 && answer.body.code === 'license_activation_limit_reached';
    if (answer.status !== 200 && !isBusy && !isFull)
      faults.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    if (ms > answeredMs) faults.push(`${method} ${path}: ${answer.status} after ${Math.round(ms)} ms`);
    if (isBusy) await pause(AGAIN_MS);
    return answer;
  }

  async function work(node: Api): Promise<void> {
    while (!isOver) {
      const key = newKey();
      const json = { license_key: key, valid_for: 0, status: 3, activations_limit: 5 };
      const made = await call(node, 'POST', '/licenses', json);
      if (made?.status === 200) created.add(key);
      for (const target of made?.status === 200 ? [key, limited] : [limited]) {
        const activated = await call(node, 'GET', `/licenses/activate/${target}`);
        if (activated?.status !== 200) continue;
        const { token } = activated.body.data;
        activations.set(token, true);
        await call(node, 'GET', `/licenses/validate/${token}`);
        if (target === limited || Math.random() < 0.5) continue;
        activations.set(token, null);
        const ended = await call(node, 'GET', `/licenses/deactivate/${token}`);
        if (ended?.status === 200) activations.set(token, false);
      }
    }
  }
  const clients = nodes.flatMap((node) => Array.from({ length: clientsOfEach }, () => work(node)));

  return {
    asked,
    async stop() {
      isOver = true;
      await Promise.race([
        Promise.all(clients),
        new Promise((late) => setTimeout(late, 2 * answeredMs).unref()),
      ]);
      assert.equal(underWay, 0, `${underWay} requests have no answer yet`);
      assert.deepEqual(faults.slice(0, 10), [], `${faults.length} faults`);
    },
    async verify(node) {
      for (const key of created) await node.ok('GET', `/licenses/${key}`);
      for (const [token, isValid] of activations) {
        const { status, body } = await node.call('GET', `/licenses/validate/${token}`);
        const isThere = status === 200 ? true : /deactivated/.test(body.message) ? false : body;
        if (isValid === null) assert.equal(typeof isThere, 'boolean', body.message);
        else assert.equal(isThere, isValid, `${token}: ${JSON.stringify(body)}`);
      }
    },
    summary() {
      const counts = new Map<number, number>();
      for (const { status } of asked) counts.set(status, (counts.get(status) ?? 0) + 1);
      const slowest = Math.round(Math.max(...asked.map(({ ms }) => ms)));
      const statuses = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ');
      return `${statuses}; slowest ${slowest} ms; ${created.size} licenses, ${activations.size} activations`;
    },
  };
}

/** Returns when all nodes worked again, in ms after `since`: the start of the last request that was answered 503. */
export const backAfter = ({ asked }: Load, since: number): number =>
  Math.max(0, ...asked.filter(({ status }) => status === 503).map(({ at }) => at - since));
