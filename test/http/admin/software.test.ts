import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { ROLES } from '../../../src/domain/user.ts';
import { signedIn } from '../../support/console/console.ts';
import { rowsOf } from '../../support/engine.ts';
import { newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const DAY_MS = 86_400_000;
let now = Date.parse('2031-03-05T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
const manager = await signedIn(api, 'manager');
const create = (values: object = {}): Promise<Record_> =>
  manager.ok('POST', '/software', { name: newName(), ...values });

suite('permissions by role', () => {
  for (const role of ROLES) {
    test(role, async () => {
      const client = await signedIn(api, role);
      const { id } = await create();
      const expected = role === 'owner' || role === 'manager' ? 200 : 403;
      for (const path of ['', `/${id}`, `/${id}/releases`, `/${id}/downloads`])
        assert.equal((await client.get(`/software${path}`)).status, 200, path);
      assert.equal((await client.post('/software', { name: newName() })).status, expected);
      assert.equal((await client.patch(`/software/${id}`, { name: 'Other' })).status, expected);
      assert.equal((await client.delete(`/software/${id}`)).status, expected);
      const still = await manager.get(`/software/${id}`);
      assert.equal(still.status, expected === 200 ? 404 : 200);
      if (expected === 403) assert.notEqual(still.body.name, 'Other');
    });
  }
});

test('software is created, read, changed, listed and deleted, and the audit trail names the user', async () => {
  const icons = { '1x': 'https://example.com/icon.png' };
  const made = await create({ product_ids: [7, 8], access: 'public', tested: '6.8', icons });
  assert.deepEqual(
    [made.product_ids, made.access, made.tested, made.requires, made.type, made.icons, made.url],
    [[7, 8], 'public', '6.8', null, 'wp', icons, null],
  );
  const changed = await manager.ok('PATCH', `/software/${made.id}`, { tested: null, product_ids: [] });
  assert.deepEqual([changed.tested, changed.product_ids, changed.access], [null, [], 'public']);
  assert.deepEqual(await manager.ok('GET', `/software/${made.id}`), changed);
  const newest = await manager.ok('GET', '/software?limit=1');
  const figures = { latest_version: null, active_installs: 0, active_installs_is_more: false };
  assert.deepEqual(newest.items, [{ ...changed, ...figures }]);
  const others = await manager.ok('GET', `/software?limit=200&before=${newest.next}`);
  assert.equal(others.items.length, newest.total - 1);
  await manager.ok('DELETE', `/software/${made.id}`);
  const trail = await rowsOf(
    api.dataDir,
    `select action, via, user_id, subject_id from audit_entries where subject_type = 'software' order by id desc limit 3`,
  );
  assert.deepEqual(
    trail.map(({ action, via, user_id, subject_id }) => [action, via, Number(user_id), Number(subject_id)]),
    ['delete', 'update', 'create'].map((what) => [`software.${what}`, 'console', manager.user.id, made.id]),
  );
});

test('the list shows the latest version and the active installs', async () => {
  const { id } = await create({ access: 'public' });
  const listed = async () => {
    const { items } = await manager.ok('GET', '/software?limit=1');
    return [items[0].id, items[0].latest_version, items[0].active_installs];
  };
  const publish = (version: string, channel: string, status = 'published') =>
    api.release(id, { version, channel, status });
  await publish('2.0.0-rc.1', 'beta');
  assert.deepEqual(await listed(), [id, '2.0.0-rc.1', 0]);
  await publish('1.9.0', 'stable');
  await publish('1.10.0', 'stable');
  await publish('1.11.0', 'stable', 'draft');
  const { license_key: key } = await api.license();
  const { token } = await api.activation(key, { software: id });
  await api.activation(key, { software: id });
  assert.deepEqual(await listed(), [id, '1.10.0', 2]);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  assert.deepEqual(await listed(), [id, '1.10.0', 1]);
  const floating = await api.license({ seat_ttl: 600 });
  await api.activation(floating.license_key, { software: id });
  assert.deepEqual(await listed(), [id, '1.10.0', 2]);
  now += 600_000;
  assert.deepEqual(await listed(), [id, '1.10.0', 1], 'a lapsed seat is no install');
});

test('the answer names each invalid field, and a slug in use is 409', async () => {
  const bad = await manager.post('/software', { name: '', slug: '12', access: 'some', url: 'x' });
  assert.equal(bad.status, 422);
  assert.deepEqual(Object.keys(bad.body.data.params).sort(), ['access', 'name', 'slug', 'url']);
  const { slug } = await create();
  const twice = await manager.post('/software', { name: newName(), slug });
  assert.deepEqual([twice.status, twice.body.code], [409, 'data_error']);
  assert.equal((await manager.get('/software/999999')).status, 404);
});

suite('downloads by day', () => {
  const download = async (releaseId: number, day: string, times: number) => {
    now = Date.parse(`${day}T12:00:00Z`);
    const record = {
      releaseId,
      licenseId: null,
      activationId: null,
      ipAddress: null,
      userAgent: null,
      meta: null,
    };
    for (let i = 0; i < times; i++) await api.service.execute('record-download', record, SYSTEM);
  };

  test('are counted for every day and every release', async () => {
    const { id } = await api.software();
    const one = await api.release(id);
    const two = await api.release(id, { version: '2.0' });
    const other = await api.release((await api.software()).id);
    await download(one.id, '2031-01-31', 9);
    await download(one.id, '2031-02-04', 2);
    await download(one.id, '2031-03-05', 1);
    await download(two.id, '2031-03-05', 4);
    await download(other.id, '2031-03-05', 5);

    const usual = await manager.ok('GET', `/software/${id}/downloads`);
    assert.deepEqual(
      [usual.from, usual.to, usual.total, usual.days.length],
      ['2031-02-04', '2031-03-05', 7, 30],
    );
    const start = Date.parse('2031-02-04T00:00:00Z');
    for (const [i, { day, downloads }] of usual.days.entries()) {
      assert.equal(day, new Date(start + i * DAY_MS).toISOString().slice(0, 10));
      assert.equal(downloads, { '2031-02-04': 2, '2031-03-05': 5 }[day as string] ?? 0);
    }
    assert.deepEqual(usual.releases, [
      { release_id: two.id, version: '2.0', downloads: 4 },
      { release_id: one.id, version: '1.0.0', downloads: 3 },
    ]);

    const range = await manager.ok('GET', `/software/${id}/downloads?from=2031-01-31&to=2031-02-04`);
    assert.deepEqual(
      range.days.map(({ downloads }: Record_) => downloads),
      [9, 0, 0, 0, 2],
    );
    const ofTwo = await manager.ok('GET', `/software/${id}/downloads?release_id=${two.id}`);
    assert.deepEqual([ofTwo.total, ofTwo.releases.length], [4, 1]);
  });
  test("with an invalid, reversed or too long range of days are refused with the parameter's name", async () => {
    const { id } = await create();
    const refused = async (query: string) =>
      Object.keys((await manager.get(`/software/${id}/downloads?${query}`)).body.data.params);
    assert.deepEqual(await refused('from=x&to=2031-02-30'), ['from', 'to']);
    assert.deepEqual(await refused('from=2031-02-02&to=2031-02-01'), ['to']);
    assert.deepEqual(await refused('from=2029-02-02&to=2031-02-04'), ['from']);
    assert.equal((await manager.ok('GET', `/software/${id}/downloads?to=0001-01-03`)).days.length, 3);
  });
});
