import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { tellAllExpiries } from '../../../src/app/events/expiries.ts';
import { restoreAll } from '../../../src/app/licenses/trash.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { DAY_MS, toDatetime } from '../../../src/domain/datetime.ts';
import { actor } from '../../support/audited/audited.ts';
import { literal } from '../../support/earlier-rows.ts';
import { runSql } from '../../support/engine.ts';
import { eventsOf, newEndpoint } from '../../support/events.ts';
import { startService } from '../../support/service.ts';

let now = Date.parse('2031-05-01T10:00:00Z');
const api = await startService({ after }, { clock: () => now });
const all = await newEndpoint(api, { kind: 'poll' });
const told = (act: () => Promise<unknown>) => eventsOf(api, all.id, act);
const typesOf = async (act: () => Promise<unknown>) => (await told(act)).map(({ type }) => type);
const DAYS_BEFORE = [30, 7, 1];
const tell = () => tellAllExpiries(api.service.execute, DAYS_BEFORE);

test('an expiry sends events on the configured days before it, and one after it, each once', async () => {
  await tell();
  const { id, license_key: key } = await api.license({ expires_at: toDatetime(now + 31 * DAY_MS) });
  const later = async (days: number) => {
    now += days * DAY_MS;
    const events = await told(() => Promise.all([tell(), tell()]));
    return events.filter(({ data }) => data.id === id).map(({ type, data }) => [type, data.days_left]);
  };
  assert.deepEqual(await later(0), []);
  assert.deepEqual(await later(2), [['license.expiring', 30]]);
  assert.deepEqual(await later(1), []);
  assert.deepEqual(await later(22), [['license.expiring', 7]]);
  assert.deepEqual(await later(5.5), [['license.expiring', 1]]);
  assert.deepEqual(await later(1.5), [['license.expired', undefined]]);
  assert.deepEqual(await later(1), []);
  // A change that ends a license sends the event at once, and the clock does not repeat it.
  const renewed = toDatetime(now + 90 * DAY_MS);
  assert.deepEqual(
    await typesOf(() => api.ok('PUT', `/licenses/${key}`, { json: { expires_at: renewed } })),
    ['license.updated', 'license.renewed'],
  );
  const json = { expires_at: toDatetime(now - 1_000) };
  const ended = await typesOf(async () => {
    await api.ok('PUT', `/licenses/${key}`, { json });
    now += DAY_MS;
    await tell();
  });
  assert.deepEqual(ended, ['license.updated', 'license.expired']);
  // An extension that is taken back ends the license again.
  const put = (expires_at: string) => api.ok('PUT', `/licenses/${key}`, { json: { expires_at } });
  const takenBack = await typesOf(async () => {
    await put(toDatetime(now + 90 * DAY_MS));
    await put(json.expires_at);
    await tell();
  });
  assert.deepEqual(takenBack, [
    ...['license.updated', 'license.renewed'],
    ...['license.updated', 'license.expired'],
  ]);
});

test('a new license for exactly 30 days gets no notice of these 30 days', async () => {
  await tell();
  const { id } = await api.license({ expires_at: toDatetime(now + 30 * DAY_MS) });
  const daysLeft = async (days: number) => {
    now += days * DAY_MS;
    const events = (await told(tell)).filter(({ data }) => data.id === id);
    return events.map(({ data }) => data.days_left);
  };
  assert.deepEqual([await daysLeft(0.5), await daysLeft(23), await daysLeft(6)], [[], [7], [1]]);
});

test('an expiry leaves lapsed seats out of the count', async () => {
  await tell();
  const license = await api.license({ seat_ttl: 60, expires_at: toDatetime(now + 3_600_000) });
  await api.activation(license.license_key, { fingerprint: 'one' });
  now += DAY_MS;
  const [expired] = (await told(tell)).filter(({ data }) => data.id === license.id);
  assert.deepEqual([expired?.type, expired?.data.times_activated], ['license.expired', 0]);
});

test('an expiry in the trash is told after the restore, once', async () => {
  const { execute } = api.service;
  await tell();
  const { id, license_key: key } = await api.license({ expires_at: toDatetime(now + 3_600_000) });
  const deleteAndRestore = async () => {
    await api.ok('DELETE', `/licenses/${key}`);
    now += DAY_MS;
    await tell();
    await restoreAll(execute, [id], SYSTEM);
  };
  assert.deepEqual(await typesOf(deleteAndRestore), [
    'license.deleted',
    'license.restored',
    'license.expired',
  ]);
  // As if the event were older than LATCHKEY_EVENT_DAYS.
  await runSql(api.dataDir, `update events set once = null where once like 'expired ${id} %'`);
  assert.deepEqual(await typesOf(deleteAndRestore), ['license.deleted', 'license.restored']);
});

test('after days without a check, what expires is told once, as still to come or as expired', async () => {
  const expiringIn = (days: number) => api.license({ expires_at: toDatetime(now + days * DAY_MS) });
  const ids = [(await expiringIn(2)).id, (await expiringIn(5.5)).id];
  await tell();
  now += 5 * DAY_MS;
  const events = (await told(tell)).filter(({ data }) => ids.includes(data.id));
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.id]),
    [
      ['license.expiring', ids[1]],
      ['license.expired', ids[0]],
    ],
  );
});

test('an expiry sends no event again after the clock was ahead', async () => {
  await tell();
  now += 400 * DAY_MS;
  await tell();
  now -= 399 * DAY_MS;
  await tell();
  const soon = await api.license({ expires_at: toDatetime(now + DAY_MS + 3_600_000) });
  now += DAY_MS;
  const again = (await told(tell)).filter(({ data }) => data.id === soon.id);
  assert.deepEqual(
    again.map(({ type }) => type),
    ['license.expiring'],
  );
});

test('the expiry of a license whose key is damaged has an event without values; other licenses do not wait', async () => {
  await tell();
  const expires_at = toDatetime(now + 3_600_000);
  const ids = [(await api.license({ expires_at })).id, (await api.license({ expires_at })).id];
  const sealed = literal(Buffer.from('damaged'));
  await runSql(api.dataDir, `update licenses set sealed_key = ${sealed} where id = ${ids[0]}`);
  now += DAY_MS;
  const events = (await told(tell)).filter(({ data }) => ids.includes(data.id));
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.id, data.expires_at]),
    [
      ['license.expired', ids[0], undefined],
      ['license.expired', ids[1], expires_at],
    ],
  );
});

test('a license that is renewed while expiries are told sends no event that it has expired', async () => {
  await tell();
  const licenses = await Promise.all(
    Array.from({ length: 40 }, () => api.license({ expires_at: toDatetime(now + 30_000) })),
  );
  now += 2 * 60_000;
  const { execute } = api.service;
  const changes = { expiresAt: toDatetime(now + 90 * DAY_MS) };
  const events = await told(async () => {
    const telling = execute('tell-expiries', { days: 0 }, SYSTEM);
    const renewals = licenses
      .toReversed()
      .map(({ id }) => execute('update-license', { named: { id }, changes }, actor));
    await Promise.all([telling, ...renewals]);
  });
  const expired = events.filter(({ type }) => type === 'license.expired');
  assert.ok(expired.every(({ data }) => data.is_expired));
  assert.equal(events.filter(({ type }) => type === 'license.renewed').length, licenses.length);
});
