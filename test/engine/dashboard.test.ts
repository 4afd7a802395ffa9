import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDashboard } from '../../src/app/reports/dashboard.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { toDatetime } from '../../src/domain/datetime.ts';
import { COUNTED_AT_ONCE } from '../../src/store/reports/reports.ts';
import { ENGINE, runSql } from '../support/engine.ts';
import type { Record_ } from '../support/http/api.ts';
import { startService } from '../support/service.ts';
import { until } from '../support/until.ts';

const DAY_MS = 86_400_000;
const BYTES = ENGINE === 'sqlite' ? 'blob' : 'bytea';
const START = Date.parse('2031-05-10T12:00:00Z');

test('every day has its counts, including days without events', async (t) => {
  let now = START;
  const api = await startService(t, { clock: () => now });
  const dashboard = createDashboard(api.service);
  const { license_key: key } = await api.license({ activations_limit: 0, valid_for: 10 });
  const { token } = await api.activation(key);
  await api.activation(key);
  await api.ok('GET', `/licenses/validate/${token}`);
  now += 2 * DAY_MS;
  const later = await api.license();
  await api.license();
  await api.ok('GET', `/licenses/deactivate/${token}`);
  const { id: softwareId } = await api.software();
  const { id: releaseId } = await api.release(softwareId);
  const { id: otherId } = await api.release(softwareId, { version: '2.0.0' });
  const download = { licenseId: null, activationId: null, ipAddress: null, userAgent: null, meta: null };
  for (const id of [releaseId, otherId, otherId])
    await api.service.execute('record-download', { ...download, releaseId: id } as never, SYSTEM);
  await api.service.usage.flush();

  const nothing = {
    activations: 0,
    deactivations: 0,
    validations: 0,
    downloads: 0,
    licenses: 0,
    renewals: 0,
  };
  const first = { ...nothing, activations: 2, validations: 1, licenses: 1 };
  const last = { ...nothing, deactivations: 1, downloads: 3, licenses: 2 };
  assert.deepEqual(await dashboard.days(4, null), [
    { day: '2031-05-09', ...nothing },
    { day: '2031-05-10', ...first },
    { day: '2031-05-11', ...nothing },
    { day: '2031-05-12', ...last },
  ]);
  // Past days are cached for an hour, today is not.
  await api.ok('DELETE', `/licenses/${key}`);
  await api.ok('DELETE', `/licenses/${later.license_key}`);
  const licenses = async () => (await dashboard.days(3, null)).map((one) => one.licenses);
  assert.deepEqual(await licenses(), [1, 0, 1]);
  now += 3_600_001;
  assert.deepEqual(await licenses(), [0, 0, 1]);
});

test('licenses beyond one chunk are all counted, with the same or different times', async (t) => {
  let now = START;
  const api = await startService(t, { clock: () => now });
  const dashboard = createDashboard(api.service);
  await api.generator();
  const amount = COUNTED_AT_ONCE + 7;
  for (const status of [3, 1]) {
    await runSql(
      api.dataDir,
      `insert into licenses
         (key_hash, sealed_key, valid_for, source, status, activations_limit, created_at, created_by)
         with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${amount})
         select cast('${status} ' || n as ${BYTES}), cast('' as ${BYTES}), 0, 2, ${status}, 0, '${toDatetime(now)}', 1
         from numbers`,
    );
    now += 60_000;
  }
  await api.license({ status: 'inactive' });
  const total = 2 * amount + 1;
  assert.equal((await dashboard.days(1, null))[0]?.licenses, total);
  const counts = { licenses: total, generators: 1, software: 0, byStatus: [amount, 0, amount, 1, 0] };
  assert.deepEqual(await dashboard.totals(), counts);
  // The statuses of many licenses are counted once a minute.
  await api.license({ status: 'disabled' });
  assert.deepEqual(await dashboard.totals(), { ...counts, licenses: total + 1 });
  now += 60_001;
  // The old counts are returned while new ones are computed.
  assert.deepEqual((await dashboard.totals()).byStatus, counts.byStatus);
  await until(async () => (await dashboard.totals()).byStatus[4] === 1);
  const disabled = { licenses: total + 1, byStatus: [amount, 0, amount, 1, 1] };
  assert.deepEqual(await dashboard.totals(), { ...counts, ...disabled });
});

test('seats, expired licenses and downloaded versions are counted, for a period and the one before', async (t) => {
  let now = START;
  const api = await startService(t, { clock: () => now });
  const dashboard = createDashboard(api.service);
  for (const valid_for of [1, 2, 40, 0]) await api.license({ valid_for, product_id: valid_for });
  const { license_key: key } = await api.license({ activations_limit: 0 });
  const { token } = await api.activation(key);
  await api.activation(key);
  assert.equal((await dashboard.seats()).total, 2);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  assert.equal((await dashboard.seats()).total, 1);
  now += 45 * DAY_MS;
  const none = { total: 0, isMore: false };
  assert.deepEqual(await dashboard.expired(30, 0, null), { total: 1, isMore: false });
  assert.deepEqual(await dashboard.expired(30, 30, null), { total: 2, isMore: false });
  assert.deepEqual(await dashboard.expired(30, 60, null), none);
  assert.deepEqual(await dashboard.expired(30, 30, 2), { total: 1, isMore: false });
  assert.deepEqual(await dashboard.expired(30, 0, 2), none);

  const { id } = await api.software({ name: 'Astrolabe' });
  const [{ id: old }, { id: recent }] = [await api.release(id), await api.release(id, { version: '2.0.0' })];
  const download = { licenseId: null, activationId: null, ipAddress: null, userAgent: null, meta: null };
  for (const releaseId of [old, recent, recent])
    await api.service.execute('record-download', { ...download, releaseId } as never, SYSTEM);
  await api.service.usage.flush();
  const of = { softwareId: id, software: 'Astrolabe' };
  assert.deepEqual(await dashboard.versions(30, 1, null), [{ ...of, version: '2.0.0', downloads: 2 }]);
  now += 30 * DAY_MS;
  assert.deepEqual(await dashboard.versions(30, 1, null), []);
});

