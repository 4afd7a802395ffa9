import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { numberOf, rowsOf, runSql } from '../../support/engine.ts';
import {
  AT,
  activation,
  apiKey,
  license,
  meta,
  newTarget,
  SECRET,
  seats,
  shopOf,
} from '../../support/moving.ts';
import { startService } from '../../support/service.ts';

const start = (t: TestContext, dataDir: string) => startService(t, { dataDir });
const hashOf = (key: string) => createHmac('sha256', SECRET).update(key).digest('hex');

test('licenses and activations keep ids, keys, tokens and hashes, and seats are counted', async (t) => {
  const { dataDir, move } = await newTarget(t);
  const ended = { deactivatedAt: AT, updatedAt: AT };
  const records = [
    activation(901, 12),
    license(12),
    license(40, { key: 'ключ/ 40', activationsLimit: 1, expiresAt: '2020-01-01 00:00:00', status: 5 }),
    activation(902, 12, ended),
    activation(903, 40),
  ];
  const { counts, notes } = await move(shopOf(records, SECRET));
  assert.deepEqual([counts.license.created, counts.activation.created, notes], [2, 3, []]);

  const { ok, license: create } = await start(t, dataDir);
  const moved = await ok('GET', '/licenses/SHOP-KEY-12');
  assert.deepEqual(
    [moved.id, moved.order_id, moved.product_id, moved.user_id, moved.times_activated, moved.created_at],
    [12, 120, 7, 3, 1, AT],
  );
  assert.deepEqual(
    moved.activations.map((one: { id: number; token: string }) => [one.id, one.token]),
    [[901, createHash('sha1').update('901').digest('hex')]],
  );
  assert.deepEqual(await ok('GET', `/licenses/hashed-${hashOf('SHOP-KEY-12')}`), moved);
  const token = createHash('sha1').update('903').digest('hex');
  const { license: odd } = await ok('GET', `/licenses/validate/${token}`);
  assert.deepEqual([odd.id, odd.license_key, odd.is_expired, odd.status], [40, 'ключ/ 40', true, 5]);
  // New records get ids above those of the moved records.
  const { id, license_key: key } = await create();
  assert.equal(id, 41);
  assert.equal((await ok('GET', `/licenses/activate/${key}`)).id, 904);
});

test('a second move takes only the changes', async (t) => {
  const { dataDir, move } = await newTarget(t);
  const before = [license(1), license(2), license(3), activation(1, 1), activation(2, 2), activation(3, 3)];
  await move(shopOf(before));
  const sealed = () => rowsOf(dataDir, 'select id, sealed_key from licenses order by id');
  const [untouched] = await sealed();
  const after = [
    license(1),
    license(2, { status: 5, key: 'RENAMED' }),
    license(4),
    activation(1, 1, { deactivatedAt: AT }),
    activation(2, 2),
    activation(4, 4),
  ];
  const { counts, notes } = await move(shopOf(after));
  assert.deepEqual(counts.license, {
    ...{ read: 3, unchanged: 1, created: 1, updated: 1, notMoved: 0, gone: 1, deleted: 0 },
  });
  assert.deepEqual(counts.activation, {
    ...{ read: 3, unchanged: 1, created: 1, updated: 1, notMoved: 0, gone: 1, deleted: 0 },
  });
  assert.deepEqual(notes, []);
  assert.deepEqual((await sealed())[0], untouched);
  const seats = () => rowsOf(dataDir, 'select id, times_activated, status from licenses order by id');
  assert.deepEqual((await seats()).map(Object.values), [
    [1, 0, 3],
    [2, 1, 5],
    [3, 1, 3],
    [4, 1, 3],
  ]);

  const third = await move(shopOf(after), { deleteGone: true });
  assert.deepEqual([third.counts.license.deleted, third.counts.license.unchanged], [1, 3]);
  assert.deepEqual(
    (await seats()).map(({ id }) => id),
    [1, 2, 4],
  );
  // An earlier version may have stored other digests of the same rows.
  const digest = Buffer.alloc(32);
  const known = after.map((one): typeof one => ({ ...one, digest, formerDigest: one.digest }));
  const { gone, unchanged } = (await move(shopOf(known))).counts.license;
  assert.deepEqual([gone, unchanged], [0, 3]);
});

test('a license that the shop deleted and restored comes back with its activations and metadata', async (t) => {
  const target = await newTarget(t);
  const { move, dataDir } = target;
  const rest = [license(2), activation(1, 1), activation(2, 2), meta(1, 1)];
  await move(shopOf([license(1), ...rest]));
  await move(shopOf(rest), { deleteGone: true });
  const { notes } = await move(shopOf(rest));
  assert.deepEqual(
    notes.map(({ kind, code }) => [kind, code]),
    [
      ['license_meta', 'no_license'],
      ['activation', 'no_license'],
    ],
  );
  const { counts } = await move(shopOf([license(1), ...rest]));
  assert.deepEqual(
    [counts.license.created, counts.license_meta.created, counts.activation.created],
    [1, 1, 1],
  );
  assert.deepEqual(await seats(target), [1, 1]);
  assert.equal(await numberOf(dataDir, 'select count(*) from license_meta where license_id = 1'), 1);
});

