import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { toDatetime } from '../../../src/domain/datetime.ts';
import { signedIn } from '../../support/console/console.ts';
import { numberOf, runSql } from '../../support/engine.ts';
import { newName, type Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

let now = Date.parse('2031-02-03T04:05:06Z');
const api = await startService({ after }, { clock: () => now });
const { execute } = api.service;
const [manager, support, viewer] = await Promise.all([
  signedIn(api, 'manager'),
  signedIn(api, 'support'),
  signedIn(api, 'viewer'),
]);

async function lastPage(reader: typeof viewer, id: number, limit: number): Promise<Record_> {
  for (let before = ''; ; ) {
    const page = await reader.ok(
      'GET',
      `/licenses/${id}/history?limit=${limit}${before && `&before=${before}`}`,
    );
    if (page.next === null) return page;
    before = page.next;
  }
}

/** Returns the whole history of a license, read in pages. */
async function historyOf(id: number, limit: number): Promise<Record_[]> {
  const events: Record_[] = [];
  for (let before = ''; ; ) {
    const page = await viewer.ok(
      'GET',
      `/licenses/${id}/history?limit=${limit}${before && `&before=${before}`}`,
    );
    assert.ok(page.items.length <= limit);
    events.push(...page.items);
    if (page.next === null) return events;
    before = page.next;
  }
}
const actionsOf = (events: readonly Record_[]): string[] => events.map(({ action }) => action);
const LIMITS = [1, 2, 3, 200];

/** Creates a license and makes programs and users act on it, `minute` milliseconds apart. */
async function livedThrough(minute: number) {
  const then = async <T>(what: () => Promise<T>): Promise<T> => {
    now += minute;
    return what();
  };
  const { id, license_key: key } = await api.license({ activations_limit: 0 });
  const label = newName();
  const software = await api.software({ product_ids: [] });
  const { id: release } = await api.release(software.id, { version: '2.1.0' });
  const one = await then(() => api.activation(key, { label, software: software.id }));
  const two = await then(() => api.activation(key, { label: `${label}-2` }));
  await then(() => manager.ok('PATCH', `/licenses/${id}`, { status: 5 }));
  await then(() => support.ok('POST', `/activations/${one.id}/deactivate`));
  await then(() => manager.ok('PATCH', `/licenses/${id}`, { status: 3 }));
  await then(() => support.ok('POST', `/activations/${one.id}/reactivate`));
  await then(() => api.ok('GET', `/licenses/deactivate/${two.token}`));
  await then(() => support.ok('POST', `/licenses/${id}/reveal`));
  const by = { licenseId: id, activationId: one.id, ipAddress: '192.0.2.9', userAgent: null, meta: null };
  await then(() => execute('record-download', { releaseId: release, ...by }, SYSTEM));
  await then(() => api.ok('GET', `/licenses/deactivate/${one.token}`));
  await then(() => manager.ok('DELETE', `/activations/${two.id}`));
  const three = await then(() => api.activation(key));
  await then(() => support.ok('POST', `/activations/${three.id}/deactivate`));
  return { id, label, one, two, software };
}

test('the history of a license is one timeline of what users and programs did, in pages of any size', async () => {
  const { id, label, one, two, software } = await livedThrough(60_000);
  const events = await historyOf(id, 200);
  assert.deepEqual(actionsOf(events), [
    'activation.deactivate',
    'activation.create',
    'activation.delete',
    // A program deactivated this activation, for which the audit trail has no entry.
    'activation.deactivate',
    'download.create',
    'license.reveal',
    'activation.reactivate',
    'license.update',
    'activation.deactivate',
    'license.update',
    'activation.create',
    'license.create',
  ]);
  const [, , removed, ended, download, , again, , byPerson, , made, created] = events;
  assert.deepEqual([removed.user_name, removed.activation.id], [manager.user.name, two.id]);
  assert.deepEqual([ended.via, ended.user_id, ended.activation.label], [null, null, label]);
  assert.deepEqual(
    [download.version, download.software_name, download.origin],
    ['2.1.0', software.name, '192.0.2.9'],
  );
  for (const event of [again, byPerson])
    assert.deepEqual(
      [event.via, event.user_name, event.activation.id, event.activation.label],
      ['console', support.user.name, one.id, label],
    );
  assert.deepEqual(
    [made.activation, made.software_name, made.origin],
    [{ id: one.id, label, ip_address: '127.0.0.1', ended_as: null }, software.name, '127.0.0.1'],
  );
  assert.equal(created.via, 'api');
  const who = ({ origin, api_key_id, api_key_description }: Record_) =>
    [origin, api_key_id, api_key_description].map((value) => value !== null);
  for (const by of [viewer, support]) {
    const items: Record_[] = (await by.ok('GET', `/licenses/${id}/history?limit=200`)).items;
    for (const event of [items.at(-1), items[0]])
      assert.deepEqual(event && who(event), [false, false, false]);
  }
  const { items } = await manager.ok('GET', `/licenses/${id}/history?limit=200`);
  assert.deepEqual(
    [who(items.at(-1)), who(items[0])],
    [
      [true, true, true],
      [true, false, false],
    ],
  );
  for (const limit of LIMITS) assert.deepEqual(await historyOf(id, limit), events, `${limit} at a time`);
});

test("the history shows a user's action on an activation once, even if everything happened in one second", async () => {
  const { id } = await livedThrough(0);
  const all = actionsOf(await historyOf(id, 200)).sort();
  assert.equal(all.filter((action) => action.startsWith('activation.')).length, 7);
  for (const limit of LIMITS)
    assert.deepEqual(actionsOf(await historyOf(id, limit)).sort(), all, `${limit} at a time`);
});

test('events of the same second have the same order in pages of any size', async () => {
  const { id, license_key: key } = await api.license({ activations_limit: 0 });
  now += 60_000;
  const made: Record_[] = [];
  for (let i = 0; i < 5; i++) made.push(await api.activation(key));
  const [ofProgram, ...ofPeople] = made;
  await api.ok('GET', `/licenses/deactivate/${ofProgram?.token}`);
  // The history skips more than a page of these activations, because the audit trail has entries for them.
  for (const one of ofPeople) await support.ok('POST', `/activations/${one.id}/deactivate`);
  const events = await historyOf(id, 200);
  for (const limit of LIMITS) assert.deepEqual(await historyOf(id, limit), events, `pages of ${limit}`);
});

test('an event between two page requests neither repeats nor hides earlier events', async () => {
  const { license_key: key, id } = await api.license({ activations_limit: 0 });
  for (let i = 0; i < 5; i++) {
    now += 1_000;
    await api.activation(key);
  }
  const first = await viewer.ok('GET', `/licenses/${id}/history?limit=2`);
  now += 1_000;
  await api.activation(key);
  await manager.ok('PATCH', `/licenses/${id}`, { order_id: 5 });
  const { items, next } = await viewer.ok('GET', `/licenses/${id}/history?before=${first.next}`);
  const told = [...first.items, ...items].flatMap(({ activation }: Record_) => activation?.id ?? []);
  assert.deepEqual([new Set(told).size, told.length, next], [5, 5, null]);
  assert.equal(items.at(-1).action, 'license.create');
});

test('the history shows the creation of a license from a batch, which has no audit entry of its own', async () => {
  const { id: generator } = await api.generator();
  await api.ok('POST', `/generators/${generator}/generate`, { json: { amount: 1, save: true } });
  const [license] = (await viewer.ok('GET', '/licenses?limit=1')).items;
  for (const limit of LIMITS) {
    const [created, ...others] = await historyOf(license.id, limit);
    assert.deepEqual(
      [created.action, created.at, created.about, others],
      ['license.create', license.created_at, { source: license.source }, []],
    );
  }
});

test('of the licenses from batches, the history names who made them in the console, and nobody else', async () => {
  const { id: generator } = await api.generator();
  const creatorOf = async () => {
    const [license] = (await viewer.ok('GET', '/licenses?limit=1')).items;
    const [created] = await historyOf(license.id, 200);
    return { id: license.id, by: [created.user_id, created.user_name] };
  };
  const shop = await withApiKey(api, { userId: manager.user.id });
  const order = { amount: 1, save: true };
  await shop.ok('POST', `/generators/${generator}/generate`, { json: order });
  assert.deepEqual((await creatorOf()).by, [null, null]);
  await manager.ok('POST', `/generators/${generator}/generate`, order);
  const { id, by } = await creatorOf();
  assert.deepEqual(by, [manager.user.id, manager.user.name]);
  // A license of a shop, whose user has the same id.
  await runSql(api.dataDir, `update licenses set created_at = '2021-02-03 04:05:06' where id = ${id}`);
  assert.deepEqual((await creatorOf()).by, [null, null]);
});

test('deactivated activations beyond the limit are deleted, oldest first, and the history says how many', async (t) => {
  const small = await startService(t, { clock: () => now, server: { historyKeep: 2 } });
  const reader = await signedIn(small, 'viewer');
  const { license_key: key, id } = await small.license({ activations_limit: 2 });
  const first = await small.activation(key);
  const deactivated: Record_[] = [first];
  await small.ok('GET', `/licenses/deactivate/${first.token}`);
  const holder = await small.activation(key);
  const rest = () => reader.ok('GET', `/licenses/${id}/activations?state=deactivated`);
  // One deactivation in sixteen deletes: that none of 500 does has a probability of 10^-14.
  let left = await rest();
  for (let i = 0; i < 500 && (left.total !== 2 || deactivated.length === 2); i++) {
    now += 1_000;
    const one = await small.activation(key);
    deactivated.push(one);
    await small.ok('GET', `/licenses/deactivate/${one.token}`);
    left = await rest();
  }
  const forgotten = deactivated.length - 2;
  assert.ok(forgotten > 0);
  assert.deepEqual(
    left.items.map((one: Record_) => one.id),
    [deactivated.at(-1)?.id, deactivated.at(-2)?.id],
  );
  await small.fails(404, 'data_error', 'GET', `/licenses/validate/${first.token}`);
  await small.fails(404, 'data_error', 'GET', `/licenses/activate/${key}`, { query: { token: first.token } });
  assert.equal((await small.ok('GET', `/licenses/validate/${holder.token}`)).license.times_activated, 1);
  const again = { query: { token: deactivated.at(-2)?.token } };
  assert.equal((await small.activation(key, again.query)).license.times_activated, 2);
  for (const limit of [2, 200]) {
    const { items } = await lastPage(reader, id, limit);
    const event = items.find(({ action }: Record_) => action === 'activation.forget');
    assert.deepEqual(event.about, { activations: forgotten, first_at: first.created_at });
  }
});

test('lapsed seats are deleted, too, unless another device took them over recently', async () => {
  const { license_key: named, id: licenseId } = await api.license({ activations_limit: 0, seat_ttl: 600 });
  const unknown = { label: null, meta: null, token: null, software: null, ipAddress: null, userAgent: null };
  const activate = () => execute('activate-license', { ...unknown, named, source: 2, keep: 2 }, SYSTEM);
  const rows = () =>
    numberOf(api.dataDir, `select count(*) from activations where license_id = ${licenseId}`);
  const taken = await activate();
  assert.ok(taken.ok);
  const ended = `deactivated_at = '${toDatetime(now)}', ended_as = 'taken_over'`;
  await runSql(api.dataDir, `update activations set ${ended} where id = ${taken.value.activation.id}`);
  await runSql(api.dataDir, `update licenses set times_activated = 0 where id = ${licenseId}`);
  const since = toDatetime(now - 1_000);
  let most = 0;
  // One activation in sixteen deletes: that none of 150 does has a probability of 10^-4.
  for (let i = 0; i < 200 && most <= (await rows()); i++) {
    most = await rows();
    now += 600_000;
    assert.ok((await activate()).ok);
  }
  assert.ok((await rows()) < most, `${most} rows`);
  assert.equal(await api.service.store.read.activations.takenOver(licenseId, since), 1);
});

test('a seat that one device takes from another is in the history and the trail', async () => {
  const { license_key: key, id } = await api.license({ activations_limit: 1, reclaim_after_days: 1 });
  const first = await api.activation(key, { label: 'Stale' });
  now += 86_401_000;
  await api.activation(key);
  const [, event] = await historyOf(id, 200);
  assert.deepEqual(
    [event.action, event.via, event.about],
    ['activation.deactivate', 'api', { activation_id: first.id, label: 'Stale', ended_as: 'reclaimed' }],
  );
});

test("a malformed cursor is refused with the parameter's name", async () => {
  const { id } = await api.license();
  for (const before of ['x', '1', '1.2.3', '-1....', '1.2.999999999999.4.5x']) {
    const { status, body } = await viewer.get(`/licenses/${id}/history?before=${before}`);
    assert.deepEqual([status, Object.keys(body.data.params)], [422, ['before']], before);
  }
  assert.equal((await viewer.get(`/licenses/${id}/history?before=1.2.999999999999.4.5`)).status, 200);
});
