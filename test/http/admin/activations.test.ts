import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import { newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const START = Date.parse('2030-06-01T12:00:00Z');
let now = START;
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = START;
});
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [manager, support, viewer] = await Promise.all([
  signedIn(api, 'manager'),
  signedIn(api, 'support'),
  signedIn(api, 'viewer'),
]);
const idsOf = (page: Record_): number[] => page.items.map(({ id }: Record_) => id);

test('activations can be filtered by license, software, state, address and label prefix', async () => {
  const license = await api.license({ activations_limit: 0 });
  const software = await api.software();
  const label = newName();
  const one = await api.activation(license.license_key, { label, software: software.id });
  const other = await api.activation(license.license_key, { label: `${label}-2`, meta: '' });
  await api.ok('GET', `/licenses/deactivate/${other.token}`);
  const found = async (query: string) => idsOf(await viewer.ok('GET', `/activations?${query}`));
  assert.deepEqual(await found(`license_id=${license.id}`), [other.id, one.id]);
  assert.deepEqual(await found(`label=${label.toLowerCase()}`), [other.id, one.id]);
  assert.deepEqual(await found(`label=${label}&state=deactivated`), [other.id]);
  assert.deepEqual(await found(`license_id=${license.id}&state=valid`), [one.id]);
  assert.deepEqual(await found(`software_id=${software.id}`), [one.id]);
  assert.deepEqual(await found(`address=127.0.0.1&label=${label}&limit=1`), [other.id]);
  assert.deepEqual(idsOf(await viewer.ok('GET', `/licenses/${license.id}/activations`)), [other.id, one.id]);

  const [, shown] = (await support.ok('GET', `/activations?license_id=${license.id}`)).items;
  assert.deepEqual(
    [
      shown.license_key,
      shown.is_masked,
      shown.software_name,
      shown.label,
      shown.ip_address,
      shown.deactivated_at,
    ],
    [`…${license.license_key.slice(-4)}`, true, software.name, label, '127.0.0.1', null],
  );
  assert.ok(!JSON.stringify(shown).includes(one.token));
});

test('ending, reactivating (within the limit) and deleting an activation updates the number of seats in use', async () => {
  const license = await api.license({ activations_limit: 1 });
  const { id } = await api.activation(license.license_key);
  const taken = async () => (await viewer.ok('GET', `/licenses/${license.id}`)).times_activated;
  assert.ok((await support.ok('POST', `/activations/${id}/deactivate`)).deactivated_at);
  assert.equal(await taken(), 0);
  assert.equal((await support.post(`/activations/${id}/deactivate`)).status, 404);

  const second = await api.activation(license.license_key);
  const full = await support.post(`/activations/${id}/reactivate`);
  assert.deepEqual([full.status, full.body.code], [404, 'license_activation_limit_reached']);
  await manager.ok('DELETE', `/activations/${second.id}`);
  assert.equal(await taken(), 0);
  assert.equal((await support.ok('POST', `/activations/${id}/reactivate`)).deactivated_at, null);
  assert.equal(await taken(), 1);
  await manager.ok('PATCH', `/licenses/${license.id}`, { status: 5 });
  await support.ok('POST', `/activations/${id}/deactivate`);
  assert.equal((await support.post(`/activations/${id}/reactivate`)).body.code, 'license_disabled');
  await manager.ok('DELETE', `/activations/${id}`);
  assert.equal(await taken(), 0);
  const { items } = await viewer.ok('GET', `/licenses/${license.id}/history`);
  assert.deepEqual(
    items
      .filter(({ action }: Record_) => action === 'activation.delete')
      .map(({ about }: Record_) => about.was_valid),
    [false, true],
  );
});

test('an activation says whether its license is disabled or expired, as long as it holds its seat', async () => {
  const { id, license_key: key } = await api.license({ expires_at: '2030-06-02' });
  const { id: activationId } = await api.activation(key);
  const refusal = async () => {
    const { items } = await viewer.ok('GET', `/licenses/${id}/activations`);
    return items[0].license_refusal;
  };
  assert.equal(await refusal(), null);
  now += DAY;
  assert.equal(await refusal(), 'license_expired');
  await manager.ok('PATCH', `/licenses/${id}`, { status: 5 });
  assert.equal(await refusal(), 'license_disabled');
  await support.ok('POST', `/activations/${activationId}/deactivate`);
  assert.equal(await refusal(), null);
});

