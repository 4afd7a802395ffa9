import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { becomeOwner, forgetOwners, knownOwners } from '../../src/storage/owner.ts';
import { temporaryFolder } from '../support/folder.ts';

const OWNER = new URL('../../src/storage/owner.ts', import.meta.url).href;

test('a process that is about to become an owner does not count as dead', async () => {
  const folder = temporaryFolder();
  const lock = new DatabaseSync(join(folder, 'abc.lock.new'));
  lock.exec('pragma journal_mode = memory; begin exclusive');
  await forgetOwners(folder, []);
  assert.deepEqual(readdirSync(folder), ['abc.lock.new']);
  lock.close();
  await forgetOwners(folder, []);
  assert.deepEqual(readdirSync(folder), []);
});

test('owners can be created while another thread sweeps continuously', async (t) => {
  const folder = temporaryFolder();
  const sweeper = new Worker(
    `import(${JSON.stringify(OWNER)}).then(async ({ forgetOwners }) => {
      require('node:worker_threads').parentPort.postMessage('sweeping');
      for (;;) await forgetOwners(${JSON.stringify(folder)}, []);
    });`,
    { eval: true },
  );
  t.after(() => sweeper.terminate());
  await once(sweeper, 'message');
  for (let i = 0; i < 300; i++) {
    const owner = becomeOwner(folder);
    assert.ok((await knownOwners(folder)).alive.has(owner.name));
    owner.close();
  }
});

test('only the user who runs a process can read its lock file, and so hold the lock', () => {
  const folder = join(temporaryFolder(), 'incoming');
  const umask = process.umask(0o022);
  const owner = becomeOwner(folder);
  process.umask(umask);
  assert.deepEqual(
    readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777),
    [0o600],
  );
  owner.close();
});
