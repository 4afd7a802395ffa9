import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toDatetime } from '../../../src/domain/datetime.ts';
import { readFigures } from '../../../src/installation/figures.ts';
import { signedIn } from '../../support/console/console.ts';
import { literal } from '../../support/earlier-rows.ts';
import { runSql } from '../../support/engine.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService, storeConfig } from '../../support/service.ts';

let now = Date.parse('2031-05-10T12:00:00Z');
const api = await startService({ after }, { clock: () => now });

test('the dashboard shows every day, licenses that expire soon with masked keys, and recent events', async () => {
  const owner = await signedIn(api, 'owner');
  const license = await api.license({ valid_for: 3, product_id: 7 });
  await api.activation(license.license_key);
  await api.service.usage.flush();
  const answer = await owner.ok('GET', '/dashboard');
  assert.equal(answer.counted_at, '2031-05-10 12:00:00');
  assert.match(answer.client_root, /^http:.*\/client\/v1$/);
  assert.deepEqual(
    [answer.days.length, answer.days[0].day, answer.days.at(-1).day],
    [30, '2031-04-11', '2031-05-10'],
  );
  const sum = (name: string) => answer.days.reduce((all: number, one: Record_) => all + one[name], 0);
  assert.deepEqual([sum('activations'), sum('licenses'), sum('downloads')], [1, 1, 0]);
  assert.deepEqual(answer.licenses, { total: 1, is_more: false });
  assert.deepEqual(
    [answer.seats, answer.expired, answer.earlier.activations],
    [{ total: 1, is_more: false }, { total: 0, is_more: false }, 0],
  );
  assert.equal(answer.totals.licenses, 1);
  assert.deepEqual(answer.totals.by_status[2], { status: 3, licenses: 1 });
  const { items, ...expiring } = answer.expiring;
  assert.deepEqual(expiring, { within_days: 30, total: 1, total_is_more: false });
  assert.deepEqual(
    [items[0].id, items[0].license_key, items[0].product_id, items[0].expires_at],
    [license.id, `…${license.license_key.slice(-4)}`, 7, '2031-05-13 12:00:00'],
  );
  const software = await api.software({ name: 'Astrolabe' });
  const release = await api.release(software.id, { version: '1.2.3', status: 'draft' });
  const { events } = await owner.ok('GET', '/dashboard');
  const released = events.find((one: Record_) => one.action === 'release.create');
  assert.deepEqual(
    [released.subject_id, released.subject_name, released.software_id],
    [release.id, 'Astrolabe 1.2.3', software.id],
  );
  const made = answer.events.find((one: Record_) => one.action === 'license.create');
  assert.deepEqual(
    [made.subject_type, made.subject_id, made.by.via, made.by.api_key_description],
    ['license', license.id, 'api', 'From the settings'],
  );

  const long = await owner.ok('GET', '/dashboard?days=90');
  assert.deepEqual([long.days.length, long.days.at(-1)], [90, answer.days.at(-1)]);
  const floating = await api.license({ seat_ttl: 60 });
  await api.activation(floating.license_key);
  const seats = async () => (await owner.ok('GET', '/dashboard')).seats.total;
  assert.equal(await seats(), 2);
  now += 60_000;
  assert.equal(await seats(), 1, 'a lapsed seat is not in use');
  const lapsedUpTo = (id: number) => api.service.store.read.reports.seatsLapsed(toDatetime(now), id, 10);
  assert.deepEqual([await lapsedUpTo(floating.id - 1), await lapsedUpTo(floating.id)], [0, 1]);
  const bad = await owner.get('/dashboard?days=91');
  assert.deepEqual([bad.status, Object.keys(bad.body.data.params)], [422, ['days']]);
});

test('the dashboard of a product omits what is not counted per product', async () => {
  const owner = await signedIn(api, 'owner');
  const license = await api.license({ product_id: 11, valid_for: 3 });
  await api.activation(license.license_key);
  await api.ok('PUT', `/licenses/${license.license_key}`, { json: { expires_at: '2031-06-01' } });
  const { totals, ...answer } = await owner.ok('GET', '/dashboard?product_id=11');
  assert.ok(totals.licenses > 1);
  assert.deepEqual(
    [answer.licenses, answer.seats, answer.events],
    [{ total: 1, is_more: false }, null, null],
  );
  const usage = { activations: null, deactivations: null, validations: null };
  assert.deepEqual(answer.days.at(-1), {
    day: '2031-05-10',
    ...usage,
    downloads: 0,
    renewals: 1,
    licenses: 1,
  });
  const expired = { total: 0, is_more: false };
  assert.deepEqual(answer.earlier, { ...usage, downloads: 0, renewals: 0, licenses: 0, expired });
  assert.deepEqual(
    answer.expiring.items.map(({ id }: Record_) => id),
    [license.id],
  );
  assert.equal((await owner.ok('GET', '/dashboard?product_id=12')).licenses.total, 0);
});

for (const role of ['support', 'viewer'] as const)
  test(`${role} sees events about records, but not who caused them, nor events about users and API keys`, async () => {
    await api.license();
    const { events } = await (await signedIn(api, role)).ok('GET', '/dashboard');
    assert.ok(events.length > 0);
    for (const { action, by } of events) {
      assert.match(action, /^(license|release|software|generator)\./);
      assert.equal(by, null);
    }
  });

test('a damaged license does not keep the dashboard and the metrics from counting licenses', async () => {
  const { id } = await api.license();
  const sealed = literal(Buffer.from('damaged'));
  await runSql(api.dataDir, `update licenses set sealed_key = ${sealed} where id = ${id}`);
  const { totals } = await (await signedIn(api, 'owner')).ok('GET', '/dashboard');
  const { licenses } = await readFigures(storeConfig(api.dataDir), api.service);
  assert.deepEqual([totals.licenses, licenses], [id, id]);
});
