import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Expected } from '../../../sdk/javascript/src/verify.ts';
import { createSigner } from '../../../src/app/keys/create-signer.ts';
import { createLeases } from '../../../src/app/leases/leases.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { keepHouse } from '../../../src/server/housekeeping.ts';
import { numberOf, rowsOf, runSql } from '../../support/engine.ts';
import { DAY, HOUR, startLeaseServer } from '../../support/leases/lease-server.ts';
import { silent } from '../../support/log.ts';

const server = await startLeaseServer();
const { api, root, seconds, pass, post, activate, device, renewed, revocations } = server;
const verified = (text: string, more: Partial<Expected> = {}) =>
  server.verified(text, { fingerprint: 'fp', ...more });
const read = (text: string, more: Partial<Expected> = {}) =>
  server.read(text, { fingerprint: 'fp', ...more });

test('a lease says what the device may do, and until when', async () => {
  const { license, id, lease } = await device({ product_id: 12, entitlements: ['pro', 'export'] });
  const { jti, ref, ...rest } = await read(lease, { product: 12 });
  const iat = seconds();
  assert.deepEqual(rest, {
    iss: new URL(root).origin,
    sub: `act_${id}`,
    lic: `lic_${license.id}`,
    prd: 12,
    fp: rest.fp,
    st: 'active',
    ent: ['pro', 'export'],
    iat,
    exp: iat + 14 * DAY,
    grc: iat + 21 * DAY,
  });
  assert.match(jti, /^[\w-]{16}$/);
  assert.ok(ref >= iat + 21.6 * HOUR && ref <= iat + 26.4 * HOUR);
  assert.deepEqual(await verified(lease, { fingerprint: 'other' }), { ok: false, code: 'other_device' });
  assert.deepEqual(await verified(lease, { roots: [] }), { ok: false, code: 'wrong_root' });
});

suite('a lease is reused', () => {
  test('until it should be refreshed', async () => {
    const { token, lease } = await device();
    pass(DAY / 2);
    assert.equal(await renewed(token), lease);
    pass(DAY);
    const next = await renewed(token);
    assert.notEqual(next, lease);
    assert.equal((await read(next)).iat, seconds());
    // Setting the clock back leaves no lease from the future.
    pass(-1.5 * DAY);
    assert.equal((await read(await renewed(token))).iat, seconds());
  });
  test('until any of its contents change', async () => {
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
    // The contents are as before, but a lease signed before is revoked.
    await change({ status: 'disabled' });
    await after({ status: 'sold' });
  });
  test('but not with a nonce', async () => {
    const { token, lease } = await device({}, { nonce: 'n1' });
    assert.equal((await read(lease, { nonce: 'n1' })).n, 'n1');
    const kept = await renewed(token);
    assert.equal((await read(kept)).n, undefined);
    const asked = await Promise.all([0, 1].map(() => renewed(token, { fingerprint: 'fp', nonce: 'n2' })));
    assert.notEqual(asked[0], asked[1]);
    for (const one of asked) assert.equal((await read(one, { nonce: 'n2' })).n, 'n2');
    assert.equal(await renewed(token), kept);
  });
});

