import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { discardAbandoned } from '../../src/app/license-batch.ts';
import { toDatetime } from '../../src/domain/datetime.ts';
import { databaseFile, SYSTEM } from '../../src/service.ts';
import { temporaryFolder } from '../support/folder.ts';
import { MAIN } from '../support/process.ts';
import { startService } from '../support/service.ts';

const DAY_MS = 86_400_000;

function csv(rows: number): string {
  const file = join(temporaryFolder(), 'licenses.csv');
  const lines = Array.from({ length: rows }, (_, i) => `IMPORTED-${i},3,0,5`);
  writeFileSync(file, `license_key,status,valid_for,activations_limit\n${lines.join('\n')}\n`);
  return file;
}

/** `latchkey license import` in a process of its own. */
function startImport(t: TestContext, dataDir: string, rows: number): ChildProcess {
  const child = spawn(process.execPath, [MAIN, 'license', 'import', csv(rows), '--data-dir', dataDir]);
  t.after(() => child.kill('SIGKILL'));
  return child;
}

function count(dataDir: string, table: string): number {
  const database = new DatabaseSync(databaseFile(dataDir), { readOnly: true });
  const n = Number(database.prepare(`select count(*) n from ${table}`).get()?.n);
  database.close();
  return n;
}

/** Waits until the import of another process has written something. */
async function staging(dataDir: string): Promise<void> {
  while (count(dataDir, 'staged_licenses') === 0) await new Promise((resolve) => setImmediate(resolve));
}

test('200 activations of 10 places while another process imports 20,000 licenses: exactly 10, and all imported', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const { license_key: key } = await api.license({ activations_limit: 10 });
  const child = startImport(t, dataDir, 20_000);
  const ended = once(child, 'exit');
  await staging(dataDir);
  const path = `/licenses/activate/${key}`;
  const answers = await Promise.all(Array.from({ length: 200 }, () => api.call('GET', path)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  assert.equal(answers.filter(({ body }) => body.code === 'license_activation_limit_reached').length, 190);
  assert.deepEqual(await ended, [0, null]);
  assert.equal(count(dataDir, 'activations'), 10);
  assert.equal(count(dataDir, 'licenses'), 20_001);
  assert.equal(count(dataDir, 'staged_licenses'), 0);
});

test('an import that is killed leaves no license, and what it had staged is removed after a day', async (t) => {
  let now = Date.now();
  const { dataDir, service } = await startService(t, { clock: () => now });
  const child = startImport(t, dataDir, 50_000);
  await staging(dataDir);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  assert.equal(count(dataDir, 'licenses'), 0);
  const dayAgo = () => toDatetime(now - DAY_MS);
  await discardAbandoned(service.execute, dayAgo(), SYSTEM);
  assert.ok(count(dataDir, 'staged_licenses') > 0, 'a batch that may be running is left alone');
  now += 2 * DAY_MS;
  await discardAbandoned(service.execute, dayAgo(), SYSTEM);
  assert.equal(count(dataDir, 'staged_licenses'), 0);
});

test('keys that were saved are answered, though what was staged of them cannot be removed yet', async (t) => {
  const { dataDir, service, ...api } = await startService(t, { patience: 100 });
  const { id } = await api.generator();
  const run = service.store.run.bind(service.store);
  // The database is away from the moment after the commit.
  const other = new DatabaseSync(databaseFile(dataDir));
  t.after(() => other.close());
  service.store.run = async (job) => {
    const result = await run(job);
    if (job.name === 'commit-staged-licenses') other.exec('begin immediate');
    return result;
  };
  const keys = await api.ok('POST', `/generators/${id}/generate`, { json: { amount: 50, save: true } });
  other.exec('commit');
  assert.equal(keys.length, 50);
  assert.equal(count(dataDir, 'licenses'), 50);
});
