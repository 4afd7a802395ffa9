import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, test } from 'node:test';
import { DAY } from './kit.ts';
import { activated, killed, makeDevice, startVendor } from './vendor.ts';

// What the program that uses the SDK does: it aborts calls, and throws.

const vendor = await startVendor({ after });
test.beforeEach(() => vendor.reset());

test('a call that is aborted ends at once, and does not try again', async () => {
  // Such as one that goes through a proxy, and does not know signals.
  const deaf: typeof fetch = (url, { signal: _, ...request } = {}) => fetch(url, request);
  const latchkey = makeDevice(vendor, { fetch: deaf }).start();
  for (const [isAborted, answering, requests] of [
    [true, vendor.honest, 0],
    [false, () => undefined, 1], // aborted while it waits for the answer
    [false, killed, 1], // aborted before the next attempt
  ] as const) {
    Object.assign(vendor, { asked: [], instead: answering });
    const abort = new AbortController();
    if (isAborted) abort.abort('cancelled');
    const activating = latchkey.activate('ACME-0001', { signal: abort.signal });
    setTimeout(() => abort.abort('cancelled'), 100);
    await assert.rejects(activating, { code: 'aborted', cause: 'cancelled', message: /was aborted/ });
    // A request that nobody waits for would arrive before this one.
    Object.assign(vendor, { instead: null });
    await fetch(vendor.url, { method: 'POST' });
    assert.equal(vendor.asked.length, requests + 1);
  }
});

test('a signal that outlives its calls keeps none of their listeners', async () => {
  const { signal } = new AbortController();
  const latchkey = makeDevice(vendor, { random: () => 0 }).start();
  vendor.instead = killed;
  await assert.rejects(latchkey.activate('ACME-0001', { signal }), { code: 'unreachable' });
  assert.equal(vendor.asked.length, 3);
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

test('an error in onChange is printed, or reported to the page, and does not end the program', async (t) => {
  t.after(() => Reflect.deleteProperty(globalThis, 'window'));
  const { device, latchkey } = await activated(vendor, { onChange: () => Promise.reject('a defect') });
  for (const hear of [
    (resolve: (error: unknown) => void) => t.mock.method(console, 'error', resolve),
    (resolve: (error: unknown) => void) => Object.assign(globalThis, { window: { reportError: resolve } }),
  ]) {
    const { promise: heard, resolve } = Promise.withResolvers<unknown>();
    hear(resolve);
    device.clock += DAY;
    vendor.terms = { ent: [`${device.clock}`] };
    assert.equal(await latchkey.check().then(() => heard), 'a defect');
  }
});
