import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { SYSTEM } from '../../../src/domain/actor.ts';
import {
  activation,
  columnOf,
  license,
  licenseIds,
  newTarget,
  OTHER_SHOP,
  seats,
  shopOf,
} from '../../support/moving.ts';

// Licenses that share their key with another row, of the same shop or of another.

suite('two moves of licenses with one key', () => {
  test('a license that shared its key with another is created once the shop gives one of them a new key', async (t) => {
    const shared = license(9, { key: 'SHOP-KEY-5', activationsLimit: 2 });
    const existing = { kind: 'license', id: 9, code: 'exists', recordId: 5 };
    for (const corrected of [
      [license(5), license(9, { key: 'NEW', activationsLimit: 2 })],
      [license(5, { key: 'NEW' }), shared],
    ]) {
      const target = await newTarget(t);
      const { move } = target;
      await move(shopOf([license(5), shared]));
      const again = await move(shopOf([license(5), shared]));
      assert.deepEqual([again.counts.license.unchanged, again.notes], [1, [existing]]);
      const rows = [...corrected, activation(2, 9)];
      const dry = await move(shopOf(rows), { dryRun: true });
      const { counts, notes } = await move(shopOf(rows));
      assert.deepEqual([counts.license.created, notes], [1, []]);
      assert.deepEqual(dry.counts, counts);
      assert.deepEqual(
        [await licenseIds(target), await seats(target)],
        [
          [5, 9],
          [0, 1],
        ],
      );
      assert.deepEqual(await columnOf(target, 'activations_limit'), [5, 2]);
      assert.equal((await move(shopOf(rows))).counts.license.unchanged, 2);
    }
  });

  test('a license is created after the record with its key was deleted here', async (t) => {
    const target = await newTarget(t);
    const { move, within } = target;
    await move({ ...shopOf([license(1, { key: 'SHOP-KEY-5' })]), id: OTHER_SHOP });
    const rows = shopOf([license(5, { activationsLimit: 9 })]);
    assert.equal((await move(rows)).counts.license.notMoved, 1);
    await within(({ execute }) => execute('delete-license', { named: 'SHOP-KEY-5' }, SYSTEM));
    assert.equal((await move(rows)).counts.license.created, 1);
    assert.deepEqual([await licenseIds(target), await columnOf(target, 'activations_limit')], [[5], [9]]);
  });

  test('a license that stands for a row of another shop stays when its own shop has deleted it', async (t) => {
    const target = await newTarget(t);
    const { move } = target;
    await move(shopOf([license(1), license(2)]));
    const other = (limit: number) => ({
      ...shopOf([license(5, { key: 'SHOP-KEY-1', activationsLimit: limit }), activation(5, 5)]),
      id: OTHER_SHOP,
    });
    await move(other(9));
    const { counts } = await move(shopOf([license(2)]), { deleteGone: true });
    assert.deepEqual([counts.license.gone, counts.license.deleted], [1, 0]);
    assert.deepEqual(
      [await licenseIds(target), await seats(target)],
      [
        [1, 2],
        [1, 0],
      ],
    );
    // From now on, the record belongs to the other shop.
    assert.equal((await move(other(9))).counts.license.updated, 1);
    assert.deepEqual(await columnOf(target, 'activations_limit'), [9, 5]);
    assert.equal((await move(other(9))).counts.license.unchanged, 1);
  });

  test('a license remains, with the values of its duplicate, if the shop deleted only its row', async (t) => {
    const target = await newTarget(t);
    const { move } = target;
    const second = license(2, { key: 'SHOP-KEY-1', activationsLimit: 9 });
    await move(shopOf([license(1), second, activation(1, 1), activation(2, 2)]));
    const { counts, notes } = await move(shopOf([second, activation(2, 2)]), { deleteGone: true });
    assert.deepEqual([counts.license.updated, counts.license.gone, counts.license.deleted], [1, 1, 0]);
    assert.deepEqual(notes, [{ kind: 'license', id: 2, code: 'new_id', recordId: 1 }]);
    assert.deepEqual([await licenseIds(target), await seats(target)], [[1], [1]]);
    assert.deepEqual(await columnOf(target, 'activations_limit'), [9]);
    // From now on, the record belongs to the second row.
    assert.equal((await move(shopOf([second, activation(2, 2)]))).counts.license.unchanged, 1);
    assert.equal(
      (await move(shopOf([activation(2, 2), license(9)]), { deleteGone: true })).counts.license.deleted,
      1,
    );
    assert.deepEqual(await licenseIds(target), [9]);
  });

  test('a license takes the values of a new row with its key if the shop deleted its own', async (t) => {
    const target = await newTarget(t);
    await target.move(shopOf([license(1)]));
    const rows = [2, 3].map((id) => license(id, { key: 'SHOP-KEY-1', activationsLimit: id }));
    const { counts, notes } = await target.move(shopOf(rows), { deleteGone: true });
    assert.deepEqual([counts.license.updated, counts.license.deleted], [1, 0]);
    assert.deepEqual(notes, [
      { kind: 'license', id: 2, code: 'new_id', recordId: 1 },
      { kind: 'license', id: 3, code: 'exists', recordId: 1 },
    ]);
    assert.deepEqual([await licenseIds(target), await columnOf(target, 'activations_limit')], [[1], [2]]);
  });

  test('seats of a license from another shop are counted again when its activations are gone', async (t) => {
    const target = await newTarget(t);
    await target.move(shopOf([license(1)]));
    const other = {
      ...shopOf([license(5, { key: 'SHOP-KEY-1' }), activation(5, 5), license(6)]),
      id: OTHER_SHOP,
    };
    await target.move(other);
    assert.deepEqual(await seats(target), [1, 0]);
    await target.move({ ...shopOf([license(6)]), id: other.id }, { deleteGone: true });
    assert.deepEqual(await seats(target), [0, 0]);
  });
});
