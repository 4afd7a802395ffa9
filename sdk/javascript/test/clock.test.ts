import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { DAY, NOW } from './kit.ts';
import { activated, type Device, killed, makeDevice, startVendor } from './vendor.ts';

const vendor = await startVendor({ after });
test.beforeEach(() => vendor.reset());

const YEAR = 365 * DAY;

/** Returns the state of a program that starts now, and the reason if there is one. */
async function started(device: Device) {
  const { state, reason } = await device.start().check();
  return reason ? `${state}: ${reason}` : state;
}
const offline = (): void => {
  vendor.instead = killed;
};
const online = (): void => {
  vendor.instead = null;
};

suite('a clock set back', () => {
  test('by up to a day changes nothing', async () => {
    const { device } = await activated(vendor);
    offline();
    device.clock -= DAY;
    assert.equal(await started(device), 'licensed');
  });

  test('by more than a day stops the program until the clock is right', async () => {
    const { device } = await activated(vendor);
    offline();
    device.clock -= DAY + 1;
    assert.equal(await started(device), 'clock: clock_set_back');
    device.clock += DAY + 1;
    assert.equal(await started(device), 'licensed');
  });

  test('to a time before the last run stops the program, so the lease lasts no longer', async () => {
    const { device } = await activated(vendor);
    offline();
    device.clock = NOW + 10 * DAY;
    assert.equal(await started(device), 'licensed');
    device.clock = NOW + 5 * DAY;
    assert.equal(await started(device), 'clock: clock_set_back');
  });

  test('again and again by less than a day does not prolong the lease', async () => {
    const { device } = await activated(vendor);
    offline();
    device.clock = NOW + 21 * DAY;
    assert.equal(await started(device), 'expired: unreachable');
    for (let back = 0; back < 3; back++) {
      device.clock -= DAY / 2;
      assert.notEqual(await started(device), 'licensed');
    }
  });

  test('does not matter with a network: the server tells the time', async () => {
    const { device } = await activated(vendor);
    device.clock -= 20 * YEAR;
    assert.equal(await started(device), 'licensed');
    // An empty battery sets the clock back at each start.
    offline();
    assert.equal(await started(device), 'licensed');
    device.clock += 20 * YEAR;
    assert.equal(await started(device), 'licensed');
  });

  test('after failed requests does not delay the next request to the server', async () => {
    const { device } = await activated(vendor);
    device.clock += 10 * YEAR;
    const latchkey = device.start();
    offline();
    await latchkey.check({ fresh: true });
    device.clock = NOW;
    online();
    assert.equal((await latchkey.check()).state, 'licensed');
  });

  test('to a time before the program was built stops the program', async () => {
    const { device } = await activated(vendor);
    offline();
    const builtAt = new Date((NOW + 2 * DAY) * 1_000);
    const { state } = await device.start({ builtAt }).check();
    assert.equal(state, 'clock');
  });
});

suite('a clock set forward', () => {
  test('ends the lease without a network', async () => {
    const { device } = await activated(vendor);
    offline();
    device.clock += 15 * DAY;
    assert.match(await started(device), /^grace/);
    device.clock += 10 * YEAR;
    assert.equal(await started(device), 'expired: unreachable');
    // The program has seen that time, so the right time looks like a clock that was set back.
    device.clock = NOW;
    assert.equal(await started(device), 'clock: clock_set_back');
    online();
    assert.equal(await started(device), 'licensed');
    assert.equal((await device.state()).seen, NOW);
  });

  test('does not matter with a network, even after a correction: the server tells the time', async () => {
    const { device } = await activated(vendor);
    device.clock += 10 * YEAR;
    assert.equal(await started(device), 'licensed');
    offline();
    assert.equal(await started(device), 'licensed');
    device.clock = NOW + DAY;
    assert.equal(await started(device), 'licensed');
    device.clock = NOW + 14 * DAY;
    assert.match(await started(device), /^grace/);
  });

  test('never makes a lease last longer than the server granted', async () => {
    const { device } = await activated(vendor);
    device.clock += YEAR;
    assert.equal(await started(device), 'licensed');
    offline();
    // The lease loses a day each time, whatever the clock showed when the server told the time.
    for (let day = 0; day < 21; day++) {
      device.clock += DAY;
      await started(device);
    }
    assert.equal(await started(device), 'expired: unreachable');
    for (const clock of [NOW, NOW + YEAR, NOW - YEAR, NOW + 5 * DAY, 0]) {
      device.clock = clock;
      assert.doesNotMatch(await started(device), /licensed|grace/, String(clock));
    }
  });
});

suite('a floating seat of a few minutes', () => {
  const TTL = 200;
  /** Activates a device whose clock is wrong by some seconds. */
  const floating = async (ahead: number) => {
    vendor.terms = { ref: NOW + TTL / 2, exp: NOW + TTL, grc: NOW + TTL };
    const device = makeDevice(vendor);
    device.clock += ahead;
    const { promise: renewed, resolve: onChange } = Promise.withResolvers<unknown>();
    const latchkey = device.start({ onChange });
    return { device, latchkey, renewed, check: await latchkey.activate('ACME-0001') };
  };
  const requests = () => vendor.asked.length;

  test('can be used although the clock is minutes ahead', async () => {
    const { check } = await floating(240);
    assert.deepEqual([check.state, requests()], ['licensed', 1]);
  });

  test('is renewed at once when a clock that was ahead is corrected', async () => {
    const { device, latchkey, renewed } = await floating(240);
    device.clock -= 240 - 10;
    vendor.terms = {};
    await latchkey.check();
    await renewed;
    assert.equal(requests(), 2);
    device.clock = NOW + 20;
    await latchkey.check();
    assert.equal(requests(), 2, 'the new lease has the right time');
  });

  for (const behind of [240, 7_200])
    test(`is renewed before it lapses although the clock is ${behind} seconds behind`, async () => {
      const { device, latchkey, renewed } = await floating(-behind);
      device.clock += TTL / 2 - 1;
      await latchkey.check();
      assert.equal(requests(), 1);
      device.clock += 1;
      vendor.terms = {};
      await latchkey.check();
      await renewed;
      assert.equal(requests(), 2);
      device.clock = NOW + TTL / 2;
      await latchkey.check();
      assert.equal(requests(), 2, 'a corrected clock needs no renewal');
    });
});
