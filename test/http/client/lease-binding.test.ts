import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { suite, test } from 'node:test';
import type { Expected } from '../../../sdk/javascript/src/verify.ts';
import { publicKeyOf } from '../../../src/app/leases/compact.ts';
import { runSql, storedBytes } from '../../support/engine.ts';
import { DAY, HOUR, startLeaseServer } from '../../support/leases/lease-server.ts';

const server = await startLeaseServer();
const { api, seconds, pass, post, activate, device, renewed } = server;
const verified = (text: string, more: Partial<Expected> = {}) =>
  server.verified(text, { fingerprint: 'fp', ...more });
const read = (text: string, more: Partial<Expected> = {}) =>
  server.read(text, { fingerprint: 'fp', ...more });

suite('a lease is bound', () => {
  const keyOf = () => publicKeyOf(generateKeyPairSync('ed25519').publicKey);
  test('to the fingerprint and the device key, which a device may replace', async () => {
    const [first, second] = [keyOf(), keyOf()];
    const { license, id, token, lease } = await device({}, { device_key: first });
    assert.deepEqual((await read(lease, { deviceKey: first })).cnf, { x: first });
    // A request without them gets the same lease: the server knows what the device has sent.
    assert.equal(await renewed(token, {}), lease);
    const again = await activate(license.license_key, { device_key: second });
    assert.equal(again.body.activation.id, id);
    assert.deepEqual((await read(again.body.lease)).cnf, { x: second });
    assert.equal(await renewed(token), again.body.lease);
    assert.equal((await activate(license.license_key)).body.lease, again.body.lease);
    const stored = await storedBytes(api.dataDir);
    for (const secret of [first, second, String((await read(lease)).fp)])
      assert.ok(!stored.some((file) => file.includes(secret)));
  });
  test('to nothing if the device has sent neither', async () => {
    const { token, lease } = await device({}, { fingerprint: undefined, label: 'Laptop' });
    assert.equal((await read(lease, { fingerprint: undefined })).cnf, undefined);
    assert.equal(await renewed(token, {}), lease);
    // A program that sends its fingerprint later expects the fingerprint in the lease.
    await read(await renewed(token));
  });
  for (const sent of [{ label: 'Laptop' }, { device_key: keyOf() }])
    test(`to the first fingerprint after an activation with ${Object.keys(sent)} alone`, async () => {
      const { license, token } = await device({ match: 'label' }, { fingerprint: undefined, ...sent });
      const asked = ['fp', 'other'].map((fingerprint) => post('/validate', { fingerprint }, token));
      const answers = await Promise.all(asked);
      const leased: string[] = [];
      for (const [i, fingerprint] of ['fp', 'other'].entries())
        if ((await server.verified(answers[i]?.body.lease ?? '', { fingerprint })).ok)
          leased.push(fingerprint);
      assert.equal(leased.length, 1);
      const [fingerprint = ''] = leased;
      const another = { fingerprint: fingerprint === 'fp' ? 'other' : 'fp' };
      for (const again of [{}, { device_key: keyOf() }]) {
        await activate(license.license_key, { fingerprint: undefined, ...sent, ...again });
        const { status, body } = await post('/validate', another, token);
        assert.deepEqual([status, body.code], [403, 'fingerprint_mismatch']);
        await read(await renewed(token, {}), { fingerprint });
      }
    });
  test('to the fingerprint of an activation from before leases existed, if the program sends it', async () => {
    const { id, token } = await device();
    await runSql(api.dataDir, `update activations set binding = null, leased_until = null where id = ${id}`);
    assert.equal(await renewed(token, {}), null);
    await read(await renewed(token));
  });
  test('to the fingerprint even if the v1 API activated the device', async () => {
    const { license_key } = await api.license();
    const { token } = await api.activation(license_key, { fingerprint: 'fp' });
    await read(await renewed(token, {}));
  });
  test('to valid device keys only: an invalid device_key is refused', async () => {
    const { license_key } = await api.license();
    for (const device_key of ['', 'x', `${'A'.repeat(42)}B`, 'A'.repeat(44), 5]) {
      const { status, body } = await post('/activate', { license_key, fingerprint: 'fp', device_key });
      assert.deepEqual([status, Object.keys(body.params)], [422, ['device_key']], String(device_key));
    }
  });
});

