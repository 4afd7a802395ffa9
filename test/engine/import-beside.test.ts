import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { importLicenses, readLine } from '../../src/app/batches/import-licenses.ts';
import { discardStaged } from '../../src/app/batches/staged-licenses.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { DAY_MS, HOUR_MS, toDatetime } from '../../src/domain/datetime.ts';
import { LICENSE_DEFAULTS } from '../../src/domain/licenses/license.ts';
import { keepHouse } from '../../src/server/housekeeping.ts';
import { type StagedLicense, StoreUnavailable } from '../../src/store/store.ts';
import { databaseEnvironment, numberOf } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { silent } from '../support/log.ts';
import { cleanEnvironment } from '../support/process.ts';
import { START } from '../support/program.ts';
import { startService } from '../support/service.ts';

function csv(rows: number): string {
  const file = join(temporaryFolder(), 'licenses.csv');
  const lines = Array.from({ length: rows }, (_, i) => `IMPORTED-${i},3,0,5`);
  writeFileSync(file, `license_key,status,valid_for,activations_limit\n${lines.join('\n')}\n`);
  return file;
}

/** Runs `latchkey license import` in a process of its own. */
async function startImport(t: TestContext, dataDir: string, rows: number): Promise<ChildProcess> {
  const args = [START, 'license', 'import', csv(rows), '--data-dir', dataDir];
  const env = { ...cleanEnvironment(), ...(await databaseEnvironment(dataDir)) };
  const child = spawn(process.execPath, args, { env });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

const count = (dataDir: string, table: string): Promise<number> =>
  numberOf(dataDir, `select count(*) from ${table}`);

/** Waits until the import of another process has staged something. */
async function staging(dataDir: string, child: ChildProcess): Promise<void> {
  while ((await count(dataDir, 'staged_licenses')) === 0) {
    assert.equal(child.exitCode, null, 'the import ended before a staged row was seen');
    await setTimeout(2);
  }
}

test('200 activations of 10 seats during an import of 4,000 licenses take exactly 10, and the import completes', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const { license_key: key } = await api.license({ activations_limit: 10 });
  const child = await startImport(t, dataDir, 4_000);
  const ended = once(child, 'exit');
  await staging(dataDir, child);
  const path = `/licenses/activate/${key}`;
  const answers = await Promise.all(Array.from({ length: 200 }, () => api.call('GET', path)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  assert.equal(answers.filter(({ body }) => body.code === 'license_activation_limit_reached').length, 190);
  assert.deepEqual(await ended, [0, null]);
  assert.equal(await count(dataDir, 'activations'), 10);
  assert.equal(await count(dataDir, 'licenses'), 4_001);
  assert.equal(await count(dataDir, 'staged_licenses'), 0);
});

test('a killed import leaves no license, and its staged rows are removed after a day', async (t) => {
  let now = Date.now();
  const { dataDir, service } = await startService(t, { clock: () => now });
  const child = await startImport(t, dataDir, 50_000);
  await staging(dataDir, child);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  assert.equal(await count(dataDir, 'licenses'), 0);
  const dayAgo = () => toDatetime(now - DAY_MS);
  await discardStaged(service.execute, { before: dayAgo() });
  assert.ok((await count(dataDir, 'staged_licenses')) > 0, 'a batch that may still run must stay');
  now += 2 * DAY_MS;
  await discardStaged(service.execute, { before: dayAgo() });
  assert.equal(await count(dataDir, 'staged_licenses'), 0);
});

const NOTED = 450;
async function* notedLines() {
  for (let line = 1; line <= NOTED; line++)
    yield { line, values: { license_key: `NOTED-${line}`, note: `note ${line}`, tags: 'imported' } };
}

for (const [when, job, nth] of [
  ['before the answer to its commit', 'commit-staged-licenses', 1],
  ['while it writes notes', 'note-staged-licenses', 2],
] as const)
  test(`an import that loses the database ${when} gets its notes two hours later, beside what people wrote`, async (t) => {
    let now = Date.now();
    const { dataDir, service, ...api } = await startService(t, { clock: () => now });
    const run = service.store.run.bind(service.store);
    let times = 0;
    service.store.run = async (one) => {
      const isNth = one.name === job && ++times === nth;
      if (isNth && job === 'note-staged-licenses') throw new StoreUnavailable('away');
      const result = await run(one);
      if (isNth) throw new StoreUnavailable('away');
      return result;
    };
    const options = { skipBad: false, defaults: LICENSE_DEFAULTS };
    const wasNoted = job === 'note-staged-licenses';
    const imported = importLicenses(service, notedLines(), options, SYSTEM);
    if (wasNoted) {
      const { done, owesNotes } = await imported;
      assert.deepEqual([done, owesNotes], [true, true]);
    } else await assert.rejects(imported, StoreUnavailable);
    assert.equal(await count(dataDir, 'licenses'), NOTED);
    const { read } = service.store;
    const edit = async (key: string, changes: { note: string | null; tags?: null }) => {
      const id = Number((await read.licenses.find({ key }))?.id);
      await service.execute('update-license-notes', { id, changes }, SYSTEM);
      return () => read.notes.one(id);
    };
    const first = await edit('NOTED-1', { note: null, tags: null });
    const last = await edit(`NOTED-${NOTED}`, { note: 'a newer note' });
    // A whole record that a client sends back.
    const key = `NOTED-${NOTED - 1}`;
    await api.ok('PUT', `/licenses/${key}`, { json: { license_key: key, order_id: 7 } });
    // Another import began at the same time and may still run.
    const values = { license_key: 'RUNNING', note: 'a note' };
    const licenses = [readLine({ line: 1, values }, LICENSE_DEFAULTS, toDatetime(now)) as StagedLicense];
    await service.execute('stage-licenses', { batch: 'running', licenses }, SYSTEM);

    now += 2 * HOUR_MS;
    await keepHouse(service, { downloadDays: 0, eventDays: 30, trashDays: 30 }, silent);
    assert.equal(await count(dataDir, 'license_notes'), wasNoted ? NOTED - 1 : NOTED);
    assert.equal((await first()).note, wasNoted ? null : 'note 1');
    assert.deepEqual(await last(), { note: 'a newer note', tags: ['imported'], meta: [] });
    assert.equal(await count(dataDir, 'staged_licenses'), 1);
  });

test('saved keys are returned even if their staged rows cannot be deleted yet', async (t) => {
  const { dataDir, service, ...api } = await startService(t);
  const { id } = await api.generator();
  const run = service.store.run.bind(service.store);
  // The database becomes unavailable just after the commit.
  let away = false;
  service.store.run = async (job) => {
    if (away) throw new StoreUnavailable('away');
    const result = await run(job);
    away = job.name === 'commit-staged-licenses';
    return result;
  };
  const keys = await api.ok('POST', `/generators/${id}/generate`, { json: { amount: 50, save: true } });
  assert.equal(keys.length, 50);
  assert.equal(await count(dataDir, 'licenses'), 50);
});

/** The number of keys that other callers take first, as when many use up one template. */
const TAKEN = 20;

test('a batch is repeated whenever a key is taken between staging and commit', async (t) => {
  const { dataDir, service, ...api } = await startService(t);
  const { id } = await api.generator();
  const run = service.store.run.bind(service.store);
  const staged: string[] = [];
  let commits = 0;
  service.store.run = async (job) => {
    if (job.name === 'stage-licenses') {
      const { licenses } = job.input as { licenses: { key: string }[] };
      staged.push(...licenses.map(({ key }) => key));
    }
    if (job.name === 'commit-staged-licenses' && ++commits <= TAKEN) {
      await api.license({ license_key: staged.at(-50 + 3) as string });
      const result = await run(job);
      const refusal = { code: 'staged_keys_exist', args: { rows: [3] } };
      assert.deepEqual(result, { ok: false, refusal });
      assert.equal(await count(dataDir, 'licenses'), commits, 'a refused batch must not be saved in part');
      return result;
    }
    return run(job);
  };
  const keys = await api.ok('POST', `/generators/${id}/generate`, { json: { amount: 50, save: true } });
  assert.deepEqual([keys.length, keys.includes(staged[3]), commits], [50, false, TAKEN + 1]);
  assert.deepEqual(keys, staged.slice(-50));
  assert.equal(await count(dataDir, 'licenses'), TAKEN + 50);
  assert.equal(await count(dataDir, 'staged_licenses'), 0);
});
