import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createCli } from '../cli/cli.ts';
import { databaseUrl, dropDatabase, ENGINE, numberOf } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Api, newKey, type Record_ } from '../support/http/api.ts';
import { startProcess } from '../support/process.ts';
import { atStep, keyFile, restElsewhere, startRotation } from '../support/rotation.ts';
import { until } from '../support/until.ts';
import { startWorkers } from '../support/workers.ts';

const IMPORTED = 500;
/** Milliseconds between the steps of a rotation: longer than the polling interval of processes. */
const SETTLE = 2_500;
/** Milliseconds that a client waits between two licenses, for a constant load that does not saturate the machine. */
const PAUSE = 250;
/** Licenses that other programs import and generate during the first rotation. */
const MORE = { imported: 3_000, generated: 8_000 };

/** Starts clients that create, rename, activate, validate, deactivate and list. Any answer except 200 is a fault. */
function startClients(nodes: readonly Api[], ofEach: number) {
  const faults: string[] = [];
  /** License keys by id. */
  const keys = new Map<number, string>();
  /** Tokens, and whether they are valid. */
  const tokens = new Map<string, boolean>();
  let requests = 0;
  let isOver = false;
  async function ask(node: Api, method: string, path: string, json?: unknown): Promise<Record_ | null> {
    requests++;
    const { status, body } = await node.call(method, path, json === undefined ? {} : { json });
    if (status === 200) return body.data;
    faults.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return null;
  }
  async function work(node: Api, nth: number): Promise<void> {
    while (!isOver) {
      const json = { license_key: newKey(), valid_for: 0, status: 3, activations_limit: 5 };
      const made = await ask(node, 'POST', '/licenses', json);
      if (!made) continue;
      keys.set(made.id, made.license_key);
      const renamed = await ask(node, 'PUT', `/licenses/${made.license_key}`, { license_key: newKey() });
      if (renamed) keys.set(made.id, renamed.license_key);
      const activated = await ask(node, 'GET', `/licenses/activate/${keys.get(made.id)}`);
      if (!activated) continue;
      tokens.set(activated.token, true);
      await ask(node, 'GET', `/licenses/validate/${activated.token}`);
      await ask(node, 'GET', `/licenses/KEY-${(requests * 7 + nth) % IMPORTED}`);
      await ask(node, 'GET', '/licenses?per_page=50');
      await setTimeout(PAUSE);
      if (requests % 2 === 0) continue;
      if (await ask(node, 'GET', `/licenses/deactivate/${activated.token}`))
        tokens.set(activated.token, false);
    }
  }
  const clients = nodes.flatMap((node) => Array.from({ length: ofEach }, (_, i) => work(node, i)));
  return {
    count: () => requests,
    async stop() {
      isOver = true;
      await Promise.all(clients);
      assert.deepEqual(faults.slice(0, 5), [], `${faults.length} faults`);
      return { keys, tokens };
    },
  };
}

async function startNodes(t: Parameters<typeof startProcess>[0], dataDir: string) {
  if (ENGINE === 'sqlite') return [await startWorkers(t, dataDir, { env: { LATCHKEY_WORKERS: '2' } })];
  const first = await startProcess(t, dataDir);
  return [first, await startProcess(t, dataDir, { credentials: first.credentials })];
}

test('two rotations of the master key under load fail no request and lose no data', async (t) => {
  const dataDir = temporaryFolder();
  await databaseUrl(dataDir);
  t.after(() => dropDatabase(dataDir));
  const lines = Array.from({ length: IMPORTED }, (_, i) => `KEY-${i}`);
  await createCli(dataDir).ok(['license', 'import', '-'], { input: ['license_key', ...lines].join('\n') });
  const nodes = await startNodes(t, dataDir);
  const node = nodes[0] as Api;
  const generator = await node.generator({ name: 'Load' });
  const before = await node.ok('GET', '/licenses/KEY-7');
  const clients = startClients(nodes, 2);
  await until(() => clients.count() > 50);

  const keys = [keyFile(dataDir)];
  for (let nth = 0; nth < 2; nth++) {
    const rotation = await startRotation(t, dataDir, SETTLE);
    const ended = new Promise((resolve) => rotation.once('exit', resolve));
    await atStep(dataDir, rotation, 'announced');
    if (nth === 0) {
      // Other programs stage licenses from before the switch until after it.
      const more = Array.from({ length: MORE.imported }, (_, i) => `MORE-${i}`).join('\n');
      await Promise.all([
        createCli(dataDir).ok(['license', 'import', '-'], { input: `license_key\n${more}` }),
        createCli(dataDir).ok([
          ...['generator', 'generate', String(generator.id), '--amount', String(MORE.generated), '--save'],
        ]),
      ]);
    }
    assert.equal(await ended, 0);
    keys.push(keyFile(dataDir));
    const after = clients.count();
    await until(() => clients.count() > after + 50);
  }
  const { keys: made, tokens } = await clients.stop();
  assert.equal(new Set(keys.map(String)).size, 3);

  assert.equal(await restElsewhere(dataDir, keys.at(-1) as Buffer), 0);
  const total = IMPORTED + MORE.imported + MORE.generated + made.size;
  assert.equal(await numberOf(dataDir, 'select count(*) from licenses'), total);
  assert.equal(
    await numberOf(dataDir, 'select count(*) from licenses where updated_at is not null'),
    made.size,
  );
  assert.deepEqual(await node.ok('GET', '/licenses/KEY-7'), before);
  const restarted = await startProcess(t, dataDir, { credentials: nodes[0]?.credentials as never });
  for (const api of [...nodes, restarted]) {
    for (const [id, key] of made) assert.equal((await api.ok('GET', `/licenses/${key}`)).id, id);
    for (const [token, isValid] of tokens) {
      const { status } = await api.call('GET', `/licenses/validate/${token}`);
      assert.equal(status === 200, isValid, token);
    }
  }
  t.diagnostic(
    `${clients.count()} requests, ${made.size} licenses made and renamed, ${tokens.size} activations`,
  );
});
