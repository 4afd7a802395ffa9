import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { SYSTEM } from '../../src/domain/actor.ts';
import { startService } from '../support/service.ts';
import { before } from '../support/storage/proxy.ts';
import { settingsOf, startS3 } from '../support/storage/s3.ts';

/**
 * Starts a service on S3, and returns a function that downloads while something happens: after the download was
 * granted, before the storage sends the bytes.
 */
async function onSlowS3(t: TestContext) {
  const s3 = await startS3(t);
  let meanwhile = async (): Promise<unknown> => null;
  const endpoint = await before(t, s3.endpoint, async ({ method }) => {
    const happens = meanwhile;
    if (method === 'GET') {
      meanwhile = async () => null;
      await happens();
    }
    return false;
  });
  const api = await startService(t, {
    storage: { ...settingsOf(s3), s3Endpoint: endpoint, s3Downloads: 'stream' },
  });
  const { id } = await api.software();
  const release = await api.release(id);
  const license = await api.license();
  const { token } = await api.activation(license.license_key, { software: id });
  const news = await api.ok('GET', `/software/${id}`, { query: { activation_token: token } });
  const downloadWhile = async (happens: typeof meanwhile) => {
    meanwhile = happens;
    const answer = await fetch(news.download_url);
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const named = { software: String(id), release: String(release.id) };
  const counted = async () => (await api.ok('GET', `/software/${id}/downloads`))[0]?.downloads ?? 0;
  return { api, path: `/software/${id}/releases/${release.id}`, named, license, counted, downloadWhile };
}
const isDenied = ({ status, text }: { status: number; text: string }) => {
  assert.equal(status, 403, text);
  assert.equal(JSON.parse(text).message, 'The release is not available any more.');
};

test('a download sends the new file if another file replaces the requested one', async (t) => {
  const { api, path, counted, downloadWhile } = await onSlowS3(t);
  const file = new File(['another'], 'another.zip');
  const { status, headers, text } = await downloadWhile(() => api.ok('PUT', path, { multipart: { file } }));
  assert.deepEqual([status, text], [200, 'another']);
  assert.equal(headers.get('content-disposition'), 'attachment; filename=another.zip');
  assert.equal(await counted(), 1);
});

test('a download answers 403 if the release is deleted together with its file', async (t) => {
  const { api, path, counted, downloadWhile } = await onSlowS3(t);
  isDenied(await downloadWhile(() => api.ok('DELETE', path)));
  assert.equal(await counted(), 0);
});

test('a download answers 403 if the release is deleted after its file was opened', async (t) => {
  const { api, named, counted, downloadWhile } = await onSlowS3(t);
  isDenied(await downloadWhile(() => api.service.execute('delete-release', { named }, SYSTEM)));
  assert.equal(await counted(), 0);
});

test('a download answers 403 if the release is yanked after its file was opened', async (t) => {
  const { api, path, counted, downloadWhile } = await onSlowS3(t);
  isDenied(await downloadWhile(() => api.ok('PUT', path, { json: { status: 'yanked' } })));
  assert.equal(await counted(), 0);
});

test('a download continues if the license is deleted after the file was opened', async (t) => {
  const { api, license, counted, downloadWhile } = await onSlowS3(t);
  const answer = await downloadWhile(() => api.ok('DELETE', `/licenses/${license.license_key}`));
  assert.deepEqual([answer.status, answer.text], [200, 'bytes']);
  assert.equal(await counted(), 1);
});

test('a download answers 500 if the file is missing from storage', async (t) => {
  const { api, downloadWhile } = await onSlowS3(t);
  const [artifact] = await api.service.store.read.artifacts.list();
  const { status, text } = await downloadWhile(() => api.service.artifacts.remove(artifact?.key as string));
  assert.deepEqual([status, JSON.parse(text).code], [500, 'server_error']);
});
