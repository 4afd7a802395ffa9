import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { type MoveInOptions, moveIn } from '../../src/app/moving/move-in.ts';
import { SYSTEM } from '../../src/app/people/set-up.ts';
import { HashKeyInUse, withMoveTarget } from '../../src/installation/moving-in.ts';
import { prepareDatabase } from '../../src/installation/service.ts';
import type { Shop, ShopActivation, ShopApiKey, ShopLicense, ShopRecord } from '../../src/wordpress/shop.ts';
import { copyMigrated, numberOf, rowsOf } from '../support/engine.ts';
import { temporaryFolder } from '../support/folder.ts';
import { engineConfig, startService } from '../support/service.ts';

const SECRET = 'a'.repeat(64);
const AT = '2026-01-02 03:04:05';

const license = (id: number, values: Partial<ShopLicense> = {}): ShopRecord => ({
  ...record(id, values),
  kind: 'license',
  record: {
    key: `SHOP-KEY-${id}`,
    ...{ orderId: id * 10, productId: 7, userId: 3, expiresAt: null, validFor: 0, source: 2, status: 3 },
    ...{ activationsLimit: 5, createdAt: AT, createdBy: 0, updatedAt: null, updatedBy: null },
    ...values,
  },
});
const activation = (id: number, licenseId: number, values: Partial<ShopActivation> = {}): ShopRecord => ({
  ...record(id, values),
  kind: 'activation',
  record: {
    token: createHash('sha1').update(String(id)).digest('hex'),
    ...{ licenseId, softwareId: null, label: `Device ${id}`, source: 2, ipAddress: '192.0.2.1' },
    ...{ userAgent: null, meta: { os: 'linux' }, createdAt: AT, updatedAt: null, deactivatedAt: null },
    ...values,
  },
});
const apiKey = (id: number, values: Partial<ShopApiKey> = {}): ShopRecord => ({
  ...record(id, values),
  kind: 'api_key',
  record: {
    ...{ description: 'Shipped', keyEnding: '0000000', permission: 'read', endpoints: ['licenses.validate'] },
    ...{ keyHash: Buffer.alloc(32, id), secretHash: Buffer.alloc(32, 1), lmfwcVersion: 2 },
    ...{ lastAccessAt: null, createdAt: AT },
    ...values,
  },
});
const record = (id: number, values: object) => ({
  id,
  digest: createHash('sha256').update(JSON.stringify(values)).digest(),
  notes: [],
});

/** @param secret that of the database if it is not given: a database takes 2 s to adopt another one */
const shopOf = (records: readonly ShopRecord[], secret = ''): Shop => ({
  plugin: 'dlm',
  id: '0123456789abcdef',
  hashKey: Buffer.from(secret),
  async *records() {
    yield* records;
  },
  left: () => new Map(),
  close: async () => {},
});

const OPTIONS: MoveInOptions = {
  dryRun: false,
  deleteGone: false,
  withoutHashes: false,
  signal: new AbortController().signal,
  onProgress: () => {},
};

async function newTarget() {
  const dataDir = temporaryFolder();
  await copyMigrated(dataDir);
  const config = await engineConfig(dataDir);
  const { keys } = await prepareDatabase(config, { mustExist: false });
  const move = (shop: Shop, options: Partial<MoveInOptions> = {}) => {
    const { dryRun = false, withoutHashes = false } = options;
    const target = shop.hashKey.length > 0 ? shop : { hashKey: keys.data['license key hash'] };
    return withMoveTarget(config, target, { dryRun, withoutHashes }, SYSTEM, ({ service }) =>
      moveIn(service, shop, { ...OPTIONS, ...options }, SYSTEM),
    );
  };
  return { dataDir, move };
}

const start = (t: TestContext, dataDir: string) => startService(t, { dataDir });
const hashOf = (key: string) => createHmac('sha256', SECRET).update(key).digest('hex');

