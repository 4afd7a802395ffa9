import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { after, suite, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { incomingFiles, storedFiles } from '../../support/http/artifacts.ts';
import { startService } from '../../support/service.ts';

/** Which files of releases are on disk, and for how long. */
const api = await startService({ after });
const newSoftware = async (): Promise<number> => (await api.software()).id;
const pathOf = ({ software_id, id }: Record_) => `/software/${software_id}/releases/${id}`;
const fileOf = (bytes: Buffer, name = 'x.zip') => new File([new Uint8Array(bytes)], name);
const release = async (bytes: Buffer, software?: number, version = '1.0'): Promise<Record_> =>
  api.release(software ?? (await newSoftware()), { version, file: fileOf(bytes) });
const stored = (bytes: Buffer) => storedFiles(api.dataDir, bytes);
const nothingComingIn = () => assert.deepEqual(incomingFiles(api.dataDir), []);

test('the service stores the bytes unchanged, readable only by its own user', async () => {
  const bytes = randomBytes(200_001);
  await release(bytes);
  const [file = '', ...more] = stored(bytes);
  assert.deepEqual(more, []);
  assert.deepEqual(readFileSync(file), bytes);
  assert.equal(statSync(file).mode & 0o077, 0);
  nothingComingIn();
});

suite('identical files', () => {
  test('are stored once, for one software record or two, under any name', async () => {
    const bytes = randomBytes(100);
    const one = await release(bytes);
    const two = await release(bytes, one.software_id, '2.0');
    const three = await api.release(await newSoftware(), { file: fileOf(bytes, 'other.tgz') });
    assert.equal(stored(bytes).length, 1);
    assert.deepEqual([two.sha256, three.sha256, three.file_name], [one.sha256, one.sha256, 'other.tgz']);
  });
  test('stay when one of two releases is deleted, and go with the last', async () => {
    const bytes = randomBytes(100);
    const [one, two] = [await release(bytes), await release(bytes)];
    assert.deepEqual(await api.ok('DELETE', pathOf(one)), []);
    assert.equal(stored(bytes).length, 1);
    assert.deepEqual(await downloaded(two), bytes);
    assert.deepEqual(await api.ok('DELETE', pathOf(two)), []);
    assert.deepEqual(stored(bytes), []);
  });
  test('stay when one of two releases gets another file', async () => {
    const [bytes, later] = [randomBytes(100), randomBytes(100)];
    const [one, two] = [await release(bytes), await release(bytes)];
    await api.ok('PUT', pathOf(one), { multipart: { file: fileOf(later) } });
    assert.deepEqual([stored(bytes).length, stored(later).length], [1, 1]);
    await api.ok('PUT', pathOf(two), { multipart: { file: fileOf(later) } });
    assert.deepEqual([stored(bytes).length, stored(later).length], [0, 1]);
  });
  test('stay when a release replaces its file with the same bytes under a new name', async () => {
    const bytes = randomBytes(100);
    const one = await release(bytes);
    const { file_name } = await api.ok('PUT', pathOf(one), { multipart: { file: fileOf(bytes, 'new.zip') } });
    assert.equal(file_name, 'new.zip');
    assert.equal(stored(bytes).length, 1);
    assert.deepEqual(await downloaded(one), bytes);
  });
  test('can be uploaded again after their deletion', async () => {
    const bytes = randomBytes(100);
    await api.ok('DELETE', pathOf(await release(bytes)));
    assert.deepEqual(await downloaded(await release(bytes)), bytes);
    assert.equal(stored(bytes).length, 1);
  });
  test('survive concurrent uploads and deletions: every release has its bytes', async () => {
    const bytes = randomBytes(100_000);
    const first = await release(bytes);
    const others = await Promise.all(Array.from({ length: 5 }, newSoftware));
    const [, ...made] = await Promise.all([
      api.ok('DELETE', pathOf(first)),
      ...others.map((software) => release(bytes, software)),
    ]);
    assert.equal(stored(bytes).length, 1);
    for (const one of made) assert.deepEqual(await downloaded(one), bytes);
    await Promise.all(made.map((one) => api.ok('DELETE', pathOf(one))));
    assert.deepEqual(stored(bytes), []);
    nothingComingIn();
  });
});

async function downloaded({ software_id }: Record_): Promise<Buffer> {
  const { token } = await api.activation((await api.license()).license_key, { software: software_id });
  const { download_url } = await api.ok('GET', `/software/${software_id}`, {
    query: { activation_token: token },
  });
  const response = await fetch(download_url);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

test('a new file replaces the previous one, whose bytes are deleted', async () => {
  const [before, later] = [randomBytes(100), randomBytes(100)];
  const one = await release(before);
  await api.ok('PUT', pathOf(one), { multipart: { file: fileOf(later) } });
  assert.deepEqual([stored(before).length, stored(later).length], [0, 1]);
});

test('deleting software deletes its releases and their bytes, except bytes that other releases share', async () => {
  const [mine, ours] = [randomBytes(100), randomBytes(100)];
  const software = await newSoftware();
  await release(mine, software, '1.0');
  await release(ours, software, '2.0');
  const other = await release(ours);
  assert.deepEqual(await api.ok('DELETE', `/software/${software}`), []);
  assert.deepEqual([stored(mine).length, stored(ours).length], [0, 1]);
  await api.fails(404, 'data_error', 'GET', `/software/${software}/releases`);
  assert.equal((await api.ok('GET', `/software/${other.software_id}/releases`)).length, 1);
});

test('a yanked release keeps its bytes', async () => {
  const bytes = randomBytes(100);
  const one = await release(bytes);
  await api.ok('PUT', pathOf(one), { json: { status: 'yanked' } });
  assert.equal(stored(bytes).length, 1);
});

suite('a refused request leaves no file', () => {
  const upload = (bytes: Buffer, fields = {}) => ({
    multipart: { version: '5.0', ...fields, file: fileOf(bytes) },
  });
  const REFUSED: [what: string, send: (bytes: Buffer) => Promise<unknown>][] = [
    [
      'unknown software',
      (bytes) => api.fails(404, 'data_error', 'POST', '/software/999/releases', upload(bytes)),
    ],
    [
      'an unknown release',
      async (bytes) =>
        api.fails(404, 'data_error', 'PUT', `/software/${await newSoftware()}/releases/999`, upload(bytes)),
    ],
    [
      'an invalid version',
      async (bytes) =>
        api.fails(422, 'data_error', 'POST', `/software/${await newSoftware()}/releases`, {
          ...upload(bytes, { version: 'none' }),
        }),
    ],
    [
      'an invalid value of an update',
      async (bytes) =>
        api.fails(
          422,
          'data_error',
          'PUT',
          pathOf(await release(randomBytes(9))),
          upload(bytes, { rollout: '101' }),
        ),
    ],
    [
      'no credentials',
      async (bytes) =>
        api.fails(401, 'authentication_error', 'POST', `/software/${await newSoftware()}/releases`, {
          ...upload(bytes),
          credentials: null,
        }),
    ],
    [
      'a route that takes no file',
      async (bytes) => api.ok('PUT', `/software/${await newSoftware()}`, upload(bytes)),
    ],
    [
      'a file in place of a text',
      async (bytes) =>
        api.fails(422, 'data_error', 'POST', `/software/${await newSoftware()}/releases`, {
          multipart: { version: '5.0', file: fileOf(bytes), changelog: fileOf(bytes, 'CHANGES.md') },
        }),
    ],
    [
      'a file under another name',
      async (bytes) =>
        api.fails(422, 'data_error', 'POST', `/software/${await newSoftware()}/releases`, {
          multipart: { version: '5.0', archive: fileOf(bytes) },
        }),
    ],
  ];
  for (const [what, send] of REFUSED) {
    test(what, async () => {
      const bytes = randomBytes(70_000);
      await send(bytes);
      assert.deepEqual(stored(bytes), []);
      nothingComingIn();
    });
  }
});
