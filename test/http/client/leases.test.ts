import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { createSigner } from '../../../src/app/keys/create-signer.ts';
import { publicKeyOf } from '../../../src/app/leases/compact.ts';
import { createLeases } from '../../../src/app/leases/leases.ts';
import { SYSTEM } from '../../../src/app/people/set-up.ts';
import { keepHouse } from '../../../src/server/housekeeping.ts';
import { numberOf, rowsOf, runSql, storedBytes } from '../../support/engine.ts';
import { rootsOf, verifyLease, verifyRevocations } from '../../support/leases.ts';
import { silent } from '../../support/log.ts';
import { startService } from '../../support/service.ts';

const START = Date.parse('2030-06-01T12:00:00Z');
const [HOUR, DAY] = [3_600, 86_400];
let now = START;
const api = await startService({ after }, { clock: () => now });
const roots = await rootsOf(api.service);
const root = new URL('/client/v1', api.root).href;
test.beforeEach(() => {
  now = START;
});
const pass = (seconds: number) => {
  now += seconds * 1_000;
};
const seconds = () => Math.floor(now / 1_000);

async function post(path: string, body: unknown, token?: string, more: Record<string, string> = {}) {
  const response = await fetch(root + path, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', ...more },
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

/** A device with a license of its own. */
async function device(values: Record<string, unknown> = {}, sent: object = {}) {
  const license = await api.license(values);
  const activated = await activate(license.license_key, sent);
  const { id, token } = activated.body.activation;
  const change = (json: object) => api.ok('PUT', `/licenses/${license.license_key}`, { json });
  return { license, id, token, lease: activated.body.lease as string, change };
}
const activate = async (license_key: string, sent: object = {}) => {
  const answer = await post('/activate', { license_key, fingerprint: 'fp', ...sent });
  assert.ok(answer.status < 300, JSON.stringify(answer.body));
  return answer;
};
async function renewed(token: string, sent: object = { fingerprint: 'fp' }): Promise<string> {
  const { status, body } = await post('/validate', sent, token);
  assert.equal(status, 200, JSON.stringify(body));
  return body.lease;
}
/** What a good lease says. */
function read(text: string, more: Partial<Parameters<typeof verifyLease>[1]> = {}) {
  const verified = verifyLease(text, { roots, now: seconds(), fingerprint: 'fp', ...more });
  assert.equal(verified.code, null);
  assert.ok(verified.lease);
  return verified.lease;
}
/** The list as programs get it some seconds later. */
async function revocations() {
  pass(6);
  return verifyRevocations(await (await fetch(`${root}/revocations`)).text(), roots);
}

test('a lease says what the device may do, and until when', async () => {
  const { license, id, lease } = await device({ product_id: 12, entitlements: ['pro', 'export'] });
  const { jti, ref, ...rest } = read(lease, { product: 12 });
  const iat = seconds();
  assert.deepEqual(rest, {
    iss: new URL(root).origin,
    ...{ sub: `act_${id}`, lic: `lic_${license.id}`, prd: 12, fp: rest.fp },
    ...{ st: 'active', ent: ['pro', 'export'], iat, exp: iat + 14 * DAY, grc: iat + 21 * DAY },
  });
  assert.match(jti, /^[\w-]{16}$/);
  assert.ok(ref >= iat + 21.6 * HOUR && ref <= iat + 26.4 * HOUR);
  assert.equal(verifyLease(lease, { roots, now: iat, fingerprint: 'other' }).code, 'other_device');
  assert.equal(verifyLease(lease, { roots: ['x'], now: iat, fingerprint: 'fp' }).code, 'wrong_root');
});

suite('one lease is used again', () => {
  test('until it should be refreshed', async () => {
    const { token, lease } = await device();
    pass(DAY / 2);
    assert.equal(await renewed(token), lease);
    pass(DAY);
    const next = await renewed(token);
    assert.notEqual(next, lease);
    assert.equal(read(next).iat, seconds());
    // A clock that is set back leaves no lease from the future.
    pass(-1.5 * DAY);
    assert.equal(read(await renewed(token)).iat, seconds());
  });
  test('until anything changes that it says', async () => {
    const { token, lease, change } = await device();
    let last = lease;
    const after = async (changes: object) => {
      await change(changes);
      pass(1);
      const next = await renewed(token);
      assert.notEqual(next, last);
      assert.equal(await renewed(token), next);
      last = next;
      return read(next);
    };
    assert.deepEqual((await after({ entitlements: ['pro'] })).ent, ['pro']);
    assert.equal((await after({ status: 'sold' })).st, 'sold');
    assert.equal((await after({ product_id: 5 })).prd, 5);
    const { exp, iat } = await after({ lease_days: 3 });
    assert.equal(exp - iat, 3 * DAY);
    const expires = await after({ expires_at: '2030-06-02 00:00:00' });
    assert.equal(expires.lxp, Date.parse('2030-06-02T00:00:00Z') / 1_000);
    // As before, but what was signed before is revoked.
    await change({ status: 'disabled' });
    await after({ status: 'sold' });
  });
  test('until the signing key is replaced', async () => {
    const { token } = await device();
    const { store, execute, clock } = api.service;
    let steady = 0;
    const leases = createLeases(
      createSigner(store, execute, () => steady),
      execute,
      clock,
    );
    const found = await store.read.activations.findLeasable(token);
    assert.ok(found);
    const lease = () => leases.lease(found, { iss: root });
    const before = await lease();
    assert.ok(before);
    assert.equal(await lease(), before);
    const rotation = { rootKey: null, revoke: false, onlyIfDue: false };
    assert.ok((await execute('rotate-signing-key', rotation, SYSTEM)).ok);
    steady += 60_000;
    const next = await lease();
    assert.ok(next);
    const kids = [before, next].map((text) => {
      read(text);
      return JSON.parse(Buffer.from(text.split('.')[0] as string, 'base64url').toString()).kid;
    });
    assert.notEqual(kids[0], kids[1]);
  });
  test('but not with a nonce', async () => {
    const { token, lease } = await device({}, { nonce: 'n1' });
    assert.equal(read(lease, { nonce: 'n1' }).n, 'n1');
    const kept = await renewed(token);
    assert.equal(read(kept).n, undefined);
    const asked = await Promise.all([0, 1].map(() => renewed(token, { fingerprint: 'fp', nonce: 'n2' })));
    assert.notEqual(asked[0], asked[1]);
    for (const one of asked) assert.equal(read(one, { nonce: 'n2' }).n, 'n2');
    assert.equal(await renewed(token), kept);
  });
});

suite('a lease is bound', () => {
  const keyOf = () => publicKeyOf(generateKeyPairSync('ed25519').publicKey);
  test('to the fingerprint and the device key, which a device may replace', async () => {
    const [first, second] = [keyOf(), keyOf()];
    const { license, id, token, lease } = await device({}, { device_key: first });
    assert.deepEqual(read(lease, { deviceKey: first }).cnf, { x: first });
    // Without them the lease is the same: what the device has sent is known.
    assert.equal(await renewed(token, {}), lease);
    const again = await activate(license.license_key, { device_key: second });
    assert.equal(again.body.activation.id, id);
    assert.deepEqual(read(again.body.lease).cnf, { x: second });
    assert.equal(await renewed(token), again.body.lease);
    assert.equal((await activate(license.license_key)).body.lease, again.body.lease);
    const stored = await storedBytes(api.dataDir);
    for (const secret of [first, second, read(lease).fp])
      assert.ok(!stored.some((file) => file.includes(secret)));
  });
  test('to nothing if the device has sent nothing', async () => {
    const { token, lease } = await device({}, { fingerprint: undefined, label: 'Laptop' });
    assert.equal(read(lease, { fingerprint: undefined }).cnf, undefined);
    assert.equal(await renewed(token, {}), lease);
    // A program that sends its fingerprint later expects it in the lease.
    read(await renewed(token));
  });
  for (const sent of [{ label: 'Laptop' }, { device_key: keyOf() }])
    test(`to the first fingerprint after an activation with ${Object.keys(sent)} alone`, async () => {
      const { license, token } = await device({ match: 'label' }, { fingerprint: undefined, ...sent });
      const asked = ['fp', 'other'].map((fingerprint) => post('/validate', { fingerprint }, token));
      const answers = await Promise.all(asked);
      const leased = ['fp', 'other'].filter((fingerprint, i) => {
        const lease = answers[i]?.body.lease ?? '';
        return verifyLease(lease, { roots, now: seconds(), fingerprint }).code === null;
      });
      assert.equal(leased.length, 1);
      const [fingerprint] = leased;
      const another = { fingerprint: fingerprint === 'fp' ? 'other' : 'fp' };
      for (const again of [{}, { device_key: keyOf() }]) {
        await activate(license.license_key, { fingerprint: undefined, ...sent, ...again });
        const { status, body } = await post('/validate', another, token);
        assert.deepEqual([status, body.code], [403, 'fingerprint_mismatch']);
        read(await renewed(token, {}), { fingerprint });
      }
    });
  test('to the fingerprint of an activation from before there were leases, if the program sends it', async () => {
    const { id, token } = await device();
    await runSql(api.dataDir, `update activations set binding = null, leased_until = null where id = ${id}`);
    assert.equal(await renewed(token, {}), null);
    read(await renewed(token));
  });
  test('also if the v1 API has activated the device', async () => {
    const { license_key } = await api.license();
    const { token } = await api.activation(license_key, { fingerprint: 'fp' });
    read(await renewed(token, {}));
  });
  test('to no key that is none: device_key is refused', async () => {
    const { license_key } = await api.license();
    for (const device_key of ['', 'x', `${'A'.repeat(42)}B`, 'A'.repeat(44), 5]) {
      const { status, body } = await post('/activate', { license_key, fingerprint: 'fp', device_key });
      assert.deepEqual([status, Object.keys(body.params)], [422, ['device_key']], String(device_key));
    }
  });
});

test('a repeated activation gives no lease for a seat that has ended, or of a disabled license', async () => {
  const ENDS: ((one: Awaited<ReturnType<typeof device>>) => Promise<unknown>)[] = [
    ({ token }) => post('/deactivate', {}, token),
    ({ change }) => change({ status: 'disabled' }),
  ];
  for (const end of ENDS) {
    const { license_key } = await api.license();
    const body = { license_key, fingerprint: 'fp', nonce: 'n' };
    const ask = () => post('/activate', body, undefined, { 'idempotency-key': 'k' });
    const first = await ask();
    read(first.body.lease);
    const { id, token } = first.body.activation;
    const change = (json: object) => api.ok('PUT', `/licenses/${license_key}`, { json });
    await end({ license: first.body.license, id, token, lease: first.body.lease, change });
    pass(60);
    const { status, body: again } = await ask();
    assert.deepEqual([status, again.activation.id, again.lease], [201, id, null]);
  }
});

suite('a lease does not outlive', () => {
  const times = (lease: string) => {
    const { iat, exp, grc } = read(lease);
    return [exp - iat, grc - iat];
  };
  test('its floating seat, and has no grace then', async () => {
    const { token, lease, change } = await device({ seat_ttl: HOUR });
    assert.deepEqual(times(lease), [HOUR, HOUR]);
    assert.equal(read(lease).ref, seconds() + HOUR / 2);
    pass(HOUR / 2 - 1);
    // The seat was extended; the lease is good until it should be refreshed.
    assert.equal(await renewed(token), lease);
    pass(1);
    assert.deepEqual(times(await renewed(token)), [HOUR - 1, HOUR - 1]);
    await change({ seat_ttl: 0 });
    pass(1);
    assert.deepEqual(times(await renewed(token)), [14 * DAY, 21 * DAY]);
    await change({ seat_ttl: 600 });
    pass(1);
    assert.deepEqual(times(await renewed(token)), [600, 600]);
  });
  test('a borrowed seat', async () => {
    const { lease } = await device({ seat_ttl: HOUR, borrow_max_hours: 48 }, { borrow_hours: 48 });
    assert.deepEqual(times(lease), [2 * DAY, 2 * DAY]);
  });
  test('its license, and there is none in the last second', async () => {
    const { token, lease, change } = await device({ expires_at: '2030-06-11 12:00:00' });
    assert.deepEqual(times(lease), [10 * DAY, 10 * DAY]);
    assert.equal(read(lease).lxp, seconds() + 10 * DAY);
    await change({ expires_at: '2030-06-16 12:00:00' });
    pass(1);
    assert.deepEqual(times(await renewed(token)), [14 * DAY, 15 * DAY - 1]);
    pass(15 * DAY - 1);
    assert.equal(await renewed(token), null);
  });
  test('its days and its grace', async () => {
    const { lease } = await device({ lease_days: 2, lease_grace_days: 0, lease_refresh_hours: 8_000 });
    assert.deepEqual(times(lease), [2 * DAY, 2 * DAY]);
    assert.equal(read(lease).ref, seconds() + DAY);
    for (const [at, state] of [
      [2 * DAY - 1, 'licensed'],
      [2 * DAY, 'expired'],
    ] as const)
      assert.equal(verifyLease(lease, { roots, now: seconds() + at, fingerprint: 'fp' }).state, state);
  });
});

suite('the revocation list', () => {
  /** Whether the list voids the lease. */
  const isRevoked = async (lease: string) => {
    const list = await revocations();
    return (
      verifyLease(lease, { roots, now: seconds(), fingerprint: 'fp', revocations: list }).code === 'revoked'
    );
  };
  const { execute } = api.service;
  type Device = Awaited<ReturnType<typeof device>>;
  const WAYS: Record<string, (one: Device) => Promise<unknown>> = {
    'disabled license': ({ change }) => change({ status: 'disabled' }),
    'licenses disabled at once': ({ license: { id } }) =>
      execute('change-licenses', { ids: [id], change: { status: 5 }, skipGone: false }, SYSTEM),
    'deleted license': ({ license }) => api.ok('DELETE', `/licenses/${license.license_key}`),
    'licenses deleted at once': ({ license: { id } }) => execute('delete-licenses', { ids: [id] }, SYSTEM),
    'deactivated device': ({ token }) => post('/deactivate', {}, token),
    'activation deactivated for the license': ({ license: { license_key: named } }) =>
      execute('deactivate-license', { named, all: false }, SYSTEM),
    'deleted activation': ({ id }) => execute('delete-activation', { id }, SYSTEM),
    'seat that was taken over': ({ license }) =>
      activate(license.license_key, { fingerprint: 'other', takeover: true }),
    'seat that was reclaimed': ({ license }) => {
      pass(2 * DAY);
      return activate(license.license_key, { fingerprint: 'other' });
    },
    'borrowed seat that was deactivated': async ({ license, token }) => {
      await api.ok('PUT', `/licenses/${license.license_key}`, {
        json: { seat_ttl: 60, borrow_max_hours: 24 },
      });
      await activate(license.license_key, { borrow_hours: 24 });
      return post('/deactivate', {}, token);
    },
  };
  for (const [way, end] of Object.entries(WAYS))
    test(`has a ${way}`, async () => {
      const policy = { activations_limit: 1, takeovers_per_month: 1, reclaim_after_days: 1 };
      const one = await device(way.includes('reclaimed') ? policy : { ...policy, reclaim_after_days: 0 });
      assert.equal(await isRevoked(one.lease), false);
      await end(one);
      assert.equal(await isRevoked(one.lease), true);
    });
  test('does not void what is signed afterwards', async () => {
    const { lease, token, change } = await device();
    await change({ status: 'disabled' });
    await change({ status: 'active' });
    // In the second of both changes.
    const next = await renewed(token);
    assert.deepEqual([await isRevoked(lease), await isRevoked(next)], [true, false]);
  });
  test('has nothing of devices without leases, nor floating seats that lapse soon', async () => {
    const count = () => numberOf(api.dataDir, 'select count(*) from revocations');
    const before = await count();
    const { license_key } = await api.license({ activations_limit: 1 });
    const { token } = await api.activation(license_key, { fingerprint: 'fp' });
    await api.ok('GET', `/licenses/deactivate/${token}`);
    await api.activation(license_key, { fingerprint: 'fp' });
    await api.ok('PUT', `/licenses/${license_key}`, { json: { status: 'disabled' } });
    await api.ok('DELETE', `/licenses/${license_key}`);
    await post('/deactivate', {}, (await device({ seat_ttl: HOUR })).token);
    assert.equal(await count(), before);
  });
  test('is public, and read again only if it has changed', async () => {
    await (await device()).change({ status: 'disabled' });
    pass(6);
    const get = (method = 'GET', headers = {}) =>
      fetch(`${root}/revocations`, { method, headers: { origin: 'https://app.example', ...headers } });
    const first = await get();
    const { seq, iat, exp, iss } = verifyRevocations(await first.text(), roots);
    assert.deepEqual([seq, iat, exp, iss], [seconds(), seconds(), seconds() + DAY, new URL(root).origin]);
    const etag = first.headers.get('etag') as string;
    const about = ['content-type', 'cache-control', 'access-control-allow-origin', 'etag'];
    const expected = ['application/jwt', 'public, max-age=300', '*', etag];
    assert.deepEqual(
      about.map((name) => first.headers.get(name)),
      expected,
    );
    pass(3 * HOUR);
    const head = await get('HEAD');
    assert.deepEqual([head.status, ...about.map((name) => head.headers.get(name))], [200, ...expected]);
    assert.equal(head.headers.get('content-length'), first.headers.get('content-length'));
    assert.equal((await get('GET', { 'if-none-match': etag })).status, 304);
    // Signed again before it ends, and when it has changed.
    pass(3 * HOUR);
    assert.equal((await get('GET', { 'if-none-match': etag })).status, 200);
    await (await device()).change({ status: 'disabled' });
    assert.ok((await revocations()).seq > seq + 6 * HOUR);
  });
  test('leaves out activations before licenses', async () => {
    const one = await device();
    await one.change({ status: 'disabled' });
    for (let i = 0; i < 2; i++) await post('/deactivate', {}, (await device()).token);
    const { list } = api.service.store.read.revocations;
    assert.deepEqual(
      (await list(1)).map(({ objectId }) => objectId),
      [one.license.id],
    );
    assert.equal((await list(1_000)).at(-1)?.kind, 'activation');
  });
  test('forgets what has ended by itself', async () => {
    const one = await device();
    await one.change({ status: 'disabled' });
    const [row] = await rowsOf(
      api.dataDir,
      `select until from revocations where kind = 'license' and object_id = ${one.license.id}`,
    );
    assert.equal(row?.until, '2030-06-29 12:00:00');
    const house = () => keepHouse(api.service, { downloadDays: 0 }, silent);
    const count = () =>
      numberOf(
        api.dataDir,
        `select count(*) from revocations where kind = 'license' and object_id = ${one.license.id}`,
      );
    pass(28 * DAY);
    await house();
    assert.equal(await count(), 1);
    pass(1);
    await house();
    assert.equal(await count(), 0);
  });
});
