import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import { numberOf } from '../../support/engine.ts';
import { eventsAt, newEndpoint } from '../../support/events.ts';
import { newKey, newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const [manager, support, viewer] = await Promise.all([
  signedIn(api, 'manager'),
  signedIn(api, 'support'),
  signedIn(api, 'viewer'),
]);
const count = () => numberOf(api.dataDir, 'select count(*) from licenses');
const historyOf = async (id: number) => (await viewer.ok('GET', `/licenses/${id}/history`)).items;

suite('keys', () => {
  test('are shown in full to managers and masked for other roles, and revealing one is recorded', async () => {
    const key = newKey();
    const { id } = await api.license({ license_key: key });
    for (const path of [`/licenses?search=${key}`, `/licenses/${id}`]) {
      const one = (found: Record_) => found.items?.[0] ?? found;
      const seen = one(await manager.ok('GET', path));
      assert.deepEqual([seen.license_key, seen.is_masked], [key, false]);
      for (const other of [support, viewer]) {
        const masked = one(await other.ok('GET', path));
        assert.deepEqual([masked.id, masked.license_key, masked.is_masked], [id, `…${key.slice(-4)}`, true]);
      }
    }
    assert.deepEqual(await support.ok('POST', `/licenses/${id}/reveal`), { license_key: key });
    const [entry] = await historyOf(id);
    assert.deepEqual(
      [entry.action, entry.user_id, entry.via],
      ['license.reveal', support.user.id, 'console'],
    );
    assert.equal((await viewer.post(`/licenses/${id}/reveal`)).status, 403);
    assert.ok(!JSON.stringify(await historyOf(id)).includes(key));
  });

  test('cannot be found character by character by roles that see only four of them', async () => {
    const key = newKey();
    await api.license({ license_key: key });
    const found = async (by: typeof viewer, length: number) =>
      (await by.ok('GET', `/licenses?search=ending:${key.slice(-length)}`)).total;
    for (const reader of [support, viewer])
      assert.deepEqual([await found(reader, 4), await found(reader, 5), await found(reader, 12)], [1, 0, 0]);
    assert.deepEqual([await found(manager, 5), await found(manager, 12)], [1, 1]);
    // A short key is masked whole, so its end finds nothing either.
    const short = key.slice(-8);
    await api.license({ license_key: `-${short.slice(1)}` });
    for (const reader of [support, viewer]) assert.equal(await found(reader, 4), 1);
    assert.equal(await found(manager, 4), 2);
  });
});

suite('permissions by role', () => {
  test('a viewer can change nothing, and support can delete and export nothing, and change no key', async () => {
    const { id, license_key: key } = await api.license();
    const before = await count();
    for (const refused of [
      viewer.post('/licenses', { license_key: newKey(), status: 3 }),
      viewer.patch(`/licenses/${id}`, { status: 5 }),
      viewer.post('/licenses/bulk', { ids: [id], status: 5 }),
      viewer.delete(`/licenses/${id}`),
      support.patch(`/licenses/${id}`, { license_key: newKey() }),
      support.delete(`/licenses/${id}`),
      support.post('/licenses/bulk/delete', { ids: [id] }),
      support.get('/licenses/export'),
    ]) {
      const { status, body } = await refused;
      assert.deepEqual([status, body.code], [403, 'permission_denied']);
    }
    assert.equal(await count(), before);
    const { license_key, status } = await manager.ok('GET', `/licenses/${id}`);
    assert.deepEqual([license_key, status], [key, 3]);
  });
});

suite('a license', () => {
  test('is created with a given key or with one from a generator, and with the values sent', async () => {
    const license_key = newKey();
    const made = await support.ok('POST', '/licenses', { license_key, status: 'active', order_id: 12 });
    assert.deepEqual([made.order_id, made.valid_for, made.activations_limit], [12, 0, 0]);
    assert.equal((await manager.post('/licenses', { license_key, status: 3 })).status, 409);

    const terms = {
      seat_ttl: 600,
      match: 'label',
      borrow_max_hours: 24,
      entitlements: ['pro'],
      lease_days: 5,
    };
    const limits = { expires_in: 30, activations_limit: 7 };
    const generator = await api.generator({ prefix: 'TEST-', ...limits, ...terms });
    const drawn = {
      generator_id: generator.id,
      status: 3,
      activations_limit: 4,
      borrow_max_hours: 8,
      lease_days: 6,
    };
    const other = await manager.ok('POST', '/licenses', drawn);
    assert.match(other.license_key, /^TEST-[0-9A-F]{5}-/);
    assert.deepEqual([other.activations_limit, other.valid_for, other.source], [4, 30, 1]);
    assert.ok(Math.abs(Date.parse(`${other.expires_at}Z`) - Date.now() - 30 * 86_400_000) < 60_000);
    assert.deepEqual([other.seat_ttl, other.match, other.borrow_max_hours], [600, 'label', 8]);
    assert.deepEqual([other.entitlements, other.lease_days], [['pro'], 6]);
    const expires_at = '2999-01-01 00:00:00';
    const dated = await manager.ok('POST', '/licenses', {
      generator_id: generator.id,
      status: 3,
      expires_at,
    });
    assert.deepEqual([dated.activations_limit, dated.valid_for, dated.expires_at], [7, 0, expires_at]);
    const endless = { generator_id: generator.id, status: 3, valid_for: 0, activations_limit: 0 };
    const never = await manager.ok('POST', '/licenses', endless);
    assert.deepEqual([never.activations_limit, never.valid_for, never.expires_at], [0, 0, null]);
    const { status, body } = await manager.post('/licenses', { status: 9 });
    assert.equal(status, 422);
    assert.ok('status' in body.data.params);
  });

  test("has its customer's email address and notes, which programs cannot see, send or clear", async () => {
    const { id: endpoint } = await newEndpoint(api, { kind: 'poll' });
    const license_key = newKey();
    const address = `${newName().replaceAll(' ', '.')}@Example.com`;
    const values = { license_key, status: 3, customer_email: `  ${address} ` };
    const made = await support.ok('POST', '/licenses', values);
    assert.equal(made.customer_email, address);
    for (const customer_email of ['nobody', 'a@b@c', 'a b@c', 7]) {
      for (const refused of [
        support.post('/licenses', { ...values, license_key: newKey(), customer_email }),
        support.patch(`/licenses/${made.id}`, { customer_email }),
      ]) {
        const { status, body } = await refused;
        assert.deepEqual([status, Object.keys(body.data.params)], [422, ['customer_email']]);
        assert.equal(body.data.reasons.customer_email.code, 'not_email');
      }
    }
    const json = { customer_email: 'other@example.com', customerEmail: 'other@example.com', order_id: 5 };
    const notes = { note: 'Asks for secret-note', tags: ['secret-tag'], meta: { crm: 'secret-meta' } };
    await support.ok('PATCH', `/licenses/${made.id}/notes`, notes);
    const ofPrograms = [
      await api.ok('PUT', `/licenses/${license_key}`, { json }),
      await api.ok('GET', `/licenses/${license_key}`),
      await api.ok('GET', '/licenses'),
      await api.activation(license_key),
      await api.ok('GET', '/audit', { query: { subject: `license:${made.id}` } }),
    ];
    assert.equal(ofPrograms[4].length, 3);
    assert.equal((await viewer.ok('GET', `/licenses/${made.id}`)).customer_email, address);
    const found = await viewer.ok('GET', `/licenses?search=${encodeURIComponent(address.toLowerCase())}`);
    assert.deepEqual([found.items.map(({ id }: Record_) => id), found.matched], [[made.id], ['email']]);
    assert.equal(
      (await manager.ok('PATCH', `/licenses/${made.id}`, { customer_email: null })).customer_email,
      null,
    );
    const isOfEmail = ({ before }: Record_) => before !== null && 'customer_email' in before;
    const [entry] = (await historyOf(made.id)).filter(isOfEmail);
    assert.deepEqual([entry.before, entry.after], [{ customer_email: address }, { customer_email: null }]);
    const events = await eventsAt(api, endpoint);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['license.created', 'license.updated', 'license.updated', 'activation.created', 'license.updated'],
    );
    assert.doesNotMatch(JSON.stringify([ofPrograms, events]), /email|example\.com|secret-|"tags"/i);
  });

  test('is changed and deleted by its id, and its history says who did what', async () => {
    const { id } = await api.license();
    const changed = await support.ok('PATCH', `/licenses/${id}`, { status: 5, expires_at: '2031-01-01' });
    assert.deepEqual([changed.status, changed.expires_at], [5, '2031-01-01 00:00:00']);
    assert.equal((await support.patch(`/licenses/${id}`, { product_id: 'x' })).status, 422);
    const [entry] = await historyOf(id);
    assert.deepEqual(
      [entry.action, entry.user_name, entry.before, entry.after],
      [
        'license.update',
        support.user.name,
        { status: 3, expires_at: null },
        { status: 5, expires_at: '2031-01-01 00:00:00' },
      ],
    );
    await manager.ok('DELETE', `/licenses/${id}`);
    for (const gone of [id, 'x', -1])
      assert.equal((await manager.get(`/licenses/${gone}`)).status, 404, String(gone));
    assert.deepEqual(
      (await historyOf(id)).map(({ action }: Record_) => action),
      ['license.delete', 'license.update', 'license.create'],
    );
  });
});