test('viewers cannot end activations, support cannot delete them, and an unknown activation is 404', async () => {
  const license = await api.license();
  const { id } = await api.activation(license.license_key);
  for (const refused of [
    viewer.post(`/activations/${id}/deactivate`),
    viewer.post(`/activations/${id}/reactivate`),
    viewer.delete(`/activations/${id}`),
    support.delete(`/activations/${id}`),
  ])
    assert.equal((await refused).status, 403);
  assert.equal((await viewer.ok('GET', `/licenses/${license.id}`)).times_activated, 1);
  for (const gone of [999_999, 'x']) {
    assert.equal((await manager.delete(`/activations/${gone}`)).status, 404);
    assert.equal((await manager.post(`/activations/${gone}/deactivate`)).status, 404);
  }
});

/** Creates a license with a seat policy and activates it. */
async function seated(values: Record<string, string | number>) {
  const license = await api.license({ activations_limit: 1, ...values });
  const key = license.license_key;
  const activate = (fingerprint: string) =>
    api.ok('GET', `/licenses/activate/${key}`, { query: { fingerprint, label: fingerprint } });
  const first = await activate('one');
  const list = (query = '') => viewer.ok('GET', `/licenses/${license.id}/activations?${query}`);
  return { license, first, activate, list, path: `/activations/${first.id}` };
}
const seatOf = ({ seat_expires_at, is_floating, is_borrowed, is_stale, ended_as }: Record_) => ({
  seat_expires_at,
  is_floating,
  is_borrowed,
  is_stale,
  ended_as,
});
const HELD = { is_borrowed: false, is_stale: false, ended_as: null };

test('extending a floating seat restarts its full time, and the seat lapses at the end', async () => {
  const { first, list, path, license } = await seated({ seat_ttl: 600 });
  const shown = async () => (await list()).items[0];
  const seat = { ...HELD, is_floating: true };
  assert.deepEqual(seatOf(await shown()), { ...seat, seat_expires_at: '2030-06-01 12:10:00' });
  now += 599_000;
  const extended = await support.ok('POST', `${path}/extend`);
  assert.deepEqual(seatOf(extended), { ...seat, seat_expires_at: '2030-06-01 12:19:59' });
  assert.deepEqual(extended.last_seen_at, first.created_at, 'the device was not seen');
  now += 600_000;
  assert.deepEqual(seatOf(await shown()), {
    ...seat,
    seat_expires_at: '2030-06-01 12:19:59',
    ended_as: 'lapsed',
  });
  const refused = await support.post(`${path}/extend`);
  assert.deepEqual([refused.status, refused.body.data.reason.code], [404, 'activation_deactivated']);
  assert.deepEqual(idsOf(await list('state=valid')), []);
  assert.deepEqual(idsOf(await list('state=deactivated')), [first.id]);
  const { items } = await viewer.ok('GET', `/licenses/${license.id}/history`);
  const { about } = items.find(({ action }: Record_) => action === 'activation.extend');
  assert.deepEqual(about, {
    activation_id: first.id,
    label: 'one',
    ip_address: '127.0.0.1',
    seat_expires_at: '2030-06-01 12:19:59',
  });
  // Nobody has taken the seat yet: reactivation succeeds. A second reactivation is refused.
  const back = await support.ok('POST', `${path}/reactivate`);
  assert.deepEqual(seatOf(back), { ...seat, seat_expires_at: '2030-06-01 12:29:59' });
  assert.equal((await support.post(`${path}/reactivate`)).body.data.reason.code, 'activation_already_active');
});

test('a lapsed seat that another device has taken cannot be reactivated', async () => {
  const { activate, path, first, list } = await seated({ seat_ttl: 600 });
  now += 600_000;
  const second = await activate('two');
  const full = await support.post(`${path}/reactivate`);
  assert.deepEqual([full.status, full.body.code], [404, 'license_activation_limit_reached']);
  const { items } = await list();
  assert.deepEqual(
    items.map(({ id, ended_as }: Record_) => [id, ended_as]),
    [
      [second.id, null],
      [first.id, 'lapsed'],
    ],
  );
});

