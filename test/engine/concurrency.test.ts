import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ACTIVATION_SOURCE } from '../../src/domain/activation.ts';
import { SYSTEM } from '../../src/domain/actor.ts';
import { LICENSE_SOURCE } from '../../src/domain/licenses/license.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { numberOf, rowsOf, runSql } from '../support/engine.ts';
import { eventsAt, newEndpoint } from '../support/events.ts';
import { newKey, type Record_ } from '../support/http/api.ts';
import { startService } from '../support/service.ts';

/** A query for the number of activations that a license counts. */
const seatsOf = (id: number): string => `select times_activated from licenses where id = ${id}`;
const newLicense = (licenseKey: string, activationsLimit = 0) => ({
  licenseKey,
  validFor: 0,
  status: 3,
  activationsLimit,
  orderId: null,
  productId: null,
  userId: null,
  expiresAt: null,
  source: LICENSE_SOURCE.api,
});
const activation = (named: string) => ({
  named,
  label: null,
  meta: null,
  token: null,
  software: null,
  source: ACTIVATION_SOURCE.api,
  ipAddress: null,
  userAgent: null,
});

const shared = await startService({ after });

test('200 concurrent activations of a license with 10 seats make exactly 10', async () => {
  const { dataDir, ...api } = shared;
  const { id, license_key: key } = await api.license({ activations_limit: 10 });
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => api.call('GET', `/licenses/activate/${key}`)),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  const refused = answers.filter(({ body }) => body.code === 'license_activation_limit_reached');
  assert.equal(refused.length, 190);
  assert.equal(await numberOf(dataDir, `select count(*) from activations where license_id = ${id}`), 10);
  assert.equal(await numberOf(dataDir, seatsOf(id)), 10);
});

test('40 concurrent deactivations of one activation succeed once and free one seat', async () => {
  const { dataDir, ...api } = shared;
  const { id, license_key: key } = await api.license({ activations_limit: 5 });
  const { token } = await api.activation(key);
  await api.activation(key);
  const path = `/licenses/deactivate/${token}`;
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.call('GET', path)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(await numberOf(dataDir, seatsOf(id)), 1);
});

test('40 concurrent reactivations of one activation take one seat', async () => {
  const { dataDir, ...api } = shared;
  const { id, license_key: key } = await api.license({ activations_limit: 5 });
  const { token } = await api.activation(key);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  const path = `/licenses/activate/${key}?token=${token}`;
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.call('GET', path)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(await numberOf(dataDir, seatsOf(id)), 1);
});

test('50 concurrent creations of one key succeed once; the others answer 409', async () => {
  const api = shared;
  const json = { license_key: newKey(), valid_for: 0, status: 3, activations_limit: 0 };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => api.call('POST', '/licenses', { json })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    200,
    ...Array.from({ length: 49 }, () => 409),
  ]);
});

test('a new license whose id another one has taken gets the next id', async () => {
  const { id } = await shared.license();
  // As a move does with the ids of the shop.
  await runSql(shared.dataDir, `update licenses set id = id + 1 where id = ${id}`);
  assert.equal((await shared.license()).id, id + 2);
});

test('concurrent changes of different fields of a license: the last event shows all of them', async () => {
  const api = shared;
  const endpoint = await newEndpoint(api, { kind: 'poll', types: ['license.updated'] });
  const licenses = await Promise.all(Array.from({ length: 10 }, () => api.license()));
  const changes = [{ order_id: 7 }, { user_id: 8 }, { activations_limit: 9 }, { seat_ttl: 600 }];
  await Promise.all(
    licenses.flatMap(({ license_key: key }) =>
      changes.map((json) => api.ok('PUT', `/licenses/${key}`, { json })),
    ),
  );
  const events = Map.groupBy(await eventsAt(api, endpoint.id), ({ data }) => data.id);
  for (const { id, license_key } of licenses) {
    const {
      license_key: _key,
      activations: _none,
      ...shown
    } = await api.ok('GET', `/licenses/${license_key}`);
    const told = events.get(id) ?? [];
    assert.deepEqual(told.at(-1)?.data, { object: 'license', ...shown });
    // No event claims the change of another.
    const changed = told.flatMap(({ previous }) => Object.keys(previous));
    assert.deepEqual(changed.sort(), changes.flatMap(Object.keys).sort());
  }
});

