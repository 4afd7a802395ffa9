import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/folder.ts';

const RUN = fileURLToPath(new URL('../../bench/run.ts', import.meta.url));
const LICENSES = 200;
const skip = process.platform === 'linux' ? false : 'processor time is read from /proc: Linux only';

test('the benchmark ends with its figures as one line of JSON and leaves its data set unchanged', {
  skip,
}, async () => {
  const folder = temporaryFolder();
  const flags = ['--quick', '--seconds', '0.03', '--scenarios', 'validate,deactivate,create,mixed'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...[RUN, '--licenses', String(LICENSES), '--folder', folder],
    ...flags,
  ]);
  const report = JSON.parse(stdout.trimEnd().split('\n').at(-1) as string);
  assert.equal(report.engine, 'sqlite');
  assert.equal(report.licenses, LICENSES);
  for (const name of ['start_ms', 'resident_mib', 'database_mib', 'dataset_s'])
    assert.ok(report[name] > 0, name);
  assert.deepEqual(Object.keys(report.scenarios), ['validate', 'deactivate', 'create', 'mixed']);
  for (const [name, { c16: figures }] of Object.entries<{ c16: Record<string, number> }>(report.scenarios)) {
    for (const figure of ['rps', 'p50_ms', 'p99_ms', 'cpu_us', 'bare_cpu_us', 'ratio', 'bare_p99_ms'])
      assert.ok(Number(figures[figure]) > 0, `${figure} of ${name}`);
    assert.equal(figures.failed, 0, name);
  }
  assert.ok(report.scenarios.mixed.c16.validate_p99_ms > 0);

  const database = new DatabaseSync(join(folder, `bench-sqlite-${LICENSES}`, 'latchkey.db'), {
    readOnly: true,
  });
  const kept = database.prepare(
    'select count(*) licenses, sum(times_activated) taken, (select count(*) from activations) activations from licenses',
  );
  assert.deepEqual({ ...kept.get() }, { licenses: LICENSES, taken: 3 * LICENSES, activations: 3 * LICENSES });
  database.close();
});