test('a seat can be borrowed for as many hours as its license allows, and extending never shortens it', async () => {
  const { path } = await seated({ seat_ttl: 600, borrow_max_hours: 72 });
  const beyond = await support.post(`${path}/extend`, { borrow_hours: 73 });
  assert.deepEqual(
    [beyond.status, beyond.body.data.reasons],
    [422, { borrow_hours: { code: 'out_of_range', args: { min: 0, max: 72 } } }],
  );
  const borrowed = await support.ok('POST', `${path}/extend`, { borrow_hours: 72 });
  const seat = { ...HELD, is_floating: true, is_borrowed: true, seat_expires_at: '2030-06-04 12:00:00' };
  assert.deepEqual([seatOf(borrowed), borrowed.borrow_max_hours], [seat, 72]);
  now += HOUR;
  assert.deepEqual(seatOf(await support.ok('POST', `${path}/extend`)), seat);
  now += 3 * DAY - HOUR - 600_000;
  const extended = await (await signedIn(api, 'support')).ok('POST', `${path}/extend`);
  assert.deepEqual(
    seatOf(extended),
    { ...seat, is_borrowed: false },
    'its last ten minutes are those of a usual seat',
  );
});

test('a seat is neither borrowed nor extended if the license does not allow it', async () => {
  const { path } = await seated({ seat_ttl: 600 });
  const none = await support.post(`${path}/extend`, { borrow_hours: 1 });
  assert.deepEqual(none.body.data.reasons.borrow_hours.args, { min: 0, max: 0 });
  for (const bad of ['x', -1, 1.5]) {
    const { status, body } = await support.post(`${path}/extend`, { borrow_hours: bad });
    assert.deepEqual([status, Object.keys(body.data.reasons)], [422, ['borrow_hours']]);
  }
  const locked = await seated({ borrow_max_hours: 72 });
  for (const body of [{}, { borrow_hours: 1 }]) {
    const refused = await support.post(`${locked.path}/extend`, body);
    assert.deepEqual([refused.status, refused.body.data.reason.code], [409, 'seat_node_locked']);
  }
  const [shown] = (await locked.list()).items;
  assert.deepEqual(seatOf(shown), { ...HELD, is_floating: false, seat_expires_at: null });
  await support.ok('POST', `${path}/deactivate`);
  const ended = await support.post(`${path}/extend`);
  assert.deepEqual([ended.status, ended.body.data.reason.code], [404, 'activation_deactivated']);
  assert.equal((await viewer.post(`${path}/extend`)).status, 403);
  assert.equal((await manager.post('/activations/999999/extend')).status, 404);
});

test('a device that was not seen for a long time is stale until another device takes its seat', async () => {
  const { path, license, activate, list } = await seated({ reclaim_after_days: 30 });
  const shown = async () => {
    const { items } = await (await signedIn(api, 'viewer')).ok(
      'GET',
      `/activations?license_id=${license.id}`,
    );
    return items.at(-1);
  };
  now += 30 * DAY;
  assert.equal((await shown()).is_stale, false);
  now += 1_000;
  assert.deepEqual(seatOf(await shown()), {
    ...HELD,
    is_floating: false,
    seat_expires_at: null,
    is_stale: true,
  });
  await activate('two');
  const reclaimed = await shown();
  assert.deepEqual([reclaimed.ended_as, reclaimed.is_stale], ['reclaimed', false]);
  now = START;
  const { items } = await viewer.ok('GET', `/licenses/${license.id}/history`);
  const ends = items.filter(({ action }: Record_) => action === 'activation.deactivate');
  assert.deepEqual(
    ends.map(({ via, activation }: Record_) => [via, activation.label, activation.ended_as]),
    [['api', 'one', 'reclaimed']],
  );
  assert.equal((await support.post(`${path}/deactivate`)).status, 404);
  assert.equal((await list()).items.length, 2);
});

test('a user who activates a device by hand gets its token, and the history names the user once', async () => {
  const { id, license_key: key } = await api.license({ activations_limit: 1 });
  const label = newName();
  const path = `/licenses/${id}/activations`;
  assert.equal((await viewer.post(path, { label })).status, 403);
  const { activation, token } = await support.ok('POST', path, { label });
  assert.deepEqual([activation.label, activation.source, activation.license_id], [label, 1, id]);
  assert.equal((await api.ok('GET', `/licenses/validate/${token}`)).label, label);
  assert.equal((await api.ok('GET', `/licenses/${key}`)).times_activated, 1);
  const { items } = await viewer.ok('GET', `/licenses/${id}/history`);
  const events = items.filter(({ action }: Record_) => /^activation\.(add|create)$/.test(action));
  assert.deepEqual(
    events.map((one: Record_) => [one.user_name, one.via]),
    [[support.user.name, 'console']],
  );
  const full = await support.post(path, { label: '' });
  assert.deepEqual([full.status, full.body.data.reason.code], [404, 'activation_limit_reached']);
  assert.equal((await support.post('/licenses/999999/activations', {})).status, 404);
});