test('a repeated activation gives no lease for an ended seat, nor for an expired or disabled license', async () => {
  const ENDS: [code: string, (one: Awaited<ReturnType<typeof device>>) => Promise<unknown>][] = [
    ['activation_ended', ({ token }) => post('/deactivate', {}, token)],
    ['license_expired', ({ change }) => change({ expires_at: '2020-01-02 03:04:05' })],
    ['license_disabled', ({ change }) => change({ status: 'disabled' })],
  ];
  for (const [code, end] of ENDS) {
    const { license_key } = await api.license();
    const body = { license_key, fingerprint: 'fp', nonce: 'n' };
    const ask = () => post('/activate', body, undefined, { 'idempotency-key': 'k' });
    const first = await ask();
    await read(first.body.lease);
    const { id, token } = first.body.activation;
    const change = (json: object) => api.ok('PUT', `/licenses/${license_key}`, { json });
    await end({ license: first.body.license, id, token, lease: first.body.lease, change });
    pass(60);
    const { status, body: again } = await ask();
    assert.deepEqual([status, again.activation.id, again.lease], [201, id, null]);
    assert.equal((await post('/validate', { fingerprint: 'fp' }, token)).body.code, code);
  }
});

suite('a lease does not outlive', () => {
  const times = async (lease: string) => {
    const { iat, exp, grc } = await read(lease);
    return [exp - iat, grc - iat];
  };
  test('its floating seat, and has no grace period then', async () => {
    const { token, lease, change } = await device({ seat_ttl: HOUR });
    assert.deepEqual(await times(lease), [HOUR, HOUR]);
    assert.equal((await read(lease)).ref, seconds() + HOUR / 2);
    pass(HOUR / 2 - 1);
    // The request extended the seat. The lease is valid until its refresh time.
    assert.equal(await renewed(token), lease);
    pass(1);
    assert.deepEqual(await times(await renewed(token)), [HOUR - 1, HOUR - 1]);
    await change({ seat_ttl: 0 });
    pass(1);
    assert.deepEqual(await times(await renewed(token)), [14 * DAY, 21 * DAY]);
    await change({ seat_ttl: 600 });
    pass(1);
    assert.deepEqual(await times(await renewed(token)), [600, 600]);
  });
  test('a borrowed seat', async () => {
    const { lease } = await device({ seat_ttl: HOUR, borrow_max_hours: 48 }, { borrow_hours: 48 });
    assert.deepEqual(await times(lease), [2 * DAY, 2 * DAY]);
  });
  test('a borrowed seat, which may be longer than its days, and begin when the device has a lease already', async () => {
    const terms = { seat_ttl: HOUR, borrow_max_hours: 48, lease_days: 1 };
    const { license, token, lease } = await device(terms);
    assert.deepEqual(await times(lease), [HOUR, HOUR]);
    pass(60);
    const borrowed = (await activate(license.license_key, { borrow_hours: 48 })).body.lease;
    assert.deepEqual(await times(borrowed), [2 * DAY, 2 * DAY]);
    pass(60);
    assert.equal(await renewed(token), borrowed);
  });
  test("its license, and there is none in the license's last second", async () => {
    const { token, lease, change } = await device({ expires_at: '2030-06-11 12:00:00' });
    assert.deepEqual(await times(lease), [10 * DAY, 10 * DAY]);
    assert.equal((await read(lease)).lxp, seconds() + 10 * DAY);
    await change({ expires_at: '2030-06-16 12:00:00' });
    pass(1);
    assert.deepEqual(await times(await renewed(token)), [14 * DAY, 15 * DAY - 1]);
    pass(15 * DAY - 1);
    assert.equal(await renewed(token), null);
  });
  test('its days and its grace period', async () => {
    const { lease } = await device({ lease_days: 2, lease_grace_days: 0, lease_refresh_hours: 8_000 });
    assert.deepEqual(await times(lease), [2 * DAY, 2 * DAY]);
    assert.equal((await read(lease)).ref, seconds() + DAY);
    for (const [at, state] of [
      [2 * DAY - 1, 'licensed'],
      [2 * DAY, 'expired'],
    ] as const)
      assert.equal(Object(await verified(lease, { now: seconds() + at })).state, state);
  });
});