test('undoing a bulk change leaves concurrent changes of other fields as they are', async () => {
  const { service, license, ok } = shared;
  const licenses = await Promise.all(Array.from({ length: 10 }, () => license()));
  const expiresAt = '2100-01-01 00:00:00';
  const changed = await Promise.all(
    licenses.flatMap(({ id }) => [
      service.execute('change-licenses', { ids: [id], change: { status: 5 } }, SYSTEM),
      service.execute('update-license', { named: { id }, changes: { expiresAt } }, SYSTEM),
    ]),
  );
  const restore = changed.flatMap((one) => (one.ok && 'previous' in one.value ? one.value.previous : []));
  assert.equal(restore.length, 10);
  await service.execute('change-licenses', { restore }, SYSTEM);
  for (const { license_key: key } of licenses) {
    const { status, expires_at } = await ok('GET', `/licenses/${key}`);
    assert.deepEqual([status, expires_at], [3, expiresAt]);
  }
});

test('200 concurrent look-ups each get their own answer', async () => {
  const api = shared;
  const licenses = await Promise.all(Array.from({ length: 20 }, () => api.license({})));
  const keys = licenses.map(({ license_key }) => license_key as string);
  const made = await Promise.all(keys.map((key) => api.activation(key)));
  const tokens = made.map(({ token }) => token as string);
  const asked = Array.from({ length: 200 }, (_, i) => ({
    of: i % 20,
    isMade: i % 3 > 0,
    byToken: i % 2 > 0,
  }));
  const answers = await Promise.all(
    asked.map(({ of, isMade, byToken }) =>
      byToken
        ? api.call('GET', `/licenses/validate/${isMade ? tokens[of] : 'a'.repeat(39) + (of % 10)}`)
        : api.call('GET', `/licenses/${isMade ? keys[of] : newKey()}`),
    ),
  );
  for (const [i, { status, body }] of answers.entries()) {
    const { of, isMade, byToken } = asked[i] as (typeof asked)[number];
    assert.equal(status, isMade ? 200 : 404, JSON.stringify(body));
    if (!isMade) continue;
    assert.equal(byToken ? body.data.token : body.data.license_key, (byToken ? tokens : keys)[of]);
    if (!byToken) assert.equal(body.data.times_activated, 1);
  }
});

test('concurrent activations of many licenses: refused ones do not affect the others', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const licenses = await Promise.all(
    Array.from({ length: 30 }, (_, i) => api.license({ activations_limit: 1 + (i % 3) })),
  );
  const [full] = licenses;
  await api.activation(full?.license_key as string);
  // Activate each license twice, both times with the same label.
  const asked = [...licenses, ...licenses];
  const answers = await Promise.all(
    asked.map(({ license_key }, i) =>
      api.call('GET', `/licenses/activate/${license_key}?label=device%20${i % 30}`),
    ),
  );
  for (const [i, { status, body }] of answers.entries()) {
    if (status === 200) {
      assert.equal(body.data.license_id, asked[i]?.id);
      assert.equal(body.data.label, `device ${i % 30}`);
    } else assert.equal(body.code, 'license_activation_limit_reached');
  }
  const made = answers.filter(({ status }) => status === 200);
  // Ten licenses allow one activation, and one of them is full; twenty allow two or more.
  assert.equal(made.length, 9 + 20 * 2);
  assert.equal(new Set(made.map(({ body }) => body.data.token)).size, made.length);
  assert.equal(await numberOf(dataDir, 'select sum(times_activated) from licenses'), made.length + 1);
  assert.equal(await numberOf(dataDir, 'select count(*) from activations'), made.length + 1);
});

