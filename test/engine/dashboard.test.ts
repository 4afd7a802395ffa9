import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM } from '../../src/app/people/set-up.ts';
import { createDashboard } from '../../src/app/reports/dashboard.ts';
import { COUNTED_AT_ONCE } from '../../src/store/reports/reports.ts';
import { startService } from '../support/service.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2031-05-10T12:00:00Z');

test('every day has its counts, also days without events', async (t) => {
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
  await api.flushUsage();

  const nothing = { activations: 0, deactivations: 0, validations: 0, downloads: 0, licenses: 0 };
  const first = { ...nothing, activations: 2, validations: 1, licenses: 1 };
  const last = { ...nothing, deactivations: 1, downloads: 3, licenses: 2 };
  assert.deepEqual(await dashboard.days(4), [
    { day: '2031-05-09', ...nothing },
    { day: '2031-05-10', ...first },
    { day: '2031-05-11', ...nothing },
    { day: '2031-05-12', ...last },
  ]);
  // Past days are cached for an hour, today is not.
  await api.ok('DELETE', `/licenses/${key}`);
  await api.ok('DELETE', `/licenses/${later.license_key}`);
  const licenses = async () => (await dashboard.days(3)).map((one) => one.licenses);
  assert.deepEqual(await licenses(), [1, 0, 1]);
  now += 3_600_001;
  assert.deepEqual(await licenses(), [0, 0, 1]);
});

test('licenses beyond one chunk are all counted, with the same or different times', async (t) => {
  let now = START;
  const api = await startService(t, { clock: () => now });
  const dashboard = createDashboard(api.service);
  const { id } = await api.generator({ chunks: 5 });
  const amount = COUNTED_AT_ONCE + 7;
  for (const status of ['active', 'sold']) {
    await api.ok('POST', `/generators/${id}/generate`, { json: { amount, save: true, status } });
    now += 60_000;
  }
  await api.license({ status: 'inactive' });
  const total = 2 * amount + 1;
  assert.equal((await dashboard.days(1))[0]?.licenses, total);
  const counts = { licenses: total, generators: 1, software: 0, byStatus: [amount, 0, amount, 1, 0] };
  assert.deepEqual(await dashboard.totals(), counts);
  // The statuses of many licenses are counted once a minute.
  await api.license({ status: 'disabled' });
  assert.deepEqual(await dashboard.totals(), { ...counts, licenses: total + 1 });
  now += 60_001;
  // The old counts are the answer while the new ones are counted.
  assert.deepEqual((await dashboard.totals()).byStatus, counts.byStatus);
  while ((await dashboard.totals()).byStatus[4] === 0);
  const disabled = { licenses: total + 1, byStatus: [amount, 0, amount, 1, 1] };
  assert.deepEqual(await dashboard.totals(), { ...counts, ...disabled });
});

test('seats, expired licenses and downloaded versions are counted, in a period and before it', async (t) => {
  let now = START;
  const api = await startService(t, { clock: () => now });
  const dashboard = createDashboard(api.service);
  for (const valid_for of [1, 2, 40, 0]) await api.license({ valid_for });
  const { license_key: key } = await api.license({ activations_limit: 0 });
  const { token } = await api.activation(key);
  await api.activation(key);
  assert.equal(await dashboard.seats(), 2);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  assert.equal(await dashboard.seats(), 1);
  now += 45 * DAY_MS;
  const none = { total: 0, isMore: false };
  assert.deepEqual(await dashboard.expired(30, 0), { total: 1, isMore: false });
  assert.deepEqual(await dashboard.expired(30, 30), { total: 2, isMore: false });
  assert.deepEqual(await dashboard.expired(30, 60), none);

  const { id } = await api.software({ name: 'Astrolabe' });
  const [{ id: old }, { id: recent }] = [await api.release(id), await api.release(id, { version: '2.0.0' })];
  const download = { licenseId: null, activationId: null, ipAddress: null, userAgent: null, meta: null };
  for (const releaseId of [old, recent, recent])
    await api.service.execute('record-download', { ...download, releaseId } as never, SYSTEM);
  await api.flushUsage();
  const of = { softwareId: id, software: 'Astrolabe' };
  assert.deepEqual(await dashboard.versions(30, 1), [{ ...of, version: '2.0.0', downloads: 2 }]);
  now += 30 * DAY_MS;
  assert.deepEqual(await dashboard.versions(30, 1), []);
});

test('licenses that expire soon are in the order of their expiry, without expired ones', async (t) => {
  let now = START;
  const api = await startService(t, { clock: () => now });
  const dashboard = createDashboard(api.service);
  const ids: number[] = [];
  for (const valid_for of [20, 5, 31, 1, 0]) ids.push((await api.license({ valid_for })).id);
  now += 2 * DAY_MS;
  const { items, ...rest } = await dashboard.expiring(30, 2);
  assert.deepEqual(rest, { total: 3, isMore: false });
  assert.deepEqual(
    items.map(({ id }) => id),
    [ids[1], ids[0]],
  );
});
