import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Record_ } from '../../support/http/api.ts';
import { storedFiles } from '../../support/http/artifacts.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const newSoftware = async (): Promise<number> => (await api.software()).id;
const list = (software: number, query = {}): Promise<Record_[]> =>
  api.ok('GET', `/software/${software}/releases`, { query });
const versions = (releases: Record_[]) => releases.map(({ version }) => version);
const draft = (software: number, version: string) =>
  api.ok('POST', `/software/${software}/releases`, { json: { version, status: 'draft' } });
const upload = (version: string, bytes: string) => ({
  multipart: { version, file: new File([bytes], 'x.zip') },
});

suite('a version is unique within its software', () => {
  const SAME: [version: string, other: string][] = [
    ['1.4', '1.4'],
    ['1.4', '1.4.0'],
    ['1.4', '1.4.0.0'],
    ['1.4', 'v1.4'],
    ['1.4', 'V1.4.0'],
    ['1.4', '1.04'],
    ['1.4', '01.4'],
    ['1.4', '1.4+build.5'],
    ['1.4+a', '1.4+b'],
    ['2.0.0-rc.1', '2.0-rc.1'],
    ['2.0.0-rc.1', '2.0.0-rc.01'],
    ['2.0rc1', '2.0.0-rc.1'],
    ['0', '0.0.0'],
  ];
  for (const [version, other] of SAME) {
    test(`${other} beside ${version} is a duplicate: 409 with data.code, nothing created, no file kept`, async () => {
      const software = await newSoftware();
      await api.release(software, { version });
      const before = await list(software);
      const bytes = `${other} after ${version}`;
      const path = `/software/${software}/releases`;
      const body = await api.fails(409, 'data_error', 'POST', path, upload(other, bytes));
      assert.deepEqual(body.data, { status: 409, code: 409 });
      assert.ok(body.message.includes(other));
      assert.deepEqual(await list(software), before);
      assert.deepEqual(storedFiles(api.dataDir, bytes), []);
    });
    test(`an update to ${other} beside ${version} is a duplicate: 409, neither record nor file changed`, async () => {
      const software = await newSoftware();
      await draft(software, version);
      const { id } = await api.release(software, { version: '9.0' });
      const before = await list(software);
      const bytes = `${other} after ${version}, changed`;
      const path = `/software/${software}/releases/${id}`;
      const body = await api.fails(409, 'data_error', 'PUT', path, upload(other, bytes));
      assert.deepEqual(body.data, { status: 409, code: 409 });
      assert.deepEqual(await list(software), before);
      assert.deepEqual(storedFiles(api.dataDir, bytes), []);
    });
  }
  const DIFFERENT: [version: string, other: string][] = [
    ['1.4', '1.40'],
    ['1.4', '14'],
    ['1.4', '1.4.0.1'],
    ['1.4', '1.4-rc.1'],
    ['1.4-rc1', '1.4-rc.1'],
    ['1.4-rc.1', '1.4-RC.1'],
    ['1.4-beta', '1.4-beta.0'],
  ];
  for (const [version, other] of DIFFERENT) {
    test(`${other} and ${version} are different versions`, async () => {
      const software = await newSoftware();
      await draft(software, version);
      assert.equal((await draft(software, other)).version, other);
    });
  }
  test('two software records can have the same version', async () => {
    const [one, other] = [await newSoftware(), await newSoftware()];
    await api.release(one, { version: '1.4' });
    assert.equal((await api.release(other, { version: '1.4' })).version, '1.4');
  });
  test('an update to another form of its own version is no duplicate', async () => {
    const { id, software_id } = await api.release(await newSoftware(), { version: '1.4' });
    const path = `/software/${software_id}/releases/${id}`;
    assert.equal((await api.ok('PUT', path, { json: { version: 'v1.4.0' } })).version, 'v1.4.0');
  });
  test('deleting a release frees its version', async () => {
    const { id, software_id } = await api.release(await newSoftware(), { version: '1.4' });
    await api.ok('DELETE', `/software/${software_id}/releases/${id}`);
    const again = await api.release(software_id, { version: '1.4' });
    assert.ok(again.id > id, 'an id is never reused');
  });
  test('of five concurrent creates exactly one succeeds, and one file stays', async () => {
    const software = await newSoftware();
    const path = `/software/${software}/releases`;
    const answers = await Promise.all(
      ['1.4', '1.4.0', 'v1.4', '1.4+x', '01.4'].map((version) =>
        api.call('POST', path, upload(version, `racer ${version}`)),
      ),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
    assert.equal((await list(software)).length, 1);
    const stayed = ['1.4', '1.4.0', 'v1.4', '1.4+x', '01.4'].flatMap((version) =>
      storedFiles(api.dataDir, `racer ${version}`),
    );
    assert.equal(stayed.length, 1);
  });
});

suite('the list of releases', () => {
  // Lowest first.
  const ORDERED = [
    '0.9',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    'v1.0.0',
    '1.0.0.1',
    '1.9.0',
    '1.10.0',
    '2.0.0-rc.1',
    '2.0',
    '6.8.1.2',
    '10.0',
    '20301231',
    '99999999999999999999.1',
  ];
  test('has the highest version first, whatever was created first, with drafts and yanked releases', async () => {
    const software = await newSoftware();
    const shuffled = ORDERED.map((_, i) => ORDERED[(i * 5) % ORDERED.length] as string);
    for (const [i, version] of shuffled.entries()) {
      const json = { version, status: i % 2 ? 'draft' : 'yanked' };
      await api.ok('POST', `/software/${software}/releases`, { json });
    }
    assert.deepEqual(versions(await list(software)), ORDERED.toReversed());
    const seen = [];
    for (const page of [1, 2, 3, 4, 5, 6, 7]) {
      seen.push(...versions(await list(software, { page, per_page: 3 })));
    }
    assert.deepEqual(seen, ORDERED.toReversed());
  });
  test('has totals and page links', async () => {
    const software = await newSoftware();
    for (let i = 0; i < 31; i++) await draft(software, `1.${i}`);
    const { body, headers } = await api.call('GET', `/software/${software}/releases`);
    assert.equal(body.data.length, 30);
    assert.deepEqual([headers.get('x-wp-total'), headers.get('x-wp-totalpages')], ['31', '2']);
    assert.match(headers.get('link') ?? '', /\/releases\?page=2>; rel="next"$/);
  });
  test('is [] for software without releases', async () => {
    const { body, headers } = await api.call('GET', `/software/${await newSoftware()}/releases`);
    assert.deepEqual(body, { success: true, data: [] });
    assert.equal(headers.get('x-wp-total'), '0');
  });
  test('has only releases of this software', async () => {
    const [one, other] = [await newSoftware(), await newSoftware()];
    const { id } = await draft(one, '1.0');
    await draft(other, '2.0');
    assert.deepEqual(
      (await list(one)).map((release) => release.id),
      [id],
    );
  });
  test('moves a release whose version changes', async () => {
    const software = await newSoftware();
    const { id } = await draft(software, '1.0');
    await draft(software, '2.0');
    await api.ok('PUT', `/software/${software}/releases/${id}`, { json: { version: '10.0' } });
    assert.deepEqual(versions(await list(software)), ['10.0', '2.0']);
  });
});