test('every license whose expiry moves later counts as a renewal of that day, however it was changed', async (t) => {
  let now = START;
  const api = await startService(t, { clock: () => now });
  const dashboard = createDashboard(api.service);
  const renewals = async (productId: number | null) =>
    (await dashboard.days(2, productId)).map((day) => day.renewals);
  const made = [];
  for (const product_id of [7, 7, 8, null]) made.push(await api.license({ product_id, valid_for: 10 }));
  const [first, second, third, other] = made.map(({ id }) => id);
  const unlimited = await api.license({ product_id: 7 });
  const change = (change: object, ...ids: unknown[]) =>
    api.service.execute('change-licenses', { ids, change, skipGone: false } as never, SYSTEM);
  await change({ extendDays: 30 }, first, third, other, unlimited.id);
  assert.deepEqual(await renewals(null), [0, 3]);
  now += DAY_MS;
  // No renewals: an earlier expiry, the same one, another field, a first expiry, and a change that fails as a whole.
  await change({ expiresAt: '2031-06-01 00:00:00' }, first, second, unlimited.id);
  assert.deepEqual(await renewals(7), [1, 1]);
  await change({ expiresAt: '2031-06-01 00:00:00' }, first, second);
  await change({ status: 4 }, first, second);
  await change({ expiresAt: null }, first, 999);
  await change({ expiresAt: '2031-05-20 00:00:00' }, second);
  assert.deepEqual(await renewals(7), [1, 1]);
  // Renew concurrently, one by one and in bulk.
  const rest = [];
  for (let nth = 0; nth < 6; nth++)
    rest.push(await api.license({ product_id: 8 - (nth % 2), valid_for: 10 }));
  const renew = ({ license_key }: Record_) =>
    api.ok('PUT', `/licenses/${license_key}`, { json: { expires_at: '2040-01-01' } });
  await Promise.all([...rest.map(renew), change({ expiresAt: null }, first, third)]);
  assert.deepEqual(
    [await renewals(7), await renewals(8), await renewals(null)],
    [
      [1, 5],
      [1, 4],
      [3, 9],
    ],
  );
});

test('a product has its own counts, without those that only exist for all products', async (t) => {
  const api = await startService(t, { clock: () => START });
  const dashboard = createDashboard(api.service);
  for (const [product_id, valid_for] of [
    [7, 5],
    [7, 0],
    [8, 5],
    [null, 5],
  ])
    await api.license({ product_id, valid_for });
  const download = { licenseId: null, activationId: null, ipAddress: null, userAgent: null, meta: null };
  const release = async (name: string, product_ids: number[]) => {
    const software = await api.software({ name, product_ids });
    const { id: releaseId } = await api.release(software.id);
    await api.service.execute('record-download', { ...download, releaseId } as never, SYSTEM);
  };
  await release('Astrolabe', [7, 8]);
  await release('Sextant', [8]);
  await release('For all', []);
  const usage = { activations: null, deactivations: null, validations: null };
  const of = async (productId: number | null) => {
    const versions = await dashboard.versions(30, 5, productId);
    return [
      (await dashboard.days(1, productId))[0],
      (await dashboard.expiring(30, 5, productId)).items.map((license) => license.productId),
      versions.map(({ software }) => software).sort(),
      (await dashboard.expiring(30, 5, productId)).total,
    ];
  };
  const day = { day: '2031-05-10', ...usage, renewals: 0 };
  assert.deepEqual(await of(7), [{ ...day, licenses: 2, downloads: 1 }, [7], ['Astrolabe'], 1]);
  assert.deepEqual(await of(8), [{ ...day, licenses: 1, downloads: 2 }, [8], ['Astrolabe', 'Sextant'], 1]);
  assert.deepEqual(await of(9), [{ ...day, licenses: 0, downloads: 0 }, [], [], 0]);
  const all = { activations: 0, deactivations: 0, validations: 0, licenses: 4, downloads: 3 };
  assert.deepEqual((await of(null))[0], { ...day, ...all });
  assert.deepEqual(await dashboard.licensesOf(7), { total: 2, isMore: false });
});

test('licenses that expire soon are sorted by expiry, without expired ones', async (t) => {
  let now = START;
  const api = await startService(t, { clock: () => now });
  const dashboard = createDashboard(api.service);
  const ids: number[] = [];
  for (const valid_for of [20, 5, 31, 1, 0]) ids.push((await api.license({ valid_for })).id);
  now += 2 * DAY_MS;
  const { items, ...rest } = await dashboard.expiring(30, 2, null);
  assert.deepEqual(rest, { total: 3, isMore: false });
  assert.deepEqual(
    items.map(({ id }) => id),
    [ids[1], ids[0]],
  );
});
