import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { ROLES } from '../../../src/domain/user.ts';
import { type SignedInClient, signedIn } from '../../support/console/console.ts';
import type { Record_ } from '../../support/http/api.ts';
import { hexHash, incomingFiles, storedFiles } from '../../support/http/artifacts.ts';
import { BOUNDARY, comingIn, field, filePart, form } from '../../support/http/multipart.ts';
import { Wire } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const api = await startService({ after });
const manager = await signedIn(api, 'manager');
const newPath = async (): Promise<string> => `/software/${(await api.software()).id}/releases`;

async function send(
  client: SignedInClient,
  path: string,
  values: Record<string, string | File>,
  method = 'POST',
): Promise<{ status: number; body: Record_ }> {
  const body = new FormData();
  for (const [name, value] of Object.entries(values)) body.append(name, value);
  const response = await client.fetch(path, { method, body });
  return { status: response.status, body: await response.json() };
}
const fileOf = (bytes: string | Buffer, name = 'plugin.zip'): File =>
  new File([new Uint8Array(Buffer.from(bytes))], name, { type: 'application/zip' });

suite('permissions by role', () => {
  for (const role of ROLES) {
    test(role, async () => {
      const client = await signedIn(api, role);
      const expected = role === 'owner' || role === 'manager' ? 200 : 403;
      const path = await newPath();
      const { body: release } = await send(manager, path, { version: '1.0', file: fileOf('bytes') });
      const bytes = randomBytes(64);
      assert.equal((await client.get(path)).status, 200);
      assert.equal((await client.fetch(`${path}/${release.id}/file`)).status, expected);
      assert.equal((await send(client, path, { version: '2.0', file: fileOf(bytes) })).status, expected);
      assert.equal(storedFiles(api.dataDir, bytes).length, expected === 200 ? 1 : 0);
      assert.equal((await client.patch(`${path}/${release.id}`, { status: 'yanked' })).status, expected);
      assert.equal((await client.delete(`${path}/${release.id}`)).status, expected);
      const { items } = await manager.ok('GET', path);
      assert.deepEqual(
        items.map(({ version, status }: Record_) => [version, status]),
        expected === 200 ? [['2.0', 'published']] : [['1.0', 'published']],
      );
      assert.deepEqual(incomingFiles(api.dataDir), []);
    });
  }
});

test('a release of 5 MB is stored as it streams in, and downloads unchanged', async () => {
  const path = await newPath();
  const bytes = randomBytes(5 * 1024 ** 2);
  const values = {
    version: '1.4.0',
    channel: 'beta',
    rollout: '25',
    changelog: 'a\r\nb',
    file: fileOf(bytes),
  };
  const { status, body } = await send(manager, path, values);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(
    [body.channel, body.status, body.rollout, body.changelog, body.file],
    [
      'beta',
      'published',
      25,
      'a\nb',
      { name: 'plugin.zip', type: 'application/zip', size: bytes.length, sha256: hexHash('sha256', bytes) },
    ],
  );
  const response = await manager.fetch(`${path}/${body.id}/file`);
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="?plugin\.zip/);
  assert.ok(bytes.equals(Buffer.from(await response.arrayBuffer())));
  const { total } = await manager.ok('GET', path.replace('releases', 'downloads'));
  assert.equal(total, 0);
});

test('a check without the file tells whether a release could be created, and writes nothing', async () => {
  const path = await newPath();
  await manager.ok('POST', path, { version: '1.4', status: 'draft' });
  const ask = async (version: string, client = manager) =>
    (await client.post(`${path}/check`, { version, status: 'published' })).status;
  assert.deepEqual([await ask('1.4.0'), await ask('x'), await ask('1.5')], [409, 422, 200]);
  assert.equal(await ask('1.5', await signedIn(api, 'support')), 403);
  assert.equal((await manager.post('/software/999999/releases/check', { version: '1' })).status, 404);
  assert.equal((await manager.ok('GET', path)).total, 1);
});

test('a release is changed by JSON and by form', async () => {
  const path = await newPath();
  const draft = await manager.ok('POST', path, { version: '1.10', status: 'draft' });
  assert.deepEqual([draft.file, draft.published_at], [null, null]);
  const without = await manager.patch(`${path}/${draft.id}`, { status: 'published' });
  assert.deepEqual([without.status, Object.keys(without.body.data.params)], [422, ['file']]);
  const values = { status: 'published', rollout: '50', file: fileOf('one') };
  const published = await send(manager, `${path}/${draft.id}`, values, 'PATCH');
  assert.deepEqual([published.status, published.body.rollout], [200, 50]);
  const yanked = await manager.ok('PATCH', `${path}/${draft.id}`, { status: 'yanked', channel: 'rc' });
  assert.deepEqual(
    [yanked.status, yanked.channel, yanked.rollout, yanked.file.size],
    ['yanked', 'rc', 50, 3],
  );
  await manager.ok('POST', path, { version: '1.9', status: 'draft' });
  const twice = await manager.post(path, { version: '1.9.0', status: 'draft' });
  assert.equal(twice.status, 409);
  assert.equal((await manager.get(`${path}/999999/file`)).status, 404);
});

