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
  const owner = '0123456789ab';
  const hash = hexHash('sha256', 'bytes');
  const key = `${hash.slice(0, 2)}/${hash}.${owner}-1`;
  const file = join(folder, key);
  mkdirSync(join(folder, 'incoming'), { recursive: true });
  mkdirSync(dirname(file));
  const sweepInWhichItDies = {
    ...service.artifacts,
    async *settledKeys(which: { byAge: boolean }) {
      yield* service.artifacts.settledKeys(which);
      writeFileSync(file, 'bytes');
      // A lock that nobody holds belongs to a dead process.
      writeFileSync(join(folder, 'incoming', `${owner}.lock`), '');
    },
  };
  const only = { byAge: false };
  const none = { orphans: [], partialUploads: 0 };
  assert.deepEqual(await removeLeftovers({ ...service, artifacts: sweepInWhichItDies }, only), none);
  assert.deepEqual(await removeLeftovers(service, only), { orphans: [key], partialUploads: 0 });
  assert.deepEqual(await removeLeftovers(service, only), none);
});