test('licenses and activations keep ids, keys, tokens and hashes; the seats are counted', async (t) => {
  const { dataDir, move } = await newTarget();
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
  // New records get ids above those that were moved.
  const { id, license_key: key } = await create();
  assert.equal(id, 41);
  assert.equal((await ok('GET', `/licenses/activate/${key}`)).id, 904);
});

test('a second move takes only what has changed', async () => {
  const { dataDir, move } = await newTarget();
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
  assert.equal((await move(shopOf(after))).counts.license.gone, 0);
});

test('of licenses with one key, the lowest id stays; activations of the others are moved to it', async (t) => {
  const { dataDir, move } = await newTarget();
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

test('an API key: a later move changes what the shop decides, and revokes it when the shop has deleted it', async () => {
  const { dataDir, move } = await newTarget();
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
  // It was used and limited here.
  await rowsOf(
    dataDir,
    "update api_keys set hashed_by = 'sha256', products = '[7]', compatibility = 'documented' where id = 8 returning id",
  );
  await move(shopOf([apiKey(8, { description: 'Renamed', permission: 'read_write' })]));
  const changed = [1, 'Renamed', 'read_write', 'documented', '[7]', 2, 'sha256'];
  assert.deepEqual(await row(), { values: changed, isRevoked: false, keyHash: 8 });
  const { counts } = await move(shopOf([]), { deleteGone: true });
  assert.deepEqual([counts.api_key.gone, counts.api_key.deleted], [1, 1]);
  assert.deepEqual(await row(), { values: changed, isRevoked: true, keyHash: 8 });
});

test('ids that are taken: records get new ones, and what refers to them follows', async (t) => {
  const { dataDir, move } = await newTarget();
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

test('a dry run says the same as the move, and leaves nothing', async () => {
  const { dataDir, move } = await newTarget();
  const shop = shopOf([license(1), license(2, { key: 'SHOP-KEY-1' }), activation(1, 1)]);
  const tried = await move(shop, { dryRun: true });
  await move(shopOf([]));
  const triedAgain = await move(shop, { dryRun: true });
  for (const table of ['licenses', 'activations', 'moved_records', 'staged_records'])
    assert.equal(await numberOf(dataDir, `select count(*) from ${table}`), 0, table);
  const moved = await move(shop);
  assert.deepEqual([tried, triedAgain], [moved, moved]);
});

test('an interrupted move changes nothing, and the next one goes on', async () => {
  const { dataDir, move } = await newTarget();
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
  // What was staged is not encrypted again, and what the shop has deleted since is not moved.
  const [moved] = await rowsOf(dataDir, 'select sealed_key from licenses where id = 1');
  assert.equal(Buffer.from(moved?.sealed_key as Uint8Array).toString('hex'), sealed);
});

test('a database with licenses keeps its own hashes: the move is refused, unless hashes are given up', async (t) => {
  const { dataDir, move } = await newTarget();
  await move(shopOf([license(1)]));
  const other = shopOf([license(5, { key: 'OTHER' })], 'b'.repeat(64));
  await assert.rejects(move(other), HashKeyInUse);
  await move({ ...other, id: 'fedcba9876543210' }, { withoutHashes: true });
  const { ok, fails } = await start(t, dataDir);
  assert.equal((await ok('GET', '/licenses/OTHER')).id, 5);
  const hash = createHmac('sha256', 'b'.repeat(64)).update('OTHER').digest('hex');
  await fails(404, 'data_error', 'GET', `/licenses/hashed-${hash}`);
});

test('a server that runs during the first move answers for what was moved', async (t) => {
  const { dataDir, move } = await newTarget();
  const { ok } = await start(t, dataDir);
  await move(shopOf([license(1), activation(1, 1)], SECRET));
  assert.equal((await ok('GET', '/licenses/SHOP-KEY-1')).times_activated, 1);
  assert.equal((await ok('GET', `/licenses/hashed-${hashOf('SHOP-KEY-1')}`)).id, 1);
});
