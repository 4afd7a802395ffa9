import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { incomingFiles } from '../support/http/artifacts.ts';
import { startService } from '../support/service.ts';
import { before } from '../support/storage/proxy.ts';
import { settingsOf, startS3 } from '../support/storage/s3.ts';

/** Tests which bytes uploads leave behind in a storage that fails now and then. */
const ALL_IS_WELL = () => false;

async function onFailingS3(t: TestContext) {
  const s3 = await startS3(t);
  /** The methods of the requests so far. */
  const requests: string[] = [];
  let isFailing: (method: string) => boolean = ALL_IS_WELL;
  const endpoint = await before(t, s3.endpoint, ({ method = '' }, res) => {
    requests.push(method);
    if (!isFailing(method)) return false;
    res.writeHead(503).end();
    return true;
  });
  const api = await startService(t, {
    storage: { ...settingsOf(s3), s3Endpoint: endpoint },
  });
  const { id } = await api.software();
  const upload = (version: string, content = 'bytes') =>
    api.call('POST', `/software/${id}/releases`, {
      multipart: { version, file: new File([content], 'a.zip') },
    });
  /** Makes matching requests fail from now on, and resets the recorded requests. */
  const failWhere = (fails: typeof isFailing) => {
    isFailing = fails;
    requests.length = 0;
  };
  return { s3, api, id, requests, upload, failWhere };
}

const count = (requests: string[], method: string) => requests.filter((one) => one === method).length;

for (const [what, method, isSecond] of [
  ['checked', 'HEAD', false],
  ['copied', 'GET', false],
  ['restored', 'PUT', true],
] as const) {
  test(`lost bytes of an earlier upload that cannot be ${what}: the release is written, nothing else stays`, async (t) => {
    const { s3, api, id, requests, upload, failWhere } = await onFailingS3(t);
    assert.equal((await upload('1.0')).status, 200);
    const [first = ''] = await s3.objects();
    const other = (await upload('1.1', 'other')).body.data;
    await s3.lose(first);
    failWhere((one) => one === method && (!isSecond || count(requests, 'PUT') > 1));
    const file = new File(['bytes'], 'same.zip');
    const changed = await api.ok('PUT', `/software/${id}/releases/${other.id}`, { multipart: { file } });
    assert.equal(changed.file_name, 'same.zip');
    assert.deepEqual([await s3.objects(), incomingFiles(api.dataDir)], [[], []]);
    failWhere(ALL_IS_WELL);
    assert.equal((await upload('1.2')).status, 200);
    assert.deepEqual(await s3.objects(), [first]);
  });
}

test('an upload with invalid values sends nothing to the storage', async (t) => {
  const { s3, api, requests, upload } = await onFailingS3(t);
  await s3.stop();
  const { status, body } = await upload('no version');
  assert.deepEqual([status, Object.keys(body.data.params)], [422, ['version']]);
  assert.deepEqual([requests, incomingFiles(api.dataDir)], [[], []]);
});

test('an upload that the command refuses is stored once and removed once', async (t) => {
  const { s3, api, id, requests, upload, failWhere } = await onFailingS3(t);
  await upload('1.0');
  failWhere(ALL_IS_WELL);
  // The server checks the fields after the file only once it has the file.
  const multipart = { file: new File(['other'], 'a.zip'), version: '1.0' };
  assert.equal((await api.call('POST', `/software/${id}/releases`, { multipart })).status, 409);
  assert.deepEqual(requests, ['PUT', 'DELETE']);
  assert.equal((await s3.objects()).length, 1);
});

test('an upload that the storage reports as failed may exist all the same, and is removed: 503', async (t) => {
  const { s3, upload, failWhere, requests } = await onFailingS3(t);
  failWhere((method) => method === 'PUT');
  assert.equal((await upload('1.0')).status, 503);
  assert.deepEqual([count(requests, 'DELETE'), await s3.objects()], [1, []]);
});
