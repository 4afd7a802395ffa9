import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

const START = Date.parse('2030-06-01T12:00:00Z');
let now = START;
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = START;
});
const pass = (seconds: number) => {
  now += seconds * 1_000;
};
const HOUR = 3_600;
const DAY = 24 * HOUR;
type Sent = Record<string, string | number>;

/** Creates a license with a seat policy. Returns it with functions that call the API for it. */
async function licensed(values: Sent) {
  const license = await api.license({ activations_limit: 2, ...values });
  const key = license.license_key;
  return {
    license,
    activate: (query: Sent) => api.ok('GET', `/licenses/activate/${key}`, { query }),
    refused: (query: Sent) =>
      api.fails(404, 'license_activation_limit_reached', 'GET', `/licenses/activate/${key}`, { query }),
    read: () => api.ok('GET', `/licenses/${key}`),
  };
}
const validate = (token: string) => api.ok('GET', `/licenses/validate/${token}`);
const validated = async (token: string) => {
  const { status } = await api.call('GET', `/licenses/validate/${token}`);
  return status;
};

suite('a device has one seat', () => {
  test('the same fingerprint gets the same activation, even if all seats are taken', async () => {
    const { activate, refused, read } = await licensed({ activations_limit: 1 });
    const first = await activate({ fingerprint: 'machine 1', label: 'Old name' });
    const again = await activate({ fingerprint: 'machine 1', label: 'New name', 'meta[os]': 'linux' });
    assert.deepEqual([again.id, again.token], [first.id, first.token]);
    assert.deepEqual([again.label, again.meta_data], ['New name', { os: 'linux' }]);
    assert.equal(again.license.times_activated, 1);
    await refused({ fingerprint: 'machine 2' });
    const { activations, times_activated } = await read();
    assert.deepEqual([times_activated, activations.map(({ label }: Sent) => label)], [1, ['New name']]);
  });
  test('a deactivated activation gives up its fingerprint', async () => {
    const { activate } = await licensed({});
    const first = await activate({ fingerprint: 'machine' });
    await api.ok('GET', `/licenses/deactivate/${first.token}`);
    const second = await activate({ fingerprint: 'machine' });
    assert.notEqual(second.id, first.id);
    const query = { token: first.token };
    const path = `/licenses/activate/${first.license.license_key}`;
    await api.fails(404, 'data_error', 'GET', path, { query });
  });
  test('the same fingerprint on two licenses is two devices', async () => {
    const [one, other] = [await licensed({}), await licensed({})];
    const ids = [await one.activate({ fingerprint: 'x' }), await other.activate({ fingerprint: 'x' })];
    assert.notEqual(ids[0]?.id, ids[1]?.id);
  });
  test('the same label is the same device only with match label', async () => {
    const byLabel = await licensed({ match: 'label' });
    const first = await byLabel.activate({ label: 'https://shop.example' });
    assert.equal((await byLabel.activate({ label: 'https://shop.example' })).id, first.id);
    assert.notEqual((await byLabel.activate({ label: 'https://other.example' })).id, first.id);
    const byFingerprint = await licensed({});
    const one = await byFingerprint.activate({ label: 'https://shop.example' });
    assert.notEqual((await byFingerprint.activate({ label: 'https://shop.example' })).id, one.id);
  });
  test('fingerprints are compared exactly; a blank one identifies no device', async () => {
    const { activate, refused, license } = await licensed({ activations_limit: 4, match: 'label' });
    const forms = ['\u00e9', 'e\u0301', 'x', ' x'];
    for (const fingerprint of forms) await activate({ fingerprint });
    await refused({ fingerprint: 'X' });
    await refused({ label: 'x' });
    const path = `/licenses/activate/${license.license_key}`;
    for (const fingerprint of [' ', '\u00a0\t', 'x'.repeat(256)])
      await api.fails(422, 'data_error', 'GET', path, { query: { fingerprint } });
  });
  test('labels are compared after they are cut; an empty one identifies no device', async () => {
    const { activate, read } = await licensed({ activations_limit: 9, match: 'label' });
    const long = await activate({ label: 'x'.repeat(255) });
    assert.equal((await activate({ label: 'x'.repeat(300) })).id, long.id);
    assert.notEqual((await activate({ label: '' })).id, (await activate({ label: '' })).id);
    assert.equal((await read()).times_activated, 3);
  });
  test('50 concurrent activations with one fingerprint create one activation', async () => {
    for (const activations_limit of [1, 50]) {
      const { activate, read } = await licensed({ activations_limit });
      const all = await Promise.all(Array.from({ length: 50 }, () => activate({ fingerprint: 'one' })));
      assert.equal(new Set(all.map(({ token }) => token)).size, 1);
      for (const { license } of all) assert.equal(license.times_activated, 1);
      assert.equal((await read()).times_activated, 1);
    }
  });
});

