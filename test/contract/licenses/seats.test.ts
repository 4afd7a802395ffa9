import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
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

/** A license with a seat policy, and the calls of its programs. */
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
  test('the same fingerprint gets the same activation, when all seats are taken, too', async () => {
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
  test('an ended activation does not keep its fingerprint', async () => {
    const { activate } = await licensed({});
    const first = await activate({ fingerprint: 'machine' });
    await api.ok('GET', `/licenses/deactivate/${first.token}`);
    const second = await activate({ fingerprint: 'machine' });
    assert.notEqual(second.id, first.id);
    const query = { token: first.token };
    const path = `/licenses/activate/${first.license.license_key}`;
    await api.fails(404, 'data_error', 'GET', path, { query });
  });
  test('fingerprints of two licenses are two devices', async () => {
    const [one, other] = [await licensed({}), await licensed({})];
    const ids = [await one.activate({ fingerprint: 'x' }), await other.activate({ fingerprint: 'x' })];
    assert.notEqual(ids[0]?.id, ids[1]?.id);
  });
  test('an equal label is the same device only with match label', async () => {
    const byLabel = await licensed({ match: 'label' });
    const first = await byLabel.activate({ label: 'https://shop.example' });
    assert.equal((await byLabel.activate({ label: 'https://shop.example' })).id, first.id);
    assert.notEqual((await byLabel.activate({ label: 'https://other.example' })).id, first.id);
    const byFingerprint = await licensed({});
    const one = await byFingerprint.activate({ label: 'https://shop.example' });
    assert.notEqual((await byFingerprint.activate({ label: 'https://shop.example' })).id, one.id);
  });
  test('50 at once with one fingerprint make one activation', async () => {
    const { activate, read } = await licensed({ activations_limit: 50 });
    const all = await Promise.all(Array.from({ length: 50 }, () => activate({ fingerprint: 'one' })));
    assert.equal(new Set(all.map(({ id }) => id)).size, 1);
    assert.equal((await read()).times_activated, 1);
  });
});

suite('floating seats', () => {
  test('a seat lapses at its end, is counted no more, and is free for the next', async () => {
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
    assert.deepEqual([back.id, back.deactivated_at], [first.id, null], 'a free seat is taken again');
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
  test('a device whose seat has lapsed, and that nobody took, has it again', async () => {
    const { activate, read } = await licensed({ activations_limit: 1, seat_ttl: 600 });
    const first = await activate({ fingerprint: 'a' });
    pass(DAY);
    assert.equal((await activate({ fingerprint: 'a' })).id, first.id);
    assert.equal((await read()).times_activated, 1);
  });
});

suite('reclaim', () => {
  test('takes the seat of the device that was not seen for longest, if none is free', async () => {
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
