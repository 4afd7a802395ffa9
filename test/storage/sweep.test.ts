import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { removeLeftovers } from '../../src/app/releases/leftovers.ts';
import { hexHash } from '../support/http/artifacts.ts';
import { startService } from '../support/service.ts';

test('a sweep removes what a process left that died during the previous sweep', async (t) => {
  const { service, dataDir } = await startService(t);
  const folder = join(dataDir, 'artifacts');
  // A lock that nobody holds belongs to a dead process.
  const die = (owner: string) => writeFileSync(join(folder, 'incoming', `${owner}.lock`), '');
  const owner = '0123456789ab';
  const hash = hexHash('sha256', 'bytes');
  const key = `${hash.slice(0, 2)}/${hash}.${owner}-1`;
  const file = join(folder, key);
  mkdirSync(join(folder, 'incoming'), { recursive: true });
  mkdirSync(dirname(file));
  die('ba9876543210');
  const sweepInWhichItDies = {
    ...service.artifacts,
    async *settledKeys(which: { byAge: boolean }) {
      yield* service.artifacts.settledKeys(which);
      writeFileSync(file, 'bytes');
      die(owner);
    },
  };
  const only = { byAge: false };
  const none = { orphans: [], partialUploads: 0 };
  assert.deepEqual(await removeLeftovers({ ...service, artifacts: sweepInWhichItDies }, only), none);
  assert.deepEqual(await removeLeftovers(service, only), { orphans: [key], partialUploads: 0 });
  assert.deepEqual(await removeLeftovers(service, only), none);
});

test('a sweep lists the storage only if a process has died, or for bytes of unknown processes', async (t) => {
  const { service } = await startService(t);
  let lists = 0;
  const counting = {
    ...service.artifacts,
    settledKeys(which: { byAge: boolean }) {
      lists++;
      return service.artifacts.settledKeys(which);
    },
  };
  await removeLeftovers({ ...service, artifacts: counting }, { byAge: false });
  assert.equal(lists, 0);
  await removeLeftovers({ ...service, artifacts: counting }, { byAge: true });
  assert.equal(lists, 1);
});