suite('floating seats', () => {
  test('a lapsed seat no longer counts and is free for the next device', async () => {
    const { activate, refused, read } = await licensed({ activations_limit: 1, seat_ttl: 600 });
    const first = await activate({ fingerprint: 'a' });
    assert.equal(first.seat_expires_at, '2030-06-01 12:10:00');
    pass(599);
    await refused({ fingerprint: 'b' });
    pass(1);
    assert.deepEqual([(await read()).times_activated, (await read()).activations], [0, []]);
    const second = await activate({ fingerprint: 'b' });
    assert.notEqual(second.id, first.id);
    assert.equal(await validated(first.token), 404);
    assert.equal((await read()).times_activated, 1);
    pass(600);
    const back = await validate(first.token);
    assert.deepEqual([back.id, back.deactivated_at], [first.id, null], 'validate takes a free seat again');
    assert.equal(await validated(second.token), 404);
  });
  test('validate extends a seat once a third of its time has passed', async () => {
    const { activate } = await licensed({ seat_ttl: 600 });
    const { token } = await activate({ fingerprint: 'a' });
    pass(200);
    assert.equal((await validate(token)).seat_expires_at, '2030-06-01 12:10:00');
    pass(1);
    assert.equal((await validate(token)).seat_expires_at, '2030-06-01 12:13:21');
  });
  test('HEAD of validate neither extends a seat nor takes it again', async () => {
    const { activate, read } = await licensed({ activations_limit: 1, seat_ttl: 600 });
    const { token } = await activate({ fingerprint: 'a' });
    const head = async () => (await api.call('HEAD', `/licenses/validate/${token}`)).status;
    pass(599);
    assert.equal(await head(), 200);
    pass(1);
    assert.equal((await read()).times_activated, 0);
    await activate({ fingerprint: 'b' });
    pass(600);
    assert.equal(await head(), 404);
    assert.equal((await read()).times_activated, 0);
    assert.equal((await validate(token)).deactivated_at, null);
  });
  test('a deactivated lapsed seat stores the time of its deactivation', async () => {
    const { activate } = await licensed({ activations_limit: 1, seat_ttl: 600 });
    const { token } = await activate({ fingerprint: 'a' });
    pass(600);
    await activate({ fingerprint: 'b' });
    pass(60);
    const { deactivated_at } = await api.ok('GET', `/licenses/deactivate/${token}`);
    assert.equal(deactivated_at, '2030-06-01 12:11:00');
    const likePlugin = await withApiKey(api, { compatibility: 'plugin' });
    assert.equal((await likePlugin.ok('GET', `/licenses/validate/${token}`)).deactivated_at, deactivated_at);
  });
  test('a device gets its lapsed seat back if nobody has taken it', async () => {
    const { activate, read } = await licensed({ activations_limit: 1, seat_ttl: 600 });
    const first = await activate({ fingerprint: 'a' });
    pass(DAY);
    assert.equal((await activate({ fingerprint: 'a' })).id, first.id);
    assert.equal((await read()).times_activated, 1);
  });
});