test('of several licenses with one key, the lowest id stays and gets the activations of the others', async (t) => {
  const { dataDir, move } = await newTarget(t);
  const { counts, notes } = await move(
    shopOf([
      license(1),
      license(2, { key: 'SHOP-KEY-1' }),
      activation(1, 1),
      activation(2, 2),
      activation(3, 99),
    ]),
  );
  assert.deepEqual(notes, [
    { kind: 'license', id: 2, code: 'exists', recordId: 1 },
    { kind: 'activation', id: 3, code: 'no_license', recordId: null },
  ]);
  assert.deepEqual([counts.license.notMoved, counts.activation.notMoved], [1, 1]);
  const { ok } = await start(t, dataDir);
  const { activations, times_activated: seats } = await ok('GET', '/licenses/SHOP-KEY-1');
  assert.deepEqual([activations.length, seats], [2, 2]);
});

test("a later move updates an API key with the shop's values, and revokes it if the shop deleted it", async (t) => {
  const { dataDir, move } = await newTarget(t);
  await move(shopOf([apiKey(8)]));
  const row = async () => {
    const [all] = await rowsOf(dataDir, 'select * from api_keys where id = 8');
    const { user_id, description, permission, compatibility, products, lmfwc_version, hashed_by } = all ?? {};
    return {
      values: [user_id, description, permission, compatibility, products, lmfwc_version, hashed_by],
      isRevoked: all?.revoked_at !== null,
      keyHash: Buffer.from(all?.key_hash as Uint8Array)[0],
    };
  };
  assert.deepEqual(await row(), {
    values: [1, 'Shipped', 'read', 'plugin', null, 2, 'wc-api'],
    ...{ isRevoked: false, keyHash: 8 },
  });
  // Here the key was used, which rehashed it, and limited.
  await rowsOf(
    dataDir,
    "update api_keys set hashed_by = 'sha256', products = '[7]', compatibility = 'documented' where id = 8 returning id",
  );
  const inShop = { description: 'Renamed', permission: 'read_write', lmfwcVersion: 3 } as const;
  await move(shopOf([apiKey(8, inShop)]));
  const changed = [1, 'Renamed', 'read_write', 'documented', '[7]', 3, 'sha256'];
  assert.deepEqual(await row(), { values: changed, isRevoked: false, keyHash: 8 });
  const { counts } = await move(shopOf([]), { deleteGone: true });
  assert.deepEqual([counts.api_key.gone, counts.api_key.deleted], [1, 1]);
  assert.deepEqual(await row(), { values: changed, isRevoked: true, keyHash: 8 });
});

test('an API key that is revoked already keeps the time when it was revoked', async (t) => {
  const { move, dataDir } = await newTarget(t);
  await move(shopOf([apiKey(8)]));
  await runSql(dataDir, `update api_keys set revoked_at = '${AT}' where id = 8`);
  const { counts } = await move(shopOf([]), { deleteGone: true });
  assert.deepEqual([counts.api_key.gone, counts.api_key.deleted], [1, 0]);
  const [key] = await rowsOf(dataDir, 'select revoked_at from api_keys where id = 8');
  assert.equal(key?.revoked_at, AT);
});

test('records whose ids are taken get new ones, and references follow', async (t) => {
  const { dataDir, move } = await newTarget(t);
  await move(shopOf([license(1), license(2), activation(1, 1)]));
  const other = {
    ...shopOf([
      license(1, { key: 'OTHER' }),
      license(2, { key: 'OTHER' }),
      activation(1, 1, { token: 'b'.repeat(40) }),
      activation(-5, 2, { token: 'c'.repeat(40) }),
    ]),
    id: 'fedcba9876543210',
  };
  const { notes } = await move(other);
  assert.deepEqual(notes, [
    { kind: 'license', id: 1, code: 'new_id', recordId: 3 },
    { kind: 'license', id: 2, code: 'exists', recordId: 3 },
    { kind: 'activation', id: 1, code: 'new_id', recordId: 3 },
  ]);
  assert.equal((await move(other)).counts.activation.unchanged, 2);
  const { ok } = await start(t, dataDir);
  const { id, activations } = await ok('GET', '/licenses/OTHER');
  assert.deepEqual([id, activations.map((one: { token: string }) => one.token[0])], [3, ['b', 'c']]);
});

