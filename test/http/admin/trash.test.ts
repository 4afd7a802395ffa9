import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { DISCARDED_AT_ONCE } from '../../../src/app/discarding.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { keepHouse } from '../../../src/server/housekeeping.ts';
import { signedIn } from '../../support/console/console.ts';
import { numberOf, rowsOf, runSql } from '../../support/engine.ts';
import { newKey, newName, type Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { silent } from '../../support/log.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const [manager, support] = await Promise.all([signedIn(api, 'manager'), signedIn(api, 'support')]);

const count = (table: string, id: number, column = 'license_id') =>
  numberOf(api.dataDir, `select count(*) from ${table} where ${column} = ${id}`);
const trashed = async (key: string, by = support): Promise<Record_[]> =>
  (await by.ok('GET', `/trash?license_key=${key}`)).items;
const restore = (...ids: number[]) => manager.ok('POST', '/trash/restore', { ids });
const restoredBy = async (id: number): Promise<string | undefined> => {
  const { items } = await manager.ok('GET', `/licenses/${id}/history`);
  return items.find(({ action }: Record_) => action === 'license.restore')?.user_name;
};

/** Inserts valid activations of a license. */
async function insertMany(id: number, length: number): Promise<void> {
  const rows = Array.from({ length }, (_, i) => `('.${id}-${i}', ${id}, 1, '2026-01-01 00:00:00')`);
  await runSql(
    api.dataDir,
    `insert into activations (token, license_id, source, created_at) values ${rows.join(', ')};
    update licenses set times_activated = times_activated + ${length} where id = ${id}`,
  );
}

/** Inserts records of downloads of a license. */
async function insertDownloads(id: number, length: number): Promise<void> {
  const rows = Array(length).fill(`(1, ${id}, '2026-01-01 00:00:00')`);
  await runSql(
    api.dataDir,
    `insert into downloads (release_id, license_id, created_at) values ${rows.join(', ')}`,
  );
}

/** Creates a license with everything that a license can have. */
async function fullLicense() {
  const license_key = newKey();
  const values = { license_key, activations_limit: 3, order_id: 7, seat_ttl: 600, entitlements: ['pro'] };
  const { id } = await api.license(values);
  const kept = await api.activation(license_key, { label: 'kept', meta: { os: 'linux' } });
  const ended = await api.activation(license_key, { label: 'ended' });
  await api.ok('GET', `/licenses/deactivate/${ended.token}`);
  await manager.ok('PATCH', `/licenses/${id}`, { customer_email: 'late@example.com' });
  await manager.ok('PATCH', `/licenses/${id}/notes`, { note: 'Pays late', tags: ['late'], meta: { a: 'b' } });
  return { id, license_key, tokens: { kept: kept.token, ended: ended.token } };
}

suite('a deleted license', () => {
  test('disappears for every program at once', async () => {
    const { id, license_key, tokens } = await fullLicense();
    const { total } = await manager.ok('GET', '/licenses');
    await manager.ok('DELETE', `/licenses/${id}`);
    assert.equal((await manager.ok('GET', '/licenses')).total, total - 1);
    for (const path of [`/licenses/${license_key}`, `/licenses/activate/${license_key}`])
      assert.equal((await api.call('GET', path)).status, 404, path);
    assert.equal((await api.call('GET', `/licenses/validate/${tokens.kept}`)).status, 404);
    assert.equal((await manager.get(`/licenses/${id}`)).status, 404);
    assert.deepEqual((await manager.ok('GET', '/licenses?search=late')).items, []);
    for (const table of ['activations', 'license_notes', 'license_words', 'license_meta'])
      assert.equal(await count(table, id), 0, table);
    const [one, ...more] = await trashed(license_key);
    assert.deepEqual(
      [one.id, one.license_key, one.customer_email, one.deleted_by.user_name, one.times_activated, more],
      [id, `…${license_key.slice(-4)}`, 'late@example.com', manager.user.name, 0, []],
    );
    const days = (Date.parse(one.removed_at) - Date.parse(one.deleted_at)) / 86_400_000;
    assert.equal(days, 30);
  });

  test('is restored with everything that it had, seats and tokens included', async () => {
    const { id, license_key, tokens } = await fullLicense();
    const parts = async () => ({
      license: (await rowsOf(api.dataDir, `select * from licenses where id = ${id}`)).map(
        ({ updated_at, updated_by, ...rest }) => rest,
      ),
      activations: await rowsOf(
        api.dataDir,
        `select * from activations where license_id = ${id} order by id`,
      ),
      notes: await manager.ok('GET', `/licenses/${id}/notes`),
      meta: await rowsOf(api.dataDir, `select * from license_meta where license_id = ${id}`),
      found: (await manager.ok('GET', '/licenses?tag=late')).items.map((one: Record_) => one.id).includes(id),
    });
    const before = await parts();
    assert.equal(before.found, true);
    await manager.ok('DELETE', `/licenses/${id}`);
    assert.deepEqual(await restore(id, id, 999_999), { restored: [id], gone: [999_999], taken: [] });
    assert.deepEqual(await parts(), before);
    assert.deepEqual(await trashed(license_key), []);
    assert.equal((await api.ok('GET', `/licenses/validate/${tokens.kept}`)).license.times_activated, 1);
    assert.equal(await restoredBy(id), manager.user.name);
    // Deleting and restoring it a second time works, too.
    await manager.ok('DELETE', `/licenses/${id}`);
    assert.deepEqual((await restore(id)).restored, [id]);
    assert.deepEqual(await parts(), before);
  });

  test('stays in the trash while another license has its key', async () => {
    const license_key = newKey();
    const { id } = await api.license({ license_key });
    await manager.ok('DELETE', `/licenses/${id}`);
    // The key of a deleted license is free for a new license.
    const other = await api.license({ license_key });
    const { id: plain } = await api.license();
    await manager.ok('DELETE', `/licenses/${plain}`);
    assert.deepEqual(await restore(id, plain), { restored: [plain], gone: [], taken: [id] });
    await manager.ok('DELETE', `/licenses/${other.id}`);
    assert.deepEqual(
      (await trashed(license_key)).map((one) => one.id),
      [other.id, id],
    );
    assert.deepEqual((await restore(id)).restored, [id]);
    assert.deepEqual((await restore(other.id)).taken, [other.id]);
  });

  test('stays in the trash while another license has its id', async () => {
    const { id, license_key } = await fullLicense();
    await manager.ok('DELETE', `/licenses/${id}`);
    const other = await api.license();
    await runSql(
      api.dataDir,
      `update licenses set id = ${id}, created_at = '2026-01-01 00:00:00' where id = ${other.id}`,
    );
    assert.deepEqual(await restore(id), { restored: [], gone: [], taken: [id] });
    assert.deepEqual([await count('activations', id), await count('trashed_activations', id)], [0, 2]);
    await runSql(api.dataDir, `update licenses set id = ${other.id} where id = ${id}`);
    assert.deepEqual((await restore(id)).restored, [id]);
    assert.equal((await trashed(license_key)).length, 0);
  });

  test('with many activations is restored in steps, and all its seats count from the first step on', async () => {
    const license_key = newKey();
    const { id } = await api.license({ license_key, activations_limit: 2_501 });
    await insertMany(id, 2_500);
    await api.activation(license_key);
    await manager.ok('DELETE', `/licenses/${id}`);
    const step = await api.service.execute('restore-licenses', { ids: [id] }, SYSTEM);
    assert.ok(step.ok);
    assert.deepEqual([step.value.left, await count('activations', id)], [[id], 1_000]);
    const full = await api.call('GET', `/licenses/activate/${license_key}`);
    assert.equal(full.body.code, 'license_activation_limit_reached');
    assert.deepEqual((await restore(id)).restored, [id]);
    assert.deepEqual([await count('activations', id), await count('trashed_activations', id)], [2_501, 0]);
    assert.equal((await manager.ok('GET', `/licenses/${id}`)).times_activated, 2_501);
  });

  test('whose restore was interrupted is restored by housekeeping, and is not removed before', async () => {
    const { id } = await api.license({ activations_limit: 0 });
    await insertMany(id, 1_500);
    await manager.ok('DELETE', `/licenses/${id}`);
    await api.service.execute('restore-licenses', { ids: [id] }, SYSTEM);
    for (const table of ['trashed_licenses', 'trashed_activations'])
      await runSql(
        api.dataDir,
        `update ${table} set deleted_at = '2026-01-01 00:00:00' where license_id = ${id}`,
      );
    assert.equal((await manager.delete(`/trash/${id}`)).status, 404);
    await api.service.execute('discard-trash', { before: '2026-01-02 00:00:00' }, SYSTEM);
    assert.deepEqual([await count('trashed_licenses', id), await count('trashed_activations', id)], [1, 500]);

    await keepHouse(api.service, { eventDays: 30, downloadDays: 0, trashDays: 30 }, silent);
    assert.equal((await manager.ok('GET', `/licenses/${id}`)).times_activated, 1_500);
    assert.deepEqual([await count('activations', id), await count('trashed_licenses', id)], [1_500, 0]);
    await manager.ok('DELETE', `/licenses/${id}`);
  });

  test('is restored with one seat for a device that activated again between two steps', async () => {
    let license_key = newKey();
    const { id } = await api.license({ license_key, activations_limit: 0 });
    const activate = async (fingerprint: string): Promise<string> =>
      (await api.activation(license_key, { fingerprint })).token;
    const earlier = [await activate('one'), await activate('two')];
    await insertMany(id, 1_500);
    await api.service.execute('delete-license', { named: { id } }, SYSTEM);
    const later = [await activate('one')];
    await manager.ok('DELETE', `/licenses/${id}`);
    await api.service.execute('restore-licenses', { ids: [id] }, SYSTEM);
    later.push(await activate('two'));
    await manager.ok('PATCH', `/licenses/${id}`, { license_key: `${license_key}-NEW` });
    license_key += '-NEW';
    assert.deepEqual((await restore(id)).restored, [id]);
    const held = 'select count(*) from activations where deactivated_at is null and license_id';
    assert.equal(await numberOf(api.dataDir, `${held} = ${id}`), 1_502);
    assert.equal((await manager.ok('GET', `/licenses/${id}`)).times_activated, 1_502);
    assert.deepEqual([await activate('one'), await activate('two')], later);
    assert.equal(new Set([...earlier, ...later]).size, 4);
    assert.equal(await count('activations', id), 1_504);
  });

  test('is removed permanently by hand, with an audit entry, or after its retention period', async () => {
    const { id, license_key } = await fullLicense();
    const { id: old } = await fullLicense();
    const { id: other } = await api.license();
    for (const one of [id, old, other]) await insertDownloads(one, DISCARDED_AT_ONCE + 1);
    await manager.ok('POST', '/licenses/bulk/delete', { ids: [id, old] });
    assert.equal((await support.delete(`/trash/${id}`)).status, 403);
    assert.equal((await support.post('/trash/restore', { ids: [id] })).status, 403);
    await manager.ok('DELETE', `/trash/${id}`);
    assert.deepEqual(await trashed(license_key), []);
    const tables = ['trashed_licenses', 'trashed_activations', 'downloads'];
    for (const table of tables) assert.equal(await count(table, id), 0, table);
    assert.equal((await manager.delete(`/trash/${id}`)).status, 404);
    const { items } = await manager.ok('GET', `/audit?subject=license:${id}`);
    assert.deepEqual(
      items.slice(0, 2).map((one: Record_) => [one.action, one.before?.customer_email]),
      [
        ['license.remove', undefined],
        ['license.delete', 'late@example.com'],
      ],
    );

    const keep = (trashDays: number) =>
      keepHouse(api.service, { eventDays: 30, downloadDays: 0, trashDays }, silent);
    await keep(1);
    assert.equal(await count('trashed_licenses', old), 1);
    assert.equal(await count('downloads', old), DISCARDED_AT_ONCE + 1);
    for (const table of ['trashed_licenses', 'trashed_activations'])
      await runSql(
        api.dataDir,
        `update ${table} set deleted_at = '2026-01-01 00:00:00' where license_id = ${old}`,
      );
    await keep(30);
    for (const table of tables) assert.equal(await count(table, old), 0, table);
    assert.equal(await count('downloads', other), DISCARDED_AT_ONCE + 1);
    assert.deepEqual((await restore(old)).gone, [old]);
  });
});

test('the trash names a person only for what was deleted in the console, and the API key only to auditors', async () => {
  const shop = await withApiKey(api, { userId: manager.user.id });
  const { license_key } = await api.license();
  await shop.ok('DELETE', `/licenses/${license_key}`);
  for (const [reader, seen] of [
    [manager, ['api', null, 'Test', true, true]],
    [support, ['api', null, null, false, false]],
  ] as const) {
    const [{ deleted_by: by }] = (await trashed(license_key, reader)) as [Record_];
    const { via, user_name, api_key_description, api_key_id, origin } = by;
    assert.deepEqual([via, user_name, api_key_description, api_key_id !== null, origin !== null], seen);
  }
});

test('the trash is listed page by page, most recently deleted first', async () => {
  const name = newName();
  const made: number[] = [];
  for (const end of ['A', 'B', 'C'])
    made.push((await api.license({ license_key: `${newKey()}-${name}${end}` })).id);
  // Not in the order of their ids.
  const ids = [made[0], made[2], made[1]];
  for (const id of ids.toReversed()) await manager.ok('DELETE', `/licenses/${id}`);
  const first = await manager.ok('GET', '/trash?limit=2');
  const second = await manager.ok('GET', `/trash?limit=1&before=${first.next}`);
  assert.deepEqual(
    [...first.items, ...second.items].map(({ id }) => id),
    ids,
  );
  assert.ok(first.total >= 3);
});

test('the trash tables have the columns of the tables that they mirror', async () => {
  for (const [table, ...own] of [
    ['licenses', 'license_id', 'deleted_at', 'deleted_by', 'belongings'],
    ['activations', 'deleted_at'],
  ] as [string, ...string[]][]) {
    const columns = async (name: string) =>
      Object.keys((await rowsOf(api.dataDir, `select * from ${name} limit 1`))[0] ?? {}).sort();
    assert.deepEqual(await columns(`trashed_${table}`), [...(await columns(table)), ...own].sort());
  }
});
