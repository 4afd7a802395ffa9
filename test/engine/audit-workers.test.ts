import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { databaseEnvironment, numberOf } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { newKey } from '../support/http/api.ts';
import { runLatchkey, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { answeredInTime, startWorkers } from '../support/workers.ts';

const folder = temporaryFolder();
const api = await startWorkers({ after }, folder);

const latchkey = async (args: string[]) =>
  runLatchkey(args, { env: { LATCHKEY_DATA_DIR: folder, ...(await databaseEnvironment(folder)) } });

test('the changes of several processes and of the command line form one chain', async () => {
  const count = 300;
  const created: number[] = [];
  // New connections go to the workers in turn.
  const clients = Array.from({ length: 6 }, async () => {
    while (created.length < count) {
      const headers = { connection: 'close' };
      const json = { license_key: newKey(), valid_for: 0, status: 3, activations_limit: 1 };
      const { status, body } = await answeredInTime(() => api.call('POST', '/licenses', { json, headers }));
      assert.equal(status, 200, JSON.stringify(body));
      created.push(body.data.id);
    }
  });
  const args = ['license', 'create', '--license-key', newKey(), '--json'];
  const beside = latchkey(args);
  await Promise.all(clients);
  const { code, stdout } = await beside;
  assert.equal(code, 0);
  created.push(JSON.parse(stdout).id);

  const entries = () => numberOf(folder, 'select count(*) from audit_entries');
  const chained = () => numberOf(folder, 'select count(*) from audit_chain');
  // The server chains entries periodically.
  await until(async () => (await chained()) === (await entries()));
  const own = `from audit_entries where subject_type = 'license' and subject_id in (${created.join()})`;
  assert.equal(await numberOf(folder, `select count(*) ${own}`), created.length);
  assert.equal(await numberOf(folder, `select count(distinct subject_id) ${own}`), created.length);
  const verified = await latchkey(['audit', 'verify', '--json']);
  assert.deepEqual([verified.code, verified.stderr], [0, ''], verified.stdout);
  assert.equal(JSON.parse(verified.stdout).checked, await entries());
});

test('a stop chains all entries, writes the counts, and logs the head', async (t) => {
  const own = temporaryFolder();
  const service = await startProcess(t, own);
  const { license_key: key } = await service.license();
  const { token } = await service.activation(key);
  for (let i = 0; i < 5; i++) await service.ok('GET', `/licenses/validate/${token}`);
  const closed = once(service.child.stdout as NodeJS.ReadableStream, 'close');
  assert.equal(await service.stop(), 0);
  await closed;
  const entries = await numberOf(own, 'select count(*) from audit_entries');
  assert.ok(entries >= 3);
  assert.equal(await numberOf(own, 'select count(*) from audit_chain'), entries);
  assert.equal(await numberOf(own, "select sum(count) from usage_counts where counted = 'validations'"), 5);
  const last = service
    .output()
    .split('\n')
    .findLast((line) => line.includes('"audit_head"'));
  assert.match(JSON.parse(last as string).head, new RegExp(`^${entries}:[0-9a-f]{64}$`));
});