test('concurrent deactivations of many licenses each free their own seat; only ended activations are refused', async (t) => {
  const { dataDir, ...api } = await startService(t);
  const licenses = await Promise.all(Array.from({ length: 20 }, () => api.license({ activations_limit: 0 })));
  const made = await Promise.all(
    [...licenses, ...licenses, ...licenses].map(({ license_key }) => api.activation(license_key)),
  );
  // Each license has three activations: one already ended, one deactivated twice, and one that stays. Every second one
  // has a lease.
  const [ended, asked, kept] = [0, 1, 2].map((nth) => made.slice(nth * 20, nth * 20 + 20)) as Record_[][];
  for (const { token } of ended ?? []) await api.ok('GET', `/licenses/deactivate/${token}`);
  const leased = "update activations set leased_until = '2100-01-01 00:00:00' where id % 2 = 0";
  await runSql(dataDir, leased);
  const tokens = [...(asked ?? []), ...(ended ?? []), ...(asked ?? [])].map(({ token }) => token);
  const answers = await Promise.all(tokens.map((token) => api.call('GET', `/licenses/deactivate/${token}`)));
  const done = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.token);
  assert.deepEqual(done.sort(), asked?.map(({ token }) => token).sort());
  assert.equal(answers.filter(({ status }) => status === 404).length, 40);
  const valid = await rowsOf(dataDir, 'select id from activations where deactivated_at is null order by id');
  assert.deepEqual(
    valid.map(({ id }) => Number(id)),
    kept?.map(({ id }) => id).sort((a, b) => a - b),
  );
  assert.equal(await numberOf(dataDir, 'select count(*) from licenses where times_activated = 1'), 20);
  const revoked = await rowsOf(dataDir, 'select object_id from revocations order by object_id');
  assert.deepEqual(
    revoked.map(({ object_id }) => Number(object_id)),
    asked
      ?.map(({ id }) => id)
      .filter((id) => id % 2 === 0)
      .sort((a, b) => a - b),
  );
});

test('a failing job does not affect other jobs in the same transaction', async () => {
  const { service } = shared;
  const key = newKey();
  const jobs = [
    service.execute('create-license', newLicense(key), SYSTEM),
    service.execute('create-license', newLicense(key), SYSTEM),
    service.execute('no-such-command' as never, {} as never, SYSTEM),
    service.execute('create-license', newLicense(newKey()), SYSTEM),
  ];
  const ends = (await Promise.allSettled(jobs)).map((end) =>
    end.status === 'fulfilled' ? (end.value as { ok: boolean }).ok : end.status,
  );
  // PostgreSQL runs them concurrently: either of the first two may win.
  assert.deepEqual(ends.slice(0, 2).sort(), [false, true]);
  assert.deepEqual(ends.slice(2), ['rejected', true]);
});

test('closing the service waits for jobs sent before', async (t) => {
  const { service } = await startService(t);
  const jobs = Array.from({ length: 50 }, () =>
    service.execute('create-license', newLicense(newKey()), SYSTEM),
  );
  await service.close();
  for (const outcome of await Promise.all(jobs)) assert.ok(outcome.ok);
  await assert.rejects(service.execute('create-license', newLicense(newKey()), SYSTEM), StoreUnavailable);
});

test('two services on the same database together respect the activation limit', async (t) => {
  const first = await startService(t);
  const second = await startService(t, { dataDir: first.dataDir });
  const { license_key: key } = await first.license({ activations_limit: 10 });
  const tries = Array.from({ length: 100 }, (_, i) =>
    (i % 2 ? first : second).service.execute('activate-license', activation(key), SYSTEM),
  );
  const outcomes = await Promise.all(tries);
  assert.equal(outcomes.filter(({ ok }) => ok).length, 10);
});
