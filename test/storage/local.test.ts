import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createLocalStore } from '../../src/storage/local.ts';
import { StorageUnavailable } from '../../src/storage/storage.ts';
import { createCli, faults } from '../cli/cli.ts';
import { runSql } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { storedFiles } from '../support/http/artifacts.ts';
import { startService } from '../support/service.ts';
import { fileOf, keysOf, put, read } from '../support/storage/byte-store.ts';

/** Makes the disk fail: replaces the folder with a file, which gives ENOTDIR even to root. */
function breakFolder(folder: string): void {
  renameSync(folder, `${folder}.away`);
  writeFileSync(folder, '');
}

test('every operation on a failing disk throws StorageUnavailable', async () => {
  const folder = join(temporaryFolder(), 'artifacts');
  mkdirSync(folder);
  const store = createLocalStore(folder);
  const key = await put(store, 'bytes');
  breakFolder(folder);
  const OPERATIONS = {
    put: () => store.put(key, fileOf('new')),
    open: () => read(store, key, 0, 2),
    size: () => store.size(key),
    remove: () => store.remove(key),
    keys: () => keysOf(store),
  };
  for (const [name, operation] of Object.entries(OPERATIONS))
    await assert.rejects(operation, StorageUnavailable, name);
});

test('a download from a failing disk answers 503 and reveals nothing about the disk', async (t) => {
  const api = await startService(t);
  const { id } = await api.software({ access: 'public' });
  await api.release(id);
  const { download_url } = await api.ok('GET', `/software/${id}`);
  breakFolder(dirname(storedFiles(api.dataDir, 'bytes')[0] as string));
  const answer = await fetch(download_url);
  const body = await answer.text();
  assert.equal(answer.status, 503, body);
  assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
  assert.ok(!body.includes(api.dataDir));
});

test('a storage key in the database that names another file is never served, deleted or backed up', async (t) => {
  const api = await startService(t);
  const { id } = await api.software({ access: 'public' });
  const release = await api.release(id);
  const { download_url } = await api.ok('GET', `/software/${id}`);
  const secret = join(api.dataDir, 'master.key');
  const content = readFileSync(secret);
  await runSql(api.dataDir, `update artifacts set storage_key = '../master.key', size = ${content.length}`);
  const answer = await fetch(download_url);
  assert.equal(answer.status, 500);
  assert.ok(!(await answer.text()).includes(content.toString().trim()));
  const cli = createCli(api.dataDir);
  assert.match(await cli.fails(1, ['backup']), /\.\.\/master\.key/);
  assert.match((await faults(cli, 1))['Release files'] ?? '', /^fail: /);
  await api.ok('DELETE', `/software/${id}/releases/${release.id}`);
  await cli.run(['doctor', '--fix']);
  assert.deepEqual(readFileSync(secret), content);
});

test('a symbolic link in place of a file counts as missing, and is neither served nor backed up', async (t) => {
  const api = await startService(t);
  const { id } = await api.software({ access: 'public' });
  await api.release(id);
  const { download_url } = await api.ok('GET', `/software/${id}`);
  const [file = ''] = storedFiles(api.dataDir, 'bytes');
  const target = join(temporaryFolder(), 'secret');
  // The target has the content of the file: the link must not be followed even then.
  writeFileSync(target, readFileSync(file));
  rmSync(file);
  symlinkSync(target, file);
  assert.equal((await fetch(download_url)).status, 500);
  const cli = createCli(api.dataDir);
  assert.match(await cli.fails(1, ['backup']), /missing or changed/);
  assert.match((await faults(cli, 1))['Release files'] ?? '', /^fail: /);
});
