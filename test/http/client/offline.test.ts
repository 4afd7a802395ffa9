import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basicHeader } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { DAY, HOUR, startLeaseServer } from '../../support/leases/lease-server.ts';
import { offlineDevice } from '../../support/leases/offline-device.ts';

const server = await startLeaseServer();
const { api, root, clock, seconds, pass, post } = server;
const activate = (request: string) => post('/offline-activate', { request });
const deactivate = (receipt: string) => post('/offline-deactivate', { receipt });
const answerOf = ({ status, body }: Awaited<ReturnType<typeof post>>) => [status, body.code];
const seats = async (key: string) => (await api.ok('GET', `/licenses/${key}`)).times_activated;

/** Verifies a lease as the device does, and returns its contents. */
function read(text: string, deviceKey: string, fingerprint?: string) {
  assert.ok(text.startsWith('LKLEASE1.'));
  return server.read(text, { deviceKey, nonce: 'nonce-1', fingerprint });
}

test('a request gets a seat and a lease for its device; repeated, it gets the same seat and a new lease', async () => {
  const { id, license_key: key } = await api.license({ activations_limit: 1, product_id: 12 });
  const device = offlineDevice();
  const request = device.request(key, clock(), { fpr: 'fp', lbl: 'Press 4', prd: 12 });
  const { status, body } = await activate(`\n${request}\n`);
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(Object.keys(body.activation), ['id', 'label', 'created_at', 'seat_expires_at']);
  assert.deepEqual(
    [body.activation.label, body.activation.seat_expires_at, body.license.id, body.license.seats],
    ['Press 4', null, id, { used: 1, limit: 1 }],
  );
  const { jti: _, cnf, n, ...lease } = await read(body.lease, device.x, 'fp');
  assert.deepEqual([cnf, n], [{ x: device.x }, 'nonce-1']);
  const iat = seconds();
  assert.deepEqual(lease, {
    iss: new URL(root).origin,
    sub: `act_${body.activation.id}`,
    lic: `lic_${id}`,
    prd: 12,
    fp: lease.fp,
    st: 'active',
    ent: [],
    iat,
    ref: iat + 45 * DAY,
    exp: iat + 90 * DAY,
    grc: iat + 97 * DAY,
  });
  pass(DAY);
  const again = await activate(request);
  assert.deepEqual([again.status, again.body.activation.id], [200, body.activation.id]);
  assert.equal((await read(again.body.lease, device.x, 'fp')).iat, iat + DAY);
  // An online activation with the same fingerprint finds the same seat.
  const online = await post('/activate', { license_key: key, fingerprint: 'fp' });
  assert.deepEqual([online.status, online.body.activation.id], [200, body.activation.id]);
  const other = await activate(offlineDevice().request(key, clock(), { fpr: 'other' }));
  assert.deepEqual(answerOf(other), [409, 'seat_limit_reached']);
  assert.deepEqual(other.body.holders[0].label, 'Pre…');
});

test('a device without a fingerprint is recognized by its key, or by its label if the license says so', async () => {
  const byKey = await api.license({ activations_limit: 1 });
  const device = offlineDevice();
  const first = await activate(device.request(byKey.license_key, clock()));
  const again = await activate(device.request(byKey.license_key, clock(), { n: 'nonce-2' }));
  assert.deepEqual([first.status, again.status], [201, 200]);
  assert.equal(again.body.activation.id, first.body.activation.id);
  assert.deepEqual(answerOf(await activate(offlineDevice().request(byKey.license_key, clock()))), [
    409,
    'seat_limit_reached',
  ]);

  const byLabel = await api.license({ activations_limit: 1, match: 'label' });
  const { body } = await post('/activate', { license_key: byLabel.license_key, label: 'Press 4' });
  const same = await activate(device.request(byLabel.license_key, clock(), { lbl: 'Press 4' }));
  assert.deepEqual([same.status, same.body.activation.id], [200, body.activation.id]);
});

test('a floating seat is borrowed for as long as the license allows, and the lease ends with the loan', async () => {
  const lending = { seat_ttl: 600, borrow_max_hours: 48 };
  const { license_key: key } = await api.license(lending);
  const device = offlineDevice();
  const { body } = await activate(device.request(key, clock()));
  assert.equal(body.activation.seat_expires_at, '2030-06-03T12:00:00Z');
  const { exp, grc } = await read(body.lease, device.x);
  assert.deepEqual([exp, grc], [seconds() + 48 * HOUR, seconds() + 48 * HOUR]);

  const short = await api.license({ ...lending, offline_lease_days: 1 });
  const oneDay = await activate(device.request(short.license_key, clock()));
  assert.equal(oneDay.body.activation.seat_expires_at, '2030-06-02T12:00:00Z');
  const none = await api.license({ seat_ttl: 600 });
  assert.deepEqual(answerOf(await activate(device.request(none.license_key, clock()))), [
    403,
    'seat_not_borrowable',
  ]);
  assert.equal(await seats(none.license_key), 0);
});

