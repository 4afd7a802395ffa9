import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeBackup } from '../../src/app/backups/back-up.ts';
import { beginArchive } from '../../src/archive/folder.ts';
import { engineOf } from '../../src/installation/engines.ts';
import { temporaryFolder } from '../support/folder.ts';
import { engineConfig, type Running, startService } from '../support/service.ts';

/**
 * Makes a backup, and runs a function at a chosen point.
 * @param when runs before the nth file is opened, or after the nth snapshot of the database has begun
 */
async function backUpWhile(
  api: Running,
  when: { opening?(nth: number): Promise<void>; looking?(nth: number): Promise<void> },
) {
  const engine = await engineOf({ ...(await engineConfig(api.dataDir)) } as never);
  const { artifacts } = api.service;
  const archive = await beginArchive(join(temporaryFolder(), 'a.tar'), 0);
  let [opened, looks] = [0, 0];
  const from = {
    engine: engine.kind,
    latchkey: '0.0.0',
    at: 0,
    clock: Date.now,
    async openSource() {
      const source = await engine.source();
      await when.looking?.(++looks);
      return source;
    },
    files: {
      open: async (...file: Parameters<typeof artifacts.open>) => {
        await when.opening?.(++opened);
        return artifacts.open(...file);
      },
    },
  };
  const watched = { signal: new AbortController().signal, onProgress: () => {} };
  return makeBackup(from, archive, watched).finally(archive.close);
}

const publish = (api: Running, id: number, version: string) =>
  api.release(id, { version, file: new File([`bytes of ${version}`], 'a') });

test('a backup has exactly the files that it refers to, even if releases change during the backup', async (t) => {
  const api = await startService(t);
  const { id } = await api.software();
  const kept = await publish(api, id, '1');
  const gone = await publish(api, id, '2');
  const early = await publish(api, id, '3');
  let late: { id: number; sha256: string } | null = null;
  const looked: number[] = [];
  const { manifest, verified } = await backUpWhile(api, {
    async opening(nth) {
      // Delete one release before its file is copied, and one after.
      if (nth === 2)
        for (const one of [gone, early]) await api.ok('DELETE', `/software/${id}/releases/${one.id}`);
      if (nth === 3) late = await publish(api, id, '4');
    },
    async looking(nth) {
      looked.push(nth);
      // The snapshot has the release, and its file is gone.
      if (nth === 2) {
        await api.ok('DELETE', `/software/${id}/releases/${late?.id}`);
        await publish(api, id, '5');
      }
    },
  });
  assert.deepEqual(verified.problems, []);
  assert.deepEqual(looked, [1, 2, 3]);
  const files = manifest.artifacts ?? [];
  const inUse = files.filter((file) => file.in_use).map(({ sha256 }) => sha256);
  const [last] = await api.ok('GET', `/software/${id}/releases`);
  assert.deepEqual(inUse.sort(), [kept.sha256, last.sha256].sort());
  assert.equal(manifest.tables.find(({ name }) => name === 'releases')?.rows, 2);
});

test('a copied file whose release was deleted during the backup is marked as unused', async (t) => {
  const api = await startService(t);
  const { id } = await api.software();
  const [first, second] = [await publish(api, id, '1'), await publish(api, id, '2')];
  const { manifest, verified } = await backUpWhile(api, {
    async opening(nth) {
      if (nth === 2) await api.ok('DELETE', `/software/${id}/releases/${first.id}`);
    },
  });
  assert.deepEqual(verified.problems, []);
  assert.deepEqual(
    manifest.artifacts?.map(({ sha256, in_use }) => [sha256, in_use]),
    [
      [first.sha256, false],
      [second.sha256, true],
    ],
  );
});

test('a lost file fails the backup', async (t) => {
  const api = await startService(t);
  const { id } = await api.software();
  await publish(api, id, '1');
  const [{ key = '' } = {}] = await api.service.store.read.artifacts.list();
  await api.service.artifacts.remove(key);
  await assert.rejects(backUpWhile(api, {}), { name: 'FileLost', message: `${key} is not there` });
});
