import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../../../test/support/folder.ts';
import { LatchkeyError, memoryStorage } from '../src/index.ts';
import { fileStorage } from '../src/node/index.ts';
import { openStateStore } from '../src/state-store.ts';
import { DAY, lease, ROOTS, rotated } from './kit.ts';
import { activated, killed, makeDevice, problem, startVendor } from './vendor.ts';

const vendor = await startVendor({ after });
test.beforeEach(() => vendor.reset());

const DAMAGED = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '\u0000\uffff',
  '{"lease":7}',
  '{"seen":"9"}',
  '{"seen":1e999}',
  '{"skew":0.5}',
  '{"retry":{}}',
  '{"refusal":{"state":"licensed","reason":""}}',
  '{"revocations":{"seq":1,"exp":1,"lic":[["a"]],"act":[]}}',
  '{"revokedKeys":[1]}',
  '{"nonces":"n"}',
];

suite('the storage', () => {
  for (const damaged of DAMAGED)
    test(`that contains ${JSON.stringify(damaged)} counts as empty, and the device gets its seat again`, async () => {
      const { device } = await activated(vendor);
      await device.storage.save(damaged);
      const latchkey = device.start();
      assert.deepEqual((await latchkey.check()).reason, 'not_activated');
      assert.equal((await latchkey.activate('ACME-0001')).state, 'licensed');
      const [first, second] = vendor.asked.map(({ body }) => body.fingerprint);
      assert.equal(first, second);
    });

  test('neither makes a check reject nor licenses a program, whatever it contains', async () => {
    const { device } = await activated(vendor);
    vendor.instead = killed;
    const good = await device.state();
    const changed = fc
      .tuple(fc.constantFrom(...Object.keys(good), 'refusal', 'retry', 'revocations'), fc.jsonValue())
      .map(([name, value]) => ({ ...good, lease: undefined, [name]: value }));
    await fc.assert(
      fc.asyncProperty(fc.oneof(changed, fc.jsonValue()), async (state) => {
        await device.storage.save(JSON.stringify(state));
        assert.match((await device.start().check()).state, /unlicensed|expired|revoked|clock/);
      }),
      { numRuns: 100 },
    );
  });

  test('with a changed lease is not trusted, and the program fetches a new lease', async () => {
    const { device } = await activated(vendor);
    const state = await device.state();
    for (const [changed, reason] of [
      [`${state.lease.slice(0, -4)}AAAA`, 'malformed'],
      [lease({}, undefined, rotated), 'bad_certificate'],
    ] as const) {
      await device.storage.save(JSON.stringify({ ...state, lease: changed }));
      vendor.instead = killed;
      const { state: refused, reason: why } = await device.start().check();
      assert.equal(refused, 'unlicensed');
      assert.match(String(why), new RegExp(`${reason}|bad_signature`));
      vendor.instead = null;
      assert.equal((await device.start().check()).state, 'licensed');
    }
  });

  test('grants nothing after it was copied to another device', async () => {
    const { device } = await activated(vendor);
    vendor.instead = killed;
    const text = await device.storage.load();
    const copy = makeDevice(vendor, { storage: memoryStorage(text) });
    const { state, reason } = await copy.start().check();
    assert.deepEqual([state, reason], ['unlicensed', 'other_device']);
  });

  test('keeps the fingerprint that the program gave, for when the program cannot tell it', async () => {
    const device = makeDevice(vendor, { fingerprint: 'machine-1' });
    await device.start().activate('ACME-0001');
    const unsure = device.start({ fingerprint: null });
    assert.equal((await unsure.check({ fresh: true })).state, 'licensed');
    await unsure.activate('ACME-0001');
    assert.deepEqual(
      vendor.asked.map(({ body }) => body.fingerprint),
      ['machine-1', 'machine-1', 'machine-1'],
    );
  });

  test('keeps a device on the fingerprint of its activation if the program could not tell it then', async () => {
    const device = makeDevice(vendor, { fingerprint: 'machine-1' });
    await device.start({ fingerprint: null }).activate('ACME-0001');
    const latchkey = device.start();
    assert.equal((await latchkey.check({ fresh: true })).state, 'licensed');
    await latchkey.activate('ACME-0001');
    await latchkey.deactivate();
    await latchkey.activate('ACME-0001');
    const [key, ...others] = vendor.asked
      .filter(({ operation }) => operation !== 'deactivate')
      .map(({ body }) => body.fingerprint);
    assert.deepEqual(others, [key, key, 'machine-1']);
  });

  test('and the device key may be replaced by another process', async () => {
    const { device, latchkey } = await activated(vendor);
    await device.keyStorage.clear();
    await device.start().activate('ACME-0001');
    assert.equal((await latchkey.check()).state, 'licensed');
  });

  test('that cannot be read is not overwritten, and grants no license', async () => {
    const { device } = await activated(vendor);
    const cause = new Error('the keyring is locked');
    const locked = {
      load: () => Promise.reject(cause),
      save: () => assert.fail('it was overwritten'),
      clear: () => assert.fail('it was cleared'),
    };
    const latchkey = device.start({ storage: locked });
    assert.deepEqual((await latchkey.check({ fresh: true })).reason, 'storage_failed');
    await assert.rejects(latchkey.activate('ACME-0001'), { code: 'storage_failed', cause });
    assert.equal(vendor.asked.length, 1);
    assert.equal((await device.start().check()).state, 'licensed');
  });

  test('that cannot be written stops an activation before it takes a seat; a running program keeps its new lease', async () => {
    const { device } = await activated(vendor);
    const text = await device.storage.load();
    const full = {
      load: async () => text,
      clear: async () => undefined,
      save: () => Promise.reject(new Error('no space left')),
    };
    const latchkey = device.start({ storage: full });
    await assert.rejects(latchkey.activate('ACME-0001'), LatchkeyError);
    assert.equal(vendor.asked.length, 1);
    device.clock += 30 * DAY;
    vendor.now += 30 * DAY;
    assert.equal((await latchkey.check()).state, 'licensed');
    assert.equal((await latchkey.check()).state, 'licensed');
    assert.equal(vendor.asked.length, 2);
  });

  test('of a map, which has undefined for nothing, keeps a license', async () => {
    const kept = new Map<string, string>();
    const storage = {
      load: async () => kept.get('state') as string | null,
      save: async (text: string) => void kept.set('state', text),
      clear: async () => void kept.delete('state'),
    };
    const latchkey = makeDevice(vendor, { storage }).start();
    assert.equal((await latchkey.check()).reason, 'not_activated');
    await latchkey.activate('ACME-0001');
    assert.equal((await latchkey.check()).state, 'licensed');
  });

  test('that another process has written counts, even if this process could not save its own state', async () => {
    const { device } = await activated(vendor);
    const full = {
      ...device.storage,
      save: () => Promise.reject(new Error('read-only file system')),
    };
    const daemon = device.start({ storage: full });
    vendor.instead = problem(403, 'license_disabled');
    assert.equal((await daemon.check({ fresh: true })).state, 'revoked');
    vendor.instead = null;
    await device.start().activate('ACME-0002');
    assert.equal((await daemon.check()).state, 'licensed');
    const { token } = await device.state();
    assert.equal((await daemon.check({ fresh: true })).state, 'licensed');
    assert.equal(vendor.asked.at(-1)?.headers.authorization, `Bearer ${token}`);
  });

  test('gives two programs that activate a new device at the same time one fingerprint', async () => {
    const storage = fileStorage(join(temporaryFolder(), 'license.json'));
    const device = makeDevice(vendor, { storage, deviceKey: undefined });
    let other: Promise<unknown> | undefined;
    // The other program activates just after this one has found no state.
    const load = async () => {
      const kept = await storage.load();
      other ??= device.start().activate('ACME-0001');
      await other;
      return kept;
    };
    await device.start({ storage: { ...storage, load } }).activate('ACME-0001');
    const [first, second] = vendor.asked.map(({ body }) => body.fingerprint);
    assert.equal(first, second);
    assert.equal((await device.start().check()).state, 'licensed');
  });

  test('keeps both of two concurrent changes', async () => {
    const { storage } = makeDevice(vendor);
    const store = openStateStore(storage);
    await Promise.all([
      store.save((state) => void state.revokedKeys.push('one')),
      store.update((state) => void state.revokedKeys.push('two')),
    ]);
    assert.deepEqual((await store.load()).revokedKeys, ['one', 'two']);
  });

  test('keeps the lease of an activation that happens while the previous lease is being renewed', async () => {
    const { device, latchkey } = await activated(vendor);
    device.clock += 2 * DAY;
    vendor.now += 2 * DAY;
    const renewals: (() => void)[] = [];
    vendor.instead = (asked, response) => {
      if (asked.operation === 'validate') renewals.push(() => vendor.honest(asked, response));
      else vendor.honest(asked, response);
    };
    const checking = latchkey.check({ fresh: true });
    while (renewals.length === 0) await new Promise(setImmediate);
    await latchkey.deactivate();
    await latchkey.activate('ACME-0002');
    const { token, lease } = await device.state();
    for (const renew of renewals) renew();
    await checking;
    const after = await device.state();
    assert.deepEqual([after.token, after.lease], [token, lease]);
    assert.equal((await latchkey.check()).state, 'licensed');
  });

  test('stays without a lease if the program deactivates while the lease is being renewed', async () => {
    const { device, latchkey } = await activated(vendor);
    device.clock += 2 * DAY;
    vendor.now += 2 * DAY;
    vendor.instead = (asked, response) => {
      if (asked.operation === 'validate') setImmediate(() => vendor.honest(asked, response));
      else vendor.honest(asked, response);
    };
    const checking = latchkey.check({ fresh: true });
    await latchkey.deactivate();
    await checking;
    assert.deepEqual(
      [(await device.state()).lease, (await latchkey.check()).reason],
      [undefined, 'not_activated'],
    );
  });
});

