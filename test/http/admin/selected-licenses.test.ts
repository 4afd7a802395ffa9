import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const [manager, support, viewer] = await Promise.all([
  signedIn(api, 'manager'),
  signedIn(api, 'support'),
  signedIn(api, 'viewer'),
]);

suite('many licenses', () => {
  const three = async (values: Record_ = {}) =>
    (await Promise.all([api.license(values), api.license(values), api.license(values)])).map(({ id }) => id);
  const statuses = async (ids: number[]) =>
    (await viewer.ok('GET', `/licenses?${ids.map((id) => `ids[]=${id}`).join('&')}`)).items.map(
      ({ status, expires_at }: Record_) => [status, expires_at],
    );

  test('are changed all or none, and the answer can undo the change', async () => {
    const ids = await three({ expires_at: '2999-12-31 00:00:00' });
    await manager.ok('PATCH', `/licenses/${ids[0]}`, { status: 1 });
    const before = await statuses(ids);
    const { previous, unchanged } = await support.ok('POST', '/licenses/bulk', { ids, status: 'disabled' });
    assert.deepEqual([previous.length, unchanged], [3, []]);
    assert.deepEqual(
      (await statuses(ids)).map(([status]: number[]) => status),
      [5, 5, 5],
    );
    await support.ok('POST', '/licenses/bulk', { restore: previous });
    assert.deepEqual(await statuses(ids), before);

    const gone = await support.post('/licenses/bulk', { ids: [...ids, 999_999_999], status: 5 });
    assert.deepEqual([gone.status, gone.body.data.status], [404, 404]);
    const past = await support.post('/licenses/bulk', { ids, extend_days: 36_500 * 100 });
    assert.equal(past.status, 422);
    assert.deepEqual(await statuses(ids), before);
    for (const body of [
      { status: 5 },
      { ids },
      { ids, status: 5, extend_days: 1 },
      { ids: ['x'], status: 5 },
      { restore: [{}] },
    ])
      assert.equal((await support.post('/licenses/bulk', body)).status, 422, JSON.stringify(body));
    assert.deepEqual(await statuses(ids), before);
  });

  test('are not restored if somebody has changed the same field since, and keep changes to other fields', async () => {
    const ids = await three({ expires_at: '2999-12-31 00:00:00' });
    const [mine, theirs, undone] = ids.toSorted((one, other) => one - other);
    const { previous } = await support.ok('POST', '/licenses/bulk', { ids, status: 'sold' });
    await manager.ok('PATCH', `/licenses/${theirs}`, { status: 'disabled' });
    await manager.ok('PATCH', `/licenses/${mine}`, { expires_at: '2998-01-01 00:00:00' });
    await manager.ok('PATCH', `/licenses/${undone}`, { status: 'active' });
    const told = await support.ok('POST', '/licenses/bulk', { restore: previous });
    assert.deepEqual([told.previous.length, told.kept, told.unchanged], [1, [theirs], [undone]]);
    assert.deepEqual(await statuses([mine]), [[3, '2998-01-01 00:00:00']]);
    assert.deepEqual(await statuses([theirs]), [[5, '2999-12-31 00:00:00']]);

    const extension = await support.ok('POST', '/licenses/bulk', { ids, extend_days: 1 });
    await manager.ok('PATCH', `/licenses/${theirs}`, { expires_at: null });
    assert.deepEqual((await support.ok('POST', '/licenses/bulk', { restore: extension.previous })).kept, [
      theirs,
    ]);
    assert.deepEqual(await statuses([theirs]), [[5, null]]);
  });

  test('are extended from their expiry date, or from now if expired; a license without expiry stays unchanged', async () => {
    // Created one after another, so that the ids are in this order.
    const ends = await api.license({ expires_at: '2999-01-01 00:00:00' });
    const ended = await api.license({ expires_at: '2001-01-01 00:00:00' });
    const never = await api.license();
    const ids = [ends.id, ended.id, never.id];
    const { unchanged } = await manager.ok('POST', '/licenses/bulk', { ids, extend_days: 10 });
    assert.deepEqual(unchanged, [never.id]);
    const [, after, first] = await statuses(ids);
    assert.equal(first[1], '2999-01-11 00:00:00');
    assert.ok(Math.abs(Date.parse(`${after[1]}Z`) - Date.now() - 10 * 86_400_000) < 60_000);
    await manager.ok('POST', '/licenses/bulk', { ids: [ends.id], expires_at: 'never' });
    assert.deepEqual(await statuses([ends.id]), [[3, null]]);
  });

  test('are changed and deleted although some are gone, if the request skips those, and the answer names them', async () => {
    const ids = await three();
    const skip_gone = true;
    await manager.ok('DELETE', `/licenses/${ids[1]}`);
    const { previous, gone } = await support.ok('POST', '/licenses/bulk', { ids, status: 5, skip_gone });
    assert.deepEqual([previous.length, gone], [2, [ids[1]]]);
    await manager.ok('DELETE', `/licenses/${ids[0]}`);
    const undone = await support.ok('POST', '/licenses/bulk', { restore: previous, skip_gone });
    assert.deepEqual([undone.previous.length, undone.gone], [1, [ids[0]]]);
    assert.deepEqual(await statuses(ids), [[3, null]]);
    const deleted = await manager.ok('POST', '/licenses/bulk/delete', { ids, skip_gone });
    assert.deepEqual(deleted, { gone: ids.slice(0, 2).toSorted((one, other) => one - other) });
    assert.deepEqual(await statuses(ids), []);
  });

  test('are deleted all or none', async () => {
    const ids = await three();
    assert.equal((await manager.post('/licenses/bulk/delete', { ids: [...ids, 999_999_999] })).status, 404);
    assert.equal((await statuses(ids)).length, 3);
    await manager.ok('POST', '/licenses/bulk/delete', { ids });
    assert.equal((await statuses(ids)).length, 0);
  });
});