test('releases are listed by version, of one channel or all, after a version that may no longer exist', async () => {
  const path = await newPath();
  const ids = new Map<string, number>();
  for (const [version, channel] of [
    ['1.9', 'stable'],
    ['1.10', 'rc'],
    ['2.0-beta.1', 'beta'],
    ['2.0-rc.1', 'rc'],
    ['2.0', 'stable'],
    ['2.1-rc.1', 'rc'],
  ] as const) {
    const { id } = await manager.ok('POST', path, { version, channel, status: 'draft' });
    ids.set(version, id);
  }
  const page = async (query: string) => {
    const { items, next, total, total_is_more: isMore } = await manager.ok('GET', `${path}?${query}`);
    assert.equal(isMore, false);
    return [items.map(({ version }: Record_) => version), next, total];
  };
  assert.deepEqual(await page('limit=4'), [['2.1-rc.1', '2.0', '2.0-rc.1', '2.0-beta.1'], '2.0-beta.1', 6]);
  assert.deepEqual(await page('limit=4&before=2.0-beta.1'), [['1.10', '1.9'], null, 6]);
  assert.deepEqual(await page('channel=rc&limit=2'), [['2.1-rc.1', '2.0-rc.1'], '2.0-rc.1', 3]);
  await manager.ok('DELETE', `${path}/${ids.get('2.0-rc.1')}`);
  assert.deepEqual(await page('channel=rc&limit=2&before=2.0-rc.1'), [['1.10'], null, 2]);
  assert.deepEqual(await page('channel=alpha'), [[], null, 0]);
  // Releases of other software are not in the list.
  assert.deepEqual((await manager.ok('GET', `${await newPath()}?channel=rc`)).items, []);
  for (const [query, name] of [
    ['before=newest', 'before'],
    ['channel=nightly', 'channel'],
    ['limit=0', 'limit'],
  ]) {
    const { status, body } = await manager.get(`${path}?${query}`);
    assert.deepEqual([status, Object.keys(body.data.params)], [422, [name]]);
  }
});

test('the reason for yanking a release is kept until the release is published again', async () => {
  const path = await newPath();
  const { body: made } = await send(manager, path, { version: '1.0', file: fileOf('bytes') });
  const one = `${path}/${made.id}`;
  const early = await manager.patch(one, { yank_reason: 'It deletes files.' });
  assert.deepEqual([early.status, Object.keys(early.body.data.params)], [422, ['yank_reason']]);
  const yanked = await manager.ok('PATCH', one, { status: 'yanked', yank_reason: 'It deletes files.' });
  assert.deepEqual([yanked.status, yanked.yank_reason], ['yanked', 'It deletes files.']);
  const noted = await manager.ok('PATCH', one, { changelog: 'Do not use.' });
  assert.equal(noted.yank_reason, 'It deletes files.');
  const changed = await manager.ok('PATCH', one, { yank_reason: 'It deletes all files.' });
  assert.equal(changed.yank_reason, 'It deletes all files.');
  const back = await manager.ok('PATCH', one, { status: 'published' });
  assert.deepEqual([back.status, back.yank_reason], ['published', null]);
  assert.equal((await manager.ok('PATCH', one, { status: 'yanked' })).yank_reason, null);
  const { items } = await manager.ok('GET', `/audit?subject=release:${made.id}`);
  assert.match(JSON.stringify(items.at(-2)), /"yank_reason":"It deletes files\."/);
});

test('an interrupted upload leaves nothing', async () => {
  const path = await newPath();
  const bytes = randomBytes(5 * 1024 ** 2);
  const whole = form(field('version', '1.0'), filePart(bytes));
  const head = [
    `POST /console/api${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...Object.entries(manager.headers).map((header) => header.join(': ')),
    `Content-Type: multipart/form-data; boundary=${BOUNDARY}`,
    `Content-Length: ${whole.length}`,
    '\r\n',
  ].join('\r\n');
  const wire = await Wire.open(api.port);
  wire.write(head).write(whole.subarray(0, whole.length / 2));
  await comingIn(api, 1);
  wire.close();
  await comingIn(api, 0);
  assert.deepEqual((await manager.ok('GET', path)).items, []);
  assert.deepEqual(storedFiles(api.dataDir, bytes), []);
  // The complete request succeeds.
  const again = await Wire.open(api.port);
  const answer = await again.write(head).write(whole).answer();
  again.close();
  assert.equal(answer.status, 200, answer.body);
  await until(() => storedFiles(api.dataDir, bytes).length === 1);
});