test('a dry run reports the same as the move and leaves nothing', async (t) => {
  const { dataDir, move } = await newTarget(t);
  const shop = shopOf([license(1), license(2, { key: 'SHOP-KEY-1' }), activation(1, 1)]);
  const tried = await move(shop, { dryRun: true });
  await move(shopOf([]));
  const triedAgain = await move(shop, { dryRun: true });
  for (const table of ['licenses', 'activations', 'moved_records', 'staged_records'])
    assert.equal(await numberOf(dataDir, `select count(*) from ${table}`), 0, table);
  const moved = await move(shop);
  assert.deepEqual([tried, triedAgain], [moved, moved]);
});

test('an interrupted move changes nothing, and the next one resumes it', async (t) => {
  const { dataDir, move } = await newTarget(t);
  const records = Array.from({ length: 1_200 }, (_, i) => license(i + 1));
  const controller = new AbortController();
  const interrupted = move(shopOf(records), {
    signal: controller.signal,
    onProgress: (_part, read) => read >= 1_000 && controller.abort(new Error('interrupted')),
  });
  await assert.rejects(interrupted, /interrupted/);
  const count = (table: string) => numberOf(dataDir, `select count(*) from ${table}`);
  assert.deepEqual([await count('licenses'), await count('staged_records')], [0, 1_000]);
  const [staged] = await rowsOf(dataDir, 'select record from staged_records where source_id = 1');
  const { sealed_key: sealed } = JSON.parse(String(staged?.record));
  const { counts } = await move(shopOf(records.slice(0, 900)));
  assert.deepEqual(
    [counts.license.created, await count('licenses'), await count('staged_records')],
    [900, 900, 0],
  );
  // A staged record is not encrypted again, and a record that the shop deleted since is not moved.
  const [moved] = await rowsOf(dataDir, 'select sealed_key from licenses where id = 1');
  assert.equal(Buffer.from(moved?.sealed_key as Uint8Array).toString('hex'), sealed);
});

test("a database with licenses refuses a move with another hash key, unless the shop's hashes are given up", async (t) => {
  const { dataDir, move } = await newTarget(t);
  await move(shopOf([license(1)]));
  const other = shopOf([license(5, { key: 'OTHER' })], 'b'.repeat(64));
  await assert.rejects(move(other), { code: 'hash_key_in_use' });
  await move({ ...other, id: 'fedcba9876543210' }, { withoutHashes: true });
  const { ok, fails } = await start(t, dataDir);
  assert.equal((await ok('GET', '/licenses/OTHER')).id, 5);
  const hash = createHmac('sha256', 'b'.repeat(64)).update('OTHER').digest('hex');
  await fails(404, 'data_error', 'GET', `/licenses/hashed-${hash}`);
});

test('a server running during the first move answers for the moved licenses', async (t) => {
  const { dataDir, move } = await newTarget(t);
  const { ok } = await start(t, dataDir);
  await move(shopOf([license(1), activation(1, 1)], SECRET));
  assert.equal((await ok('GET', '/licenses/SHOP-KEY-1')).times_activated, 1);
  assert.equal((await ok('GET', `/licenses/hashed-${hashOf('SHOP-KEY-1')}`)).id, 1);
});

test('of several rows with one id, the first is moved', async (t) => {
  const target = await newTarget(t);
  const { counts, notes } = await target.move(shopOf([license(1), license(1, { key: 'TWICE' }), license(2)]));
  assert.deepEqual(notes, [{ kind: 'license', id: 1, code: 'id_twice', column: null, value: null }]);
  assert.deepEqual([counts.license.created, counts.license.notMoved], [2, 1]);
});

test('a change in the shop to a license in the trash is moved once the license is restored', async (t) => {
  const { move, within, dataDir } = await newTarget(t);
  await move(shopOf([license(1)]));
  await within(({ execute }) => execute('delete-license', { named: 'SHOP-KEY-1' }, SYSTEM));
  const changed = shopOf([license(1, { activationsLimit: 9 })]);
  const deleted = { kind: 'license', id: 1, code: 'deleted_here', recordId: null };
  assert.deepEqual((await move(changed)).notes, [deleted]);
  assert.deepEqual((await move(changed)).notes, [deleted]);
  await within(({ execute }) => execute('restore-licenses', { ids: [1] }, SYSTEM));
  assert.equal((await move(changed)).counts.license.updated, 1);
  assert.equal(await numberOf(dataDir, 'select activations_limit from licenses'), 9);
});

test('a dump without the table of activations is refused after a move that had it', async (t) => {
  const { move, dataDir } = await newTarget(t);
  await move(shopOf([license(1), activation(1, 1)]));
  const without = { ...shopOf([license(1), activation(-1, 1)]), kinds: new Set(['license'] as const) };
  await assert.rejects(move(without), { code: 'table_missing' });
  assert.equal(await numberOf(dataDir, 'select times_activated from licenses'), 1);
});
