import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { startService } from '../../support/service.ts';

const START = Date.parse('2030-06-01T12:00:00Z');
let now = START;
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = START;
});
const root = new URL('/client/v1', api.root).href;

async function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(root + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const isProblem = response.headers.get('content-type') === 'application/problem+json';
  assert.equal(isProblem, response.status >= 400, text);
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
async function refused(code: string, status: number, answer: Promise<Awaited<ReturnType<typeof post>>>) {
  const { body, ...sent } = await answer;
  assert.deepEqual([body.code, body.status, sent.status], [code, status, status]);
  assert.ok(body.title && body.detail && body.type);
  return body;
}

test('activate answers 201 for a new seat and 200 if the fingerprint already has one', async () => {
  const license = await api.license({
    activations_limit: 3,
    product_id: 1001,
    entitlements: ['pro', 'sync'],
  });
  const sent = { license_key: license.license_key, fingerprint: 'fp', label: 'Laptop', product: 1001 };
  const first = await post('/activate', sent);
  assert.equal(first.status, 201);
  assert.equal(first.headers.get('cache-control'), 'no-store');
  const { activation, lease, ...rest } = first.body;
  assert.equal(typeof lease, 'string');
  assert.match(activation.token, /^[0-9a-f]{40}$/);
  assert.deepEqual(activation, {
    id: activation.id,
    token: activation.token,
    label: 'Laptop',
    seat_expires_at: null,
    created_at: '2030-06-01T12:00:00Z',
  });
  assert.deepEqual(rest, {
    license: {
      id: license.id,
      status: 'active',
      product: 1001,
      expires_at: null,
      seats: { used: 1, limit: 3 },
      entitlements: ['pro', 'sync'],
    },
  });
  const again = await post('/activate', sent);
  assert.deepEqual([again.status, again.body.activation.id], [200, activation.id]);

  const validated = await post('/validate', { fingerprint: 'fp' }, bearer(activation.token));
  assert.equal(validated.status, 200);
  assert.equal(validated.body.activation.token, undefined);
  await refused(
    'fingerprint_mismatch',
    403,
    post('/validate', { fingerprint: 'other' }, bearer(activation.token)),
  );
  for (const _ of [1, 2]) assert.equal((await post('/deactivate', {}, bearer(activation.token))).status, 204);
  const { reason } = await refused('activation_ended', 410, post('/validate', {}, bearer(activation.token)));
  assert.equal(reason, 'deactivated');
});

suite('refusals', () => {
  test('of a request always have params, without a field if the body is no JSON object', async () => {
    assert.deepEqual((await refused('invalid_request', 422, post('/activate', [1]))).params, {});
    const { params } = await refused('invalid_request', 422, post('/activate', {}));
    assert.deepEqual(Object.keys(params), ['license_key']);
  });
  test('for a license come in the order that programs rely on', async () => {
    const key = async (values: object) => (await api.license({ ...values })).license_key;
    const activate = async (values: object, more = {}) =>
      post('/activate', { license_key: await key(values), ...more });
    await refused('license_not_found', 404, post('/activate', { license_key: 'TEST-UNKNOWN' }));
    await refused('license_not_found', 404, post('/activate', { license_key: `hashed-${'a'.repeat(64)}` }));
    const expired = { expires_at: '2030-01-02 03:04:05' };
    await refused('license_disabled', 403, activate({ status: 'disabled', ...expired }));
    const { expired_at } = await refused('license_expired', 403, activate(expired));
    assert.equal(expired_at, '2030-01-02T03:04:05Z');
    await refused('not_covered', 403, activate({ product_id: 7 }, { product: 8 }));
  });
  test('for a full license name the holders, masked, and the time when the next seat frees', async () => {
    const { license_key } = await api.license({ activations_limit: 1, seat_ttl: 600 });
    await post('/activate', { license_key, fingerprint: 'a', label: 'Marias MacBook' });
    const full = await refused(
      'seat_limit_reached',
      409,
      post('/activate', { license_key, fingerprint: 'b' }),
    );
    assert.deepEqual(full.holders, [{ label: 'Mar…', last_seen_at: '2030-06-01T12:00:00Z' }]);
    assert.deepEqual([full.frees_at, full.takeover_allowed], ['2030-06-01T12:10:00Z', false]);
  });

  test('of unknown software come after those of an unknown and of a disabled license', async () => {
    const disabled = await api.license({ status: 'disabled' });
    const software = { software: 'no-such-software' };
    await refused('license_not_found', 404, post('/activate', { license_key: 'TEST-NONE', ...software }));
    await refused(
      'license_disabled',
      403,
      post('/activate', { license_key: disabled.license_key, ...software }),
    );
    const { license_key } = await api.license();
    await refused('not_covered', 403, post('/activate', { license_key, ...software }));
  });
});

test('a takeover ends the seat of the least recently seen device, as often as allowed', async () => {
  const { license_key } = await api.license({ activations_limit: 1, takeovers_per_month: 1 });
  const first = await post('/activate', { license_key, fingerprint: 'a' });
  const second = { license_key, fingerprint: 'b' };
  const { takeover_allowed } = await refused('seat_limit_reached', 409, post('/activate', second));
  assert.equal(takeover_allowed, true);
  assert.equal((await post('/activate', { ...second, takeover: true })).status, 201);
  const { reason } = await refused(
    'activation_ended',
    410,
    post('/validate', {}, bearer(first.body.activation.token)),
  );
  assert.equal(reason, 'reclaimed');
  now += 1_000;
  await refused(
    'seat_limit_reached',
    409,
    post('/activate', { license_key, fingerprint: 'c', takeover: true }),
  );
});

test('a takeover counts for 30 days; 50 concurrent takeovers do not exceed the limit', async () => {
  const { license_key } = await api.license({ activations_limit: 1, takeovers_per_month: 1 });
  const takeOver = (fingerprint: string) => post('/activate', { license_key, fingerprint, takeover: true });
  await takeOver('a');
  const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => takeOver(`device ${i}`)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  now += 30 * 86_400_000 - 1_000;
  await refused('seat_limit_reached', 409, takeOver('b'));
  now += 1_000;
  assert.equal((await takeOver('b')).status, 201);
});

test('a borrowed seat is kept until its end, and no longer', async () => {
  const { license_key } = await api.license({ activations_limit: 1, seat_ttl: 600, borrow_max_hours: 48 });
  const activate = (fingerprint: string, borrow_hours = 0) =>
    post('/activate', { license_key, fingerprint, borrow_hours });
  const { body } = await activate('a', 48);
  // Later requests of the device do not shorten the loan.
  for (const again of [await activate('a', 1), await post('/validate', {}, bearer(body.activation.token))])
    assert.equal(again.body.activation.seat_expires_at, '2030-06-03T12:00:00Z');
  now += 48 * 3_600_000 - 1_000;
  await refused('seat_limit_reached', 409, activate('b'));
  now += 1_000;
  assert.equal((await activate('b')).status, 201);
  const { reason } = await refused(
    'activation_ended',
    410,
    post('/validate', {}, bearer(body.activation.token)),
  );
  assert.equal(reason, 'lapsed');
});

test('a reclaimable seat frees after `reclaim_after_days`', async () => {
  const { license_key } = await api.license({ activations_limit: 2, reclaim_after_days: 3 });
  await post('/activate', { license_key, fingerprint: 'a', label: 'Old' });
  now += 86_400_000;
  await post('/activate', { license_key, fingerprint: 'b', label: 'New' });
  const { holders, frees_at } = await refused('seat_limit_reached', 409, post('/activate', { license_key }));
  assert.deepEqual(
    holders.map(({ label }: { label: string }) => label),
    ['N…', 'O…'],
  );
  now = Date.parse(frees_at) - 1_000;
  await refused('seat_limit_reached', 409, post('/activate', { license_key }));
  now += 1_000;
  assert.equal((await post('/activate', { license_key })).status, 201);
});

test('a borrowed seat cannot be reclaimed until the last `seat_ttl` of the loan', async () => {
  const { license_key } = await api.license({
    activations_limit: 1,
    seat_ttl: 600,
    borrow_max_hours: 48,
    reclaim_after_days: 1,
  });
  await post('/activate', { license_key, fingerprint: 'a', borrow_hours: 48 });
  const other = { license_key, fingerprint: 'b' };
  now += 48 * 3_600_000 - 601_000;
  await refused('seat_limit_reached', 409, post('/activate', other));
  now += 1_000;
  assert.equal((await post('/activate', other)).status, 201);
});

test('a floating seat lapses, can be borrowed, and is taken again by validate if one is free', async () => {
  const { license_key } = await api.license({ activations_limit: 1, seat_ttl: 600, borrow_max_hours: 48 });
  const { body } = await post('/activate', { license_key, fingerprint: 'a' });
  const mine = bearer(body.activation.token);
  now += 600_000;
  const other = await post('/activate', { license_key, fingerprint: 'b', borrow_hours: 100 });
  assert.equal(other.body.activation.seat_expires_at, '2030-06-03T12:10:00Z');
  assert.equal((await refused('activation_ended', 410, post('/validate', {}, mine))).reason, 'lapsed');
  now += 48 * 3_600_000;
  const back = await post('/validate', {}, mine);
  assert.deepEqual([back.status, back.body.activation.id], [200, body.activation.id]);
  assert.deepEqual(back.body.license.seats, { used: 1, limit: 1 });
});

test('the answer distinguishes a deleted license from an unknown token', async () => {
  const { license_key } = await api.license({ activations_limit: 2 });
  const [held, ended] = [
    await post('/activate', { license_key, fingerprint: 'a' }),
    await post('/activate', { license_key, fingerprint: 'b' }),
  ].map(({ body }) => bearer(body.activation.token));
  await post('/deactivate', {}, ended);
  await api.ok('DELETE', `/licenses/${license_key}`);
  const { reason, detail } = await refused('activation_ended', 410, post('/validate', {}, held));
  assert.deepEqual([reason, detail], ['license_deleted', 'The license was deleted.']);
  await refused('activation_ended', 410, post('/update-check', { software: 'any' }, held));
  assert.equal((await post('/deactivate', {}, held)).status, 204);
  await refused('unauthenticated', 401, post('/validate', {}, ended));
});

test('the time a device was last seen is stored per device to the second, and no earlier time replaces it', async () => {
  const { license_key } = await api.license({ activations_limit: 0 });
  const devices: { id: number; token: string }[] = [];
  for (const fingerprint of ['a', 'b', 'c'])
    devices.push((await post('/activate', { license_key, fingerprint })).body.activation);
  const seen = async () => {
    await api.service.lastSeen.flush();
    const { activations } = await api.ok('GET', `/licenses/${license_key}`);
    const times = new Map(
      activations.map((one: { id: number; last_seen_at: string }) => [one.id, one.last_seen_at]),
    );
    return devices.map(({ id }) => times.get(id));
  };
  now = START + 7 * 3_600_000;
  for (const { token } of devices) {
    assert.equal((await post('/validate', {}, bearer(token))).status, 200);
    if (token === devices[1]?.token) now += 1_000;
  }
  const noted = ['2030-06-01 19:00:00', '2030-06-01 19:00:00', '2030-06-01 19:00:01'];
  assert.deepEqual(await seen(), noted);
  const earlier = devices.map(({ id }) => ({ id, at: '2030-06-01 18:00:00' }));
  await api.service.execute('touch-activations', earlier, SYSTEM);
  assert.deepEqual(await seen(), noted);
});

test('all devices that were seen are noted, even more than one statement takes, and no others', async () => {
  const { license_key } = await api.license({ activations_limit: 0 });
  const ids: number[] = [];
  for (let i = 0; i < 102; i++)
    ids.push((await post('/activate', { license_key, fingerprint: `device ${i}` })).body.activation.id);
  const others = ids.slice(1);
  const at = '2030-06-03 12:00:00';
  await api.service.execute(
    'touch-activations',
    others.map((id) => ({ id, at })),
    SYSTEM,
  );
  const { activations } = await api.ok('GET', `/licenses/${license_key}`);
  const noted = activations.filter((one: { last_seen_at: string }) => one.last_seen_at === at);
  const byNumber = (one: number, other: number) => one - other;
  assert.deepEqual(noted.map((one: { id: number }) => one.id).sort(byNumber), others.sort(byNumber));
});

test('a body may be an empty list, which PHP writes for an empty object', async () => {
  const { license_key } = await api.license();
  const { token } = (await post('/activate', { license_key })).body.activation;
  assert.equal((await post('/validate', [], bearer(token))).status, 200);
  assert.equal((await post('/deactivate', [], bearer(token))).status, 204);
});
