import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { REREAD_MS } from '../../src/app/keys/create-signer.ts';
import { SYSTEM } from '../../src/app/people/set-up.ts';
import { DAY } from '../../sdk/javascript/test/kit.ts';
import { makeDevice } from '../../sdk/javascript/test/vendor.ts';
import { rootsOf } from '../support/leases.ts';
import { startService } from '../support/service.ts';

// The SDK against the real server, on a clock that they share.

const START = Date.parse('2030-06-01T12:00:00Z') / 1_000;
let now = START;
const api = await startService({ after }, { clock: () => now * 1_000 });
const roots = await rootsOf(api.service);
const vendor = { url: new URL(api.root).origin };
test.beforeEach(() => {
  now = START;
});

/** A device on the clock of the server. */
const deviceOf = (options: Partial<Parameters<typeof makeDevice>[1]> = {}) =>
  makeDevice(vendor, { roots, now: () => now * 1_000, ...options });

test('a device is activated, renewed, stopped when its license is disabled, and deactivated', async () => {
  const license = await api.license({ activations_limit: 1, product_id: 1001, entitlements: ['pro'] });
  const change = (json: object) => api.ok('PUT', `/licenses/${license.license_key}`, { json });
  const device = deviceOf({ product: 1001 });
  const latchkey = device.start();
  await assert.rejects(latchkey.activate('ACME-NONE'), { code: 'license_not_found' });
  const activated = await latchkey.activate(license.license_key, { label: 'Laptop' });
  assert.deepEqual([activated.state, activated.entitlements], ['licensed', ['pro']]);
  assert.equal((await latchkey.activate(license.license_key)).state, 'licensed');
  await assert.rejects(deviceOf().start().activate(license.license_key), {
    code: 'seat_limit_reached',
  });

  const { lease } = await device.state();
  now += 2 * DAY;
  assert.equal((await latchkey.check({ fresh: true })).state, 'licensed');
  assert.notEqual((await device.state()).lease, lease);

  await change({ status: 'disabled' });
  const { state, reason } = await latchkey.check({ fresh: true });
  assert.deepEqual([state, reason], ['revoked', 'license_disabled']);
  await change({ status: 'active' });
  assert.equal((await device.start().check()).state, 'licensed');

  await latchkey.deactivate();
  assert.equal((await latchkey.check()).reason, 'not_activated');
  assert.equal((await deviceOf().start().activate(license.license_key)).state, 'licensed');
});

test('a lease that was copied is of no use elsewhere, and an expired license is told from a lease that has ended', async () => {
  const license = await api.license({ expires_at: '2030-06-11 12:00:00' });
  const device = deviceOf();
  const { until } = await device.start().activate(license.license_key);
  assert.deepEqual(until, new Date('2030-06-11T12:00:00Z'));
  const copy = deviceOf();
  await copy.storage.save((await device.storage.load()) ?? '');
  assert.equal((await copy.start().check()).reason, 'fingerprint_mismatch');
  now += 10 * DAY;
  const offline = device.start({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
  const { state, reason } = await offline.check();
  assert.deepEqual([state, reason], ['expired', 'license_expired']);
});

test('a program trusts the keys that come after a rotation, and the one of the spare root', async (t) => {
  // The signer of the server looks for a new key every few seconds.
  const { now: steady } = performance;
  let ahead = 0;
  t.mock.method(performance, 'now', () => steady.call(performance) + ahead);
  const { license_key: key } = await api.license();
  const device = deviceOf();
  await device.start().activate(key);
  const { execute } = api.service;
  const rotate = () => execute('rotate-signing-key', { rootKey: null, revoke: true, onlyIfDue: false }, SYSTEM);
  const useSpare = () => execute('use-spare-root', { rootKey: null, keepOld: false }, SYSTEM);
  for (const change of [rotate, rotate, useSpare]) {
    assert.ok((await change()).ok);
    ahead += 2 * REREAD_MS;
    assert.equal((await device.start().check({ fresh: true })).state, 'licensed');
  }
  assert.equal((await device.state()).revokedKeys.length, 3);
});