suite('a lapsed seat that nobody has taken', () => {
  test('does not count anywhere', async () => {
    const { activate, read, license } = await licensed({ activations_limit: 5, seat_ttl: 600 });
    const lapsed = await activate({ fingerprint: 'lapsed' });
    pass(600);
    const second = await activate({ fingerprint: 'second' });
    assert.equal(second.license.times_activated, 1);
    assert.equal((await activate({ fingerprint: 'second' })).license.times_activated, 1);
    assert.equal((await validate(second.token)).license.times_activated, 1);
    for (const json of [{}, { order_id: 7 }]) {
      const changed = await api.ok('PUT', `/licenses/${license.license_key}`, { json });
      assert.equal(changed.times_activated, 1);
    }
    const all = await api.ok('GET', '/licenses', { query: { order_id: 7 } });
    assert.deepEqual([(await read()).times_activated, all[0].times_activated], [1, 1]);
    const { licenses, activations } = api.service.store.read;
    const [exported] = await licenses.after(license.id - 1, 1, {});
    assert.equal(exported?.timesActivated, 1);
    const search = async (isValid: boolean) => {
      const found = await activations.search(
        { licenseId: license.id, isValid },
        { before: null, limit: 10, counted: false },
      );
      return found.items.map(({ activation }) => activation.id);
    };
    assert.deepEqual([await search(true), await search(false)], [[second.id], [lapsed.id]]);
    const ended = await api.ok('GET', `/licenses/deactivate/${second.token}`);
    assert.equal(ended.license.times_activated, 0);
  });
  test('is reactivated by its token like a deactivated one', async () => {
    const { activate, read, license } = await licensed({ seat_ttl: 600 });
    const { token } = await activate({ fingerprint: 'a' });
    const path = `/licenses/activate/${license.license_key}`;
    await api.fails(404, 'data_error', 'GET', path, { query: { token } });
    pass(600);
    assert.equal((await activate({ token })).token, token);
    assert.equal((await read()).times_activated, 1);
  });
  test('does not come back after its deactivation, nor if its device has another seat', async () => {
    const { activate, read } = await licensed({ activations_limit: 1, seat_ttl: 600 });
    const first = await activate({ fingerprint: 'a' });
    pass(600);
    await activate({ fingerprint: 'b' });
    await api.ok('GET', `/licenses/deactivate/${first.token}`);
    const second = await activate({ fingerprint: 'c' }).catch(() => null);
    assert.equal(second, null);
    pass(600);
    assert.equal(await validated(first.token), 404);
    const third = await activate({ fingerprint: 'c' });
    pass(600);
    await activate({ fingerprint: 'd' });
    pass(600);
    const again = await activate({ fingerprint: 'c' });
    assert.notEqual(again.id, third.id);
    assert.equal(await validated(third.token), 404);
    assert.equal((await read()).times_activated, 1);
  });
  test('does not come back beyond a lowered limit', async () => {
    const { activate, read, license } = await licensed({ activations_limit: 3, seat_ttl: 600 });
    const lapsed = await activate({ fingerprint: 'a' });
    pass(300);
    const held = await Promise.all(['b', 'c'].map((fingerprint) => activate({ fingerprint })));
    await api.ok('PUT', `/licenses/${license.license_key}`, { json: { activations_limit: 2 } });
    pass(300);
    assert.equal(await validated(lapsed.token), 404);
    await api.ok('GET', `/licenses/deactivate/${held[0]?.token}`);
    assert.equal((await validate(lapsed.token)).id, lapsed.id);
    assert.equal((await read()).times_activated, 2);
  });
});

suite('a policy that changes while seats are taken', () => {
  const change = (license: { license_key: string }, json: object) =>
    api.ok('PUT', `/licenses/${license.license_key}`, { json });
  test('from node-locked to floating: a seat floats once its device is seen', async () => {
    const { activate, refused, read, license } = await licensed({});
    const first = await activate({ fingerprint: 'a' });
    await activate({ fingerprint: 'b' });
    await change(license, { seat_ttl: 600 });
    assert.equal((await validate(first.token)).seat_expires_at, '2030-06-01 12:10:00');
    pass(599);
    await refused({ fingerprint: 'c' });
    pass(1);
    await activate({ fingerprint: 'c' });
    assert.equal((await read()).times_activated, 2);
  });
  test('from floating to node-locked: taken seats stay, lapsed ones are free', async () => {
    const { activate, read, license } = await licensed({ seat_ttl: 600 });
    const lapsed = await activate({ fingerprint: 'a' });
    pass(300);
    const held = await activate({ fingerprint: 'b' });
    pass(300);
    assert.equal((await change(license, { seat_ttl: 0 })).times_activated, 1);
    pass(600);
    const { times_activated, activations } = await read();
    assert.deepEqual([times_activated, activations.map(({ id }: Sent) => id)], [1, [held.id]]);
    assert.equal((await validate(held.token)).seat_expires_at, null);
    assert.equal((await validate(lapsed.token)).seat_expires_at, null, 'validate takes a free seat');
    assert.equal((await read()).times_activated, 2);
  });
  test('reclaim switched on for a full license with a lowered limit ends the excess seats', async () => {
    const { activate, refused, read, license } = await licensed({ activations_limit: 3 });
    for (const fingerprint of ['a', 'b', 'c']) await activate({ fingerprint });
    await change(license, { reclaim_after_days: 1, activations_limit: 1 });
    pass(DAY);
    await refused({ fingerprint: 'd' });
    pass(1);
    await activate({ fingerprint: 'd' });
    assert.equal((await read()).times_activated, 1);
  });
});

suite('reclaim', () => {
  test('takes the seat of the device that was unseen for longest if none is free', async () => {
    const { activate, refused, read } = await licensed({ reclaim_after_days: 30 });
    const old = await activate({ fingerprint: 'a' });
    pass(DAY);
    const seen = await activate({ fingerprint: 'b' });
    pass(29 * DAY);
    await refused({ fingerprint: 'c' });
    pass(1);
    const next = await activate({ fingerprint: 'c' });
    const { activations, times_activated } = await read();
    assert.equal(times_activated, 2);
    assert.deepEqual(
      activations.map(({ id }: Sent) => id),
      [next.id, seen.id],
    );
    assert.equal(await validated(old.token), 404);
  });
  test('a node-locked seat does not lapse', async () => {
    const { activate } = await licensed({});
    const { token } = await activate({ fingerprint: 'a' });
    pass(5 * 365 * DAY);
    assert.equal((await validate(token)).seat_expires_at, null);
  });
});