test('a malformed request, or one that an activation would refuse, takes no seat', async () => {
  const device = offlineDevice();
  const { license_key: key } = await api.license({ product_id: 12 });
  const refused = async (text: string, ...expected: unknown[]) =>
    assert.deepEqual(answerOf(await activate(text)), expected);
  await refused(device.request('KEY-THAT-IS-NOT', clock()), 404, 'license_not_found');
  await refused(device.request(key, clock(), { prd: 13 }), 403, 'not_covered');
  const expired = await api.license({ expires_at: '2030-05-31 00:00:00' });
  await refused(device.request(expired.license_key, clock()), 403, 'license_expired');
  await api.ok('PUT', `/licenses/${expired.license_key}`, { json: { status: 'disabled' } });
  await refused(device.request(expired.license_key, clock()), 403, 'license_disabled');
  for (const [text, words] of [
    ['', 'is required.'],
    [device.request(key, clock()).slice(0, -90), /^must be a whole text that begins with LKREQ1\./],
    [device.request(key, clock() - 31 * DAY * 1_000), /^is more than 30 days old/],
    [device.request(key, clock(), { fpr: ' ' }), 'has invalid values: fpr must not be only white space.'],
    ['LKREQ1.'.padEnd(9_000, 'A'), /^must have 1 to/],
  ] as const) {
    const { status, body } = await activate(text);
    assert.deepEqual([status, body.code], [422, 'invalid_request']);
    if (typeof words === 'string') assert.equal(body.params.request, words);
    else assert.match(body.params.request, words);
  }
  assert.equal(await seats(key), 0);
});

test('a receipt frees the seat once, and only with the key of the device', async () => {
  const { id, license_key: key } = await api.license({ activations_limit: 1 });
  const device = offlineDevice();
  const request = device.request(key, clock(), { fpr: 'fp' });
  const { activation } = (await activate(request)).body;
  pass(HOUR);
  const unknown = [404, 'receipt_unknown'];
  for (const receipt of [
    offlineDevice().receipt(activation.id, id, clock()),
    device.receipt(activation.id, id + 1, clock()),
    device.receipt(activation.id + 1_000, id, clock()),
  ])
    assert.deepEqual(answerOf(await deactivate(receipt)), unknown);
  assert.deepEqual(answerOf(await deactivate(request)), [422, 'invalid_request']);

  // The device was activated again after the receipt, and uses the new lease.
  const early = device.receipt(activation.id, id, clock() - 1_000);
  await activate(request);
  assert.deepEqual(answerOf(await deactivate(early)), [409, 'receipt_outdated']);
  assert.equal(await seats(key), 1);
  // After an activation with another device key, a receipt with the earlier key ends nothing.
  const renewed = offlineDevice();
  await activate(renewed.request(key, clock(), { fpr: 'fp' }));
  assert.deepEqual(answerOf(await deactivate(device.receipt(activation.id, id, clock()))), unknown);

  const receipt = renewed.receipt(activation.id, id, clock());
  assert.equal((await deactivate(receipt)).status, 204);
  assert.equal(await seats(key), 0);
  assert.equal((await deactivate(receipt)).status, 204);
  const next = await activate(renewed.request(key, clock(), { fpr: 'fp' }));
  assert.equal(next.status, 201);
  // The device was activated anew: the receipt is for the ended activation.
  assert.equal((await deactivate(receipt)).status, 204);
  assert.equal(await seats(key), 1);
});

test('a license file is a lease for any device or for one activation, and disabling the license revokes it', async () => {
  const { id, license_key: key } = await api.license({ activations_limit: 1, entitlements: ['pro'] });
  const file = async (query: Record<string, string> = {}, { credentials } = api) => {
    const url = `${api.root}/licenses/${key}/file?${new URLSearchParams(query)}`;
    const response = await fetch(url, { headers: { authorization: basicHeader(credentials) } });
    return { headers: response.headers, status: response.status, text: await response.text() };
  };
  const made = await file();
  assert.deepEqual(
    ['content-type', 'content-disposition'].map((name) => made.headers.get(name)),
    ['text/plain; charset=utf-8', `attachment; filename=license-${id}.lic`],
  );
  assert.match(made.text, /^LKLEASE1\..+\n$/);
  const lease = await server.read(made.text);
  assert.deepEqual(
    [lease.sub, lease.fp, lease.cnf, lease.lic, lease.ent, lease.exp],
    [undefined, undefined, undefined, `lic_${id}`, ['pro'], seconds() + 90 * DAY],
  );
  assert.equal(await seats(key), 0);

  const { activation } = (await post('/activate', { license_key: key, fingerprint: 'fp' })).body;
  const bound = await file({ activation_token: activation.token });
  assert.equal((await server.read(bound.text, { fingerprint: 'fp' })).sub, `act_${activation.id}`);
  // An API key that ships in a program gets a file only for an activation.
  const shipped = await withApiKey(api, { endpoints: ['licenses.get'] });
  const some = [{}, { activation_token: activation.token }].map((query) =>
    file(query, { ...api, ...shipped }),
  );
  assert.deepEqual(
    (await Promise.all(some)).map(({ status }) => status),
    [403, 200],
  );
  const other = await api.license();
  const { activation: foreign } = (await post('/activate', { license_key: other.license_key })).body;
  assert.match((await file({ activation_token: foreign.token })).text, /belongs to another license/);

  pass(60);
  await api.ok('PUT', `/licenses/${key}`, { json: { status: 'disabled' } });
  assert.equal((await file()).status, 405);
  const { lic } = await server.revocations();
  assert.ok(lic.some(([license]) => license === id));
});