suite('the revocation list', () => {
  const isRevoked = async (lease: string) => {
    const found = await verified(lease, { revocations: await revocations() });
    return !found.ok && found.code === 'revoked';
  };
  const { execute } = api.service;
  type Device = Awaited<ReturnType<typeof device>>;
  const WAYS: Record<string, (one: Device) => Promise<unknown>> = {
    'disabled license': ({ change }) => change({ status: 'disabled' }),
    'license disabled in bulk': ({ license: { id } }) =>
      execute('change-licenses', { ids: [id], change: { status: 5 }, skipGone: false }, SYSTEM),
    'deleted license': ({ license }) => api.ok('DELETE', `/licenses/${license.license_key}`),
    'license deleted in bulk': ({ license: { id } }) => execute('delete-licenses', { ids: [id] }, SYSTEM),
    'deactivated device': ({ token }) => post('/deactivate', {}, token),
    'device deactivated through its license': ({ license: { license_key: named } }) =>
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
    'seat that lapsed after its license began to float': async ({ license, token, change }) => {
      await change({ seat_ttl: HOUR });
      await renewed(token);
      pass(HOUR);
      return activate(license.license_key, { fingerprint: 'other' });
    },
  };
  for (const [way, end] of Object.entries(WAYS))
    test(`contains a ${way}`, async () => {
      const policy = { activations_limit: 1, takeovers_per_month: 1, reclaim_after_days: 1 };
      const one = await device(way.includes('reclaimed') ? policy : { ...policy, reclaim_after_days: 0 });
      assert.equal(await isRevoked(one.lease), false);
      await end(one);
      assert.equal(await isRevoked(one.lease), true);
    });
  test('contains devices that borrowed their seats before their license stopped floating', async () => {
    const borrowed = () => device({ seat_ttl: HOUR, borrow_max_hours: 48 }, { borrow_hours: 48 });
    const [one, late] = [await borrowed(), await borrowed()];
    await one.change({ seat_ttl: 0 });
    // As if the second device had borrowed its seat at the moment of the change.
    await runSql(api.dataDir, `update licenses set seat_policy = null where id = ${late.license.id}`);
    await api.activation(late.license.license_key, { fingerprint: 'fp' });
    for (const { change, lease } of [one, late]) {
      await change({ status: 'disabled' });
      assert.equal(await isRevoked(lease), true);
    }
  });
  test('does not revoke leases signed afterwards', async () => {
    const { lease, token, change } = await device();
    await change({ status: 'disabled' });
    await change({ status: 'active' });
    // The renewal is in the same second as both changes.
    const next = await renewed(token);
    assert.deepEqual([await isRevoked(lease), await isRevoked(next)], [true, false]);
  });
  test('does not revoke leases of a restored license', async () => {
    const { lease, license, token } = await device();
    const { license_key, id } = license;
    await api.ok('DELETE', `/licenses/${license_key}`);
    assert.ok((await execute('restore-licenses', { ids: [id] }, SYSTEM)).ok);
    // The renewal is in the same second as the deletion.
    const next = await renewed(token);
    assert.deepEqual([await isRevoked(lease), await isRevoked(next)], [true, false]);
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).updated_at, '2030-06-01 12:00:00');
  });
  test('contains neither devices without leases nor floating seats that lapse soon', async () => {
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
  test('is public, and is sent again only if it has changed', async () => {
    await (await device()).change({ status: 'disabled' });
    pass(6);
    const get = (method = 'GET', headers = {}) => fetch(`${root}/revocations`, { method, headers });
    const first = await get();
    const { seq, iat, exp, iss } = await server.listIn(first);
    assert.deepEqual([seq, iat, exp, iss], [seconds(), seconds(), seconds() + DAY, 'latchkey']);
    const etag = first.headers.get('etag') as string;
    const about = ({ headers }: Response) =>
      ['content-type', 'cache-control', 'access-control-allow-origin', 'etag'].map((name) =>
        headers.get(name),
      );
    assert.deepEqual(about(first), ['application/jwt', 'public, max-age=300', '*', etag]);
    // A Host header cannot have the list signed again.
    pass(6);
    const elsewhere = `${root.replace('127.0.0.1', 'localhost')}/revocations`;
    assert.equal((await fetch(elsewhere)).headers.get('etag'), etag);
    pass(3 * HOUR - 6);
    const head = await get('HEAD', { origin: 'https://app.example' });
    assert.deepEqual([head.status, ...about(head)], [200, ...about(first)]);
    assert.equal(head.headers.get('content-length'), first.headers.get('content-length'));
    const same = await get('GET', { 'if-none-match': etag });
    assert.deepEqual([same.status, same.headers.get('access-control-allow-origin')], [304, '*']);
    // The server signs the list again before it expires, and after a change.
    pass(3 * HOUR);
    assert.equal((await get('GET', { 'if-none-match': etag })).status, 200);
    await (await device()).change({ status: 'disabled' });
    assert.ok((await revocations()).seq > seq + 6 * HOUR);
  });
  test('omits activations before licenses', async () => {
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
  test('drops entries that have expired', async () => {
    const one = await device();
    await one.change({ status: 'disabled' });
    const ofLicense = `select until from revocations where kind = 'license' and object_id = ${one.license.id}`;
    const entries = async () => (await rowsOf(api.dataDir, ofLicense)).map(({ until }) => until);
    const house = () => keepHouse(api.service, { downloadDays: 0, eventDays: 30, trashDays: 30 }, silent);
    pass(28 * DAY);
    await house();
    assert.deepEqual(await entries(), ['2030-06-29 12:00:00']);
    pass(1);
    await house();
    assert.deepEqual(await entries(), []);
  });
});

// This test is last: the server notices the new key some seconds later.
test('a new signing key signs the lease again', async () => {
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
  assert.notEqual(next, before);
  await read(before);
  await read(next);
});
