import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { rotateMasterKey } from '../../../src/app/keys/rotate-master-key.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { openRotation } from '../../../src/installation/rotating.ts';
import { openService } from '../../../src/installation/service.ts';
import { numberOf, rowsOf, runSql } from '../../support/engine.ts';
import {
  AT,
  activation,
  license,
  licenseIds,
  meta,
  newTarget,
  OTHER_SHOP,
  seats,
  shopOf,
  type Target,
} from '../../support/moving.ts';
import { startService } from '../../support/service.ts';

// Changes between two moves, or during one.

const { signal } = new AbortController();
const many = (count: number) => Array.from({ length: count }, (_, i) => license(i + 1));
/** Interrupts a move after it has staged 500 records. */
async function interrupted({ move }: Target, count: number, dryRun: boolean) {
  const controller = new AbortController();
  const onProgress = (_part: number, read: number) =>
    void (read >= 500 && controller.abort(new Error('interrupted')));
  await assert.rejects(
    move(shopOf(many(count)), { dryRun, signal: controller.signal, onProgress }),
    /interrupted/,
  );
}

suite('two moves', () => {
  test('records of a license deleted here since are not moved; the others are', async (t) => {
    const target = await newTarget(t);
    const { move, within } = target;
    await move(shopOf([license(1), license(2), activation(1, 1), activation(2, 2)]));
    await within(({ execute }) => execute('delete-license', { named: 'SHOP-KEY-1' }, SYSTEM));
    const { notes } = await move(
      shopOf([
        license(1),
        license(2),
        activation(1, 1),
        activation(2, 1, { label: 'x' }),
        activation(3, 1),
        activation(4, 2),
      ]),
    );
    assert.deepEqual(notes, [
      { kind: 'activation', id: 2, code: 'no_license', recordId: null },
      { kind: 'activation', id: 3, code: 'no_license', recordId: null },
    ]);
    assert.deepEqual(await seats(target), [2]);
  });

  test('a token of another activation is not taken over; a license key is, once it is free', async (t) => {
    const target = await newTarget(t);
    const { move } = target;
    await move(shopOf([license(1), license(2), activation(1, 1), activation(2, 2)]));
    const token = 'd'.repeat(40);
    await move(shopOf([license(1), license(2), activation(1, 1, { token }), activation(2, 2)]));
    const renamed = shopOf([
      license(1, { key: 'SHOP-KEY-2' }),
      license(2, { key: 'NEW' }),
      activation(1, 1, { token, label: 'x' }),
      activation(2, 2, { token }),
    ]);
    const { notes } = await move(renamed);
    assert.deepEqual(notes, [
      { kind: 'license', id: 1, code: 'key_taken', recordId: null },
      { kind: 'activation', id: 2, code: 'key_taken', recordId: null },
    ]);
    const again = await move(renamed);
    assert.deepEqual([again.counts.license.updated, again.counts.license.unchanged], [1, 1]);
  });

  test('an email address from the shop fills a license without one; an address that the shop does not have stays', async (t) => {
    const target = await newTarget(t);
    const emails = async () =>
      (await rowsOf(target.dataDir, 'select customer_email from licenses order by id')).map(
        (row) => row.customer_email,
      );
    // The digest covers the row, which does not contain the address.
    const of = (id: number, customerEmail: string | null, values = {}) => {
      const read = license(id, values);
      return { ...read, record: { ...read.record, customerEmail } } as typeof read;
    };
    const change = (named: string, changes: object) =>
      target.within(({ execute }) => execute('update-license', { named, changes }, SYSTEM));
    await target.move(shopOf([of(1, null), of(2, 'b@shop.example'), of(3, null), of(4, 'd@shop.example')]));
    assert.deepEqual(await emails(), [null, 'b@shop.example', null, 'd@shop.example']);
    await change('SHOP-KEY-1', { activationsLimit: 9 });
    await change('SHOP-KEY-3', { customerEmail: 'c@here.example' });
    const known = [of(1, 'a@shop.example'), of(2, null, { status: 5 }), of(3, 'c@shop.example')];
    const last = of(4, 'e@shop.example', { status: 5 });
    const dry = await target.move(shopOf([...known, last]), { dryRun: true });
    const { counts, notes } = await target.move(shopOf([...known, last]));
    assert.deepEqual([counts.license.updated, counts.license.unchanged, notes], [3, 1, []]);
    assert.deepEqual(dry.counts, counts);
    assert.deepEqual(await emails(), [
      ...['a@shop.example', 'b@shop.example'],
      ...['c@here.example', 'e@shop.example'],
    ]);
    // Only the address of the first license was taken from the shop.
    const limit = 'select activations_limit from licenses where id = 1';
    assert.equal(await numberOf(target.dataDir, limit), 9);
    assert.equal((await target.move(shopOf([...known, last]))).counts.license.unchanged, 4);
  });

  test('a replaced date of creation stays until the shop has one', async (t) => {
    const { move, dataDir } = await newTarget(t);
    const both = 'select created_at from activations union select created_at from licenses';
    const created = async () => (await rowsOf(dataDir, both)).map((row) => row.created_at);
    const undated = (createdAt: string, status: number) =>
      [license(1, { createdAt, status }), activation(1, 1, { createdAt, label: `${status}` })].map(
        (one): typeof one => ({ ...one, notes: [{ code: 'no_date', column: 'created_at', value: null }] }),
      );
    await move(shopOf(undated(AT, 3)));
    const { counts } = await move(shopOf(undated('2026-06-01 00:00:00', 2)));
    assert.deepEqual([counts.license.updated, counts.activation.updated], [1, 1]);
    assert.deepEqual(await created(), [AT]);
    const createdAt = '2020-01-01 00:00:00';
    await move(shopOf([license(1, { createdAt }), activation(1, 1, { createdAt })]));
    assert.deepEqual(await created(), [createdAt]);
  });

  test('seat policies and devices set here stay', async (t) => {
    const target = await newTarget(t);
    const { move, within, dataDir } = target;
    await move(shopOf([license(1), activation(1, 1), activation(2, 1)]));
    const changes = { seatTtl: 600, match: 'label', takeoversPerMonth: 1 } as const;
    await within(async ({ execute, store }) => {
      await execute('update-license', { named: 'SHOP-KEY-1', changes }, SYSTEM);
      const found = await store.read.activations.find(1);
      await execute('extend-seat', { token: found?.activation.token ?? '' }, SYSTEM);
    });
    const one = 'select device, seat_expires_at, last_seen_at, ended_as from activations where id = ';
    const policy = 'select seat_policy from licenses';
    const before = [await rowsOf(dataDir, policy), await rowsOf(dataDir, `${one} 1`)];
    assert.ok(before[0]?.[0]?.seat_policy && before[1]?.[0]?.seat_expires_at);
    await runSql(
      dataDir,
      `update activations set deactivated_at = '${AT}', ended_as = 'reclaimed' where id = 2`,
    );
    const changed = [activation(1, 1, { label: 'x' }), activation(2, 1, { label: 'y' })];
    const { counts } = await move(shopOf([license(1, { status: 2 }), ...changed]));
    assert.deepEqual([counts.license.updated, counts.activation.updated], [1, 2]);
    assert.deepEqual([await rowsOf(dataDir, policy), await rowsOf(dataDir, `${one} 1`)], before);
    // The activation is valid in the shop, so it has not ended.
    assert.equal((await rowsOf(dataDir, `${one} 2`))[0]?.ended_as, null);
  });

  test('leases end with the licenses and activations that the shop has disabled, deactivated or deleted', async (t) => {
    const { move, dataDir } = await newTarget(t);
    await move(shopOf([1, 2, 3, 4].flatMap((id) => [license(id), activation(id, id)])));
    for (const table of ['licenses', 'activations'])
      await runSql(dataDir, `update ${table} set leased_until = '2099-01-01 00:00:00'`);
    const revoked = async () =>
      (await rowsOf(dataDir, 'select kind, object_id from revocations order by id')).map(Object.values);
    const shopWith = (label: string) => [
      license(1, { status: 5, orderId: label.length }),
      activation(1, 1),
      license(2),
      activation(2, 2, { deactivatedAt: AT, label }),
      license(4),
    ];
    const ofShop = [
      ['license', 1],
      ['activation', 2],
    ];
    await move(shopOf(shopWith('')));
    assert.deepEqual(await revoked(), ofShop);
    // What has ended is changed again.
    await move(shopOf(shopWith('again')));
    assert.deepEqual(await revoked(), ofShop);
    await move(shopOf(shopWith('again')), { deleteGone: true });
    assert.deepEqual(await revoked(), [...ofShop, ['activation', 3], ['activation', 4], ['license', 3]]);
  });

  test('a device stays bound to its activation until the shop changes the token', async (t) => {
    const { move, within } = await newTarget(t);
    const token = 'a'.repeat(40);
    await move(shopOf([license(1), activation(1, 1, { token })]));
    const lease = { licenseId: 1, until: '2099-01-01 00:00:00', activation: { id: 1, token }, fp: 'fp' };
    await within(({ execute }) => execute('note-lease', lease, SYSTEM));
    const bound = (to: string) => within(({ store }) => store.read.activations.findLeasable(to));
    await move(shopOf([license(1), activation(1, 1, { token, label: 'x' })]));
    assert.deepEqual((await bound(token))?.binding, { fp: 'fp', x: null });
    const other = 'b'.repeat(40);
    await move(shopOf([license(1), activation(1, 1, { token: other })]));
    assert.equal((await bound(other))?.binding, null);
  });

  test('a shop without licenses deletes nothing', async (t) => {
    const target = await newTarget(t);
    await target.move(shopOf([license(1), activation(1, 1)]));
    await assert.rejects(target.move(shopOf([]), { deleteGone: true }), { code: 'shop_empty' });
    assert.deepEqual(await licenseIds(target), [1]);
  });

  test('no record gets the id of one in the trash, which can be restored', async (t) => {
    const target = await newTarget(t);
    const { move, within, dataDir } = target;
    const metadata = meta(1, 1);
    const other = [license(1, { key: 'OTHER' }), activation(1, 1, { token: 'b'.repeat(40) }), metadata];
    await move({ ...shopOf(other), id: OTHER_SHOP });
    const tables = ['licenses', 'activations', 'license_meta'];
    const all = () =>
      Promise.all(tables.map((table) => rowsOf(dataDir, `select * from ${table} where id = 1`)));
    const before = await all();
    await within(({ execute }) => execute('delete-license', { named: 'OTHER' }, SYSTEM));
    const { notes } = await move(shopOf([license(1), activation(1, 1), metadata]));
    assert.deepEqual(notes, [
      { kind: 'license', id: 1, code: 'new_id', recordId: 2 },
      { kind: 'activation', id: 1, code: 'new_id', recordId: 2 },
    ]);
    const restored = await within(({ execute }) => execute('restore-licenses', { ids: [1] }, SYSTEM));
    assert.deepEqual(restored.ok && restored.value.restored, [1]);
    await runSql(dataDir, 'update licenses set updated_at = null, updated_by = null where id = 1');
    assert.deepEqual(await all(), before);
    assert.deepEqual(await seats(target), [1, 1]);
  });

  test('a license that was deleted, removed for good and moved again can be deleted again', async (t) => {
    const target = await newTarget(t);
    const { move, within } = target;
    const rows = [license(1), activation(1, 1)];
    await move(shopOf(rows));
    await within(({ execute }) => execute('delete-license', { named: 'SHOP-KEY-1' }, SYSTEM));
    await within(({ execute }) => execute('remove-license', { id: 1 }, SYSTEM));
    await move({ ...shopOf(rows), id: OTHER_SHOP });
    const again = await within(({ execute }) => execute('delete-license', { named: 'SHOP-KEY-1' }, SYSTEM));
    assert.equal(again.ok, true);
    assert.deepEqual(await licenseIds(target), []);
  });

  test('a move after an interrupted dry run hashes license keys with the key that it adopts', async (t) => {
    const target = await newTarget(t);
    await (await openService(target.config, { mustExist: false })).close();
    await interrupted(target, 600, true);
    assert.equal(await numberOf(target.dataDir, 'select count(*) from staged_records'), 500);
    await target.move(shopOf(many(600)));
    const { ok } = await startService(t, { dataDir: target.dataDir });
    assert.equal((await ok('GET', '/licenses/SHOP-KEY-3')).id, 3);
  });

  test('a row that an interrupted move has staged, and that cannot be moved any more, blocks no move', async (t) => {
    const target = await newTarget(t);
    await interrupted(target, 600, false);
    const broken = many(600).map((one) => (one.id === 1 ? ({ ...one, record: null } as typeof one) : one));
    const { counts } = await target.move(shopOf(broken));
    assert.deepEqual([counts.license.created, counts.license.notMoved], [599, 1]);
  });

  test('a move interrupted by a rotation of the master key continues under the new key', async (t) => {
    const target = await newTarget(t);
    await interrupted(target, 600, false);
    await target.close();
    const { service, begin, exchange } = await openRotation(target.config);
    await rotateMasterKey(service, begin, { settle: 0, signal, onProgress: () => {} }, SYSTEM);
    await service.close();
    exchange();
    await target.move(shopOf(many(600)));
    assert.equal(await target.within(({ store }) => store.read.masterKey.countUnderOtherKeys()), 0);
    assert.equal((await licenseIds(target)).length, 600);
  });

  test('a move whose staged records were removed by another move fails and says so', async (t) => {
    const target = await newTarget(t);
    await target.move(shopOf(many(600)));
    const shop = {
      ...shopOf([]),
      async *records() {
        yield* Array.from({ length: 600 }, (_, i) => license(i + 1_001));
        await target.move(shopOf(many(600)), { dryRun: true });
      },
    };
    await assert.rejects(target.move(shop), { code: 'moved_beside' });
    assert.equal(await numberOf(target.dataDir, 'select count(*) from licenses'), 600);
  });
});