suite('a request repeated with its Idempotency-Key', () => {
  const send = async (path: string, body: object, key: string, client = manager) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const answer = await client.fetch(path, { method: 'POST', body: JSON.stringify(body), headers });
    return { status: answer.status, body: (await answer.json()) as Record_ };
  };

  test('extends once, even if sent concurrently, and gets the answer needed to undo the change', async () => {
    const { id } = await api.license({ expires_at: '2999-01-01 00:00:00' });
    const change = { ids: [id], extend_days: 365 };
    const key = newKey();
    const answers = await Promise.all([1, 2, 3].map(() => send('/licenses/bulk', change, key)));
    const [first] = answers;
    for (const answer of answers) assert.deepEqual(answer, first);
    const ends = async () => (await manager.ok('GET', `/licenses/${id}`)).expires_at;
    assert.equal(await ends(), '3000-01-01 00:00:00');
    assert.equal((await historyOf(id)).length, 2);
    await manager.ok('POST', '/licenses/bulk', { restore: first?.body.previous });
    assert.equal(await ends(), '2999-01-01 00:00:00');
    // Idempotency keys belong to a user.
    assert.equal((await send('/licenses/bulk', change, key, support)).status, 200);
    assert.equal(await ends(), '3000-01-01 00:00:00');
    const other = await send('/licenses/bulk', { ...change, extend_days: 30 }, key);
    assert.deepEqual([other.status, other.body.data.reason.code], [422, 'idempotency_key_reused']);
  });

  test('creates one license, and another one if the first was deleted or the request had been refused', async () => {
    const generator = await api.generator();
    const body = { generator_id: generator.id, status: 3 };
    const key = newKey();
    const first = await send('/licenses', body, key);
    assert.deepEqual(await send('/licenses', body, key), first);
    await manager.ok('DELETE', `/licenses/${first.body.id}`);
    assert.notEqual((await send('/licenses', body, key)).body.id, first.body.id);
    const taken = { license_key: newKey(), status: 3 };
    const { id } = await api.license({ license_key: taken.license_key });
    assert.equal((await send('/licenses', taken, `${key}-2`)).status, 409);
    await manager.ok('DELETE', `/licenses/${id}`);
    assert.equal((await send('/licenses', taken, `${key}-2`)).status, 200);
  });
});