test('the constructor refuses invalid options', () => {
  const start = (options: object) => () => makeDevice(vendor).start(options);
  for (const options of [
    { url: 'licenses.example.com' },
    { url: 'https://' },
    { url: 'ftp://licenses.example.com' },
    { roots: [] },
    { roots: [`${ROOTS[0]}=`] },
    { roots: ['short'] },
    { roots: ROOTS[0] },
    { storage: '/home/ada/.acme/license.json' },
    { deviceKey: '/home/ada/.acme/device.key' },
    { product: '1001' },
    { fingerprint: ' ' },
    { fingerprint: 'x'.repeat(256) },
    { builtAt: new Date('never') },
  ])
    assert.throws(
      start(options),
      /^TypeError: (url|roots|storage|deviceKey|fingerprint|product|builtAt) must /,
      JSON.stringify(options),
    );
  // deviceFingerprint() returns null if the system reveals no id.
  assert.doesNotThrow(start({ fingerprint: null }));
});

test('without Ed25519 in WebCrypto, a program takes no seat and is not licensed', async (t) => {
  const { device } = await activated(vendor);
  t.mock.method(crypto.subtle, 'importKey', () =>
    Promise.reject(new DOMException('Unrecognized name.', 'NotSupportedError')),
  );
  const latchkey = device.start();
  assert.equal((await latchkey.check()).reason, 'unsupported');
  await assert.rejects(latchkey.activate('ACME-0001'), { code: 'unsupported' });
  assert.equal(vendor.asked.filter(({ operation }) => operation === 'activate').length, 1);
});
