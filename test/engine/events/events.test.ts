import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { hashCredentials, makeCredentials } from '../../../src/app/api-keys/credentials.ts';
import { generateKeys } from '../../../src/app/batches/generate-keys.ts';
import { tellAllExpiries } from '../../../src/app/events/expiries.ts';
import { restoreAll } from '../../../src/app/licenses/trash.ts';
import { DAY_MS, toDatetime } from '../../../src/domain/datetime.ts';
import { exampleEvent } from '../../../src/domain/events/catalog.ts';
import { ALL_EVENT_TYPES, bodyOf } from '../../../src/domain/events/event.ts';
import { LICENSE_SOURCE } from '../../../src/domain/licenses/license.ts';
import { actor, audited } from '../../support/audited/audited.ts';
import { batchChanges } from '../../support/audited/audited-batches.ts';
import { eventsAt, eventsOf, newEndpoint } from '../../support/events.ts';
import { newKey, type Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

const START = Date.parse('2031-05-01T10:00:00Z');
let now = START;
const api = await startService({ after }, { clock: () => now });
const { execute } = api.service;
const { must, newApiKey } = audited(api);
const all = await newEndpoint(api, { kind: 'poll' });
const told = (act: () => Promise<unknown>) => eventsOf(api, all.id, act);
const typesOf = async (act: () => Promise<unknown>) => (await told(act)).map(({ type }) => type);

suite('an event is sent', () => {
  test('for a license, with the license as in the API, but without its key', async () => {
    const key = newKey();
    let license: Record_;
    const [created] = await told(async () => {
      license = await api.license({ license_key: key, product_id: 7 });
    });
    const { license_key, ...shown } = license;
    assert.deepEqual(created, {
      type: 'license.created',
      id: created.id,
      timestamp: '2031-05-01T10:00:00Z',
      format: 1,
      seq: created.seq,
      version: created.version,
      data: { object: 'license', ...shown },
    });
    assert.match(created.id, /^evt_[0-9a-f]{32}$/);
    assert.equal(license_key, key);
    assert.ok(!JSON.stringify(created).includes(key));
    const json = { status: 5, expires_at: '2032-01-01' };
    const updated = await told(() => api.ok('PUT', `/licenses/${key}`, { json }));
    assert.deepEqual(
      updated.map(({ type, previous }) => [type, previous]),
      ['license.updated', 'license.disabled'].map((type) => [type, { expires_at: null, status: 3 }]),
    );
    assert.ok(updated[0].version > created.version && updated[1].version > updated[0].version);
    assert.equal(updated[0].data.expires_at, '2032-01-01 00:00:00');
    assert.deepEqual(
      await typesOf(() => api.ok('PUT', `/licenses/${key}`, { json: { status: 3, expires_at: null } })),
      ['license.updated', 'license.enabled', 'license.renewed'],
    );
    assert.deepEqual(await typesOf(() => api.ok('PUT', `/licenses/${key}`, { json: { status: 3 } })), []);
    const other = newKey();
    const [renamed] = await told(() => api.ok('PUT', `/licenses/${key}`, { json: { license_key: other } }));
    assert.deepEqual([renamed?.type, renamed?.previous], ['license.updated', {}]);
    const [deleted] = await told(() => api.ok('DELETE', `/licenses/${other}`));
    assert.deepEqual([deleted.type, deleted.data.id], ['license.deleted', license.id]);
    const restore = () => restoreAll(execute, [license.id], actor);
    assert.deepEqual(await typesOf(restore), ['license.restored']);
  });

  test('for an activation, with its license, but without its token', async () => {
    const { license_key: key, id } = await api.license({ activations_limit: 3 });
    let activation: Record_;
    const [created] = await told(async () => {
      activation = await api.activation(key, { label: 'Office' });
    });
    assert.equal(created.type, 'activation.created');
    const { data } = created;
    assert.deepEqual([data.object, data.id, data.label], ['activation', activation.id, 'Office']);
    assert.deepEqual([data.license.id, data.license.times_activated], [id, 1]);
    assert.ok(!JSON.stringify(created).includes(activation.token));
    assert.ok(!JSON.stringify(created).includes(key));
    const path = `/licenses/deactivate/${activation.token}`;
    const [ended] = await told(() => api.ok('GET', path));
    assert.deepEqual([ended.type, ended.data.license.times_activated], ['activation.ended', 0]);
    assert.deepEqual(
      [ended.data.deactivated_at, ended.data.ended_as],
      ['2031-05-01 10:00:00', 'deactivated'],
    );
    const again = { query: { token: activation.token } };
    assert.deepEqual(await typesOf(() => api.ok('GET', `/licenses/activate/${key}`, again)), [
      'activation.reactivated',
    ]);
  });

  test('for a seat that lapses or is reclaimed', async () => {
    const floating = await api.license({ activations_limit: 1, seat_ttl: 60 });
    await api.activation(floating.license_key, { fingerprint: 'one' });
    now += 120_000;
    const lapsed = await told(() => api.activation(floating.license_key, { fingerprint: 'two' }));
    assert.deepEqual(
      lapsed.map(({ type, data }) => [type, data.ended_as, data.license.id]),
      [
        ['activation.ended', 'lapsed', floating.id],
        ['activation.created', null, floating.id],
      ],
    );
    const reclaiming = await api.license({ activations_limit: 1, reclaim_after_days: 1 });
    const path = `/licenses/${reclaiming.license_key}`;
    await api.ok('PUT', path, { json: { activations_limit: 2 } });
    for (const fingerprint of ['one', 'two']) await api.activation(reclaiming.license_key, { fingerprint });
    await api.ok('PUT', path, { json: { activations_limit: 1 } });
    now += 3 * DAY_MS;
    const reclaimed = await told(() => api.activation(reclaiming.license_key, { fingerprint: 'three' }));
    assert.deepEqual(
      reclaimed.map(({ type, data }) => [type, data.license.times_activated]),
      [
        ['activation.reclaimed', 1],
        ['activation.reclaimed', 0],
        ['activation.created', 1],
      ],
    );
    now = START;
  });

  test('for a seat that lapses before its device takes one again', async () => {
    const { license_key: key } = await api.license({ activations_limit: 2, seat_ttl: 60 });
    const { id, token } = await api.activation(key, { fingerprint: 'one' });
    await api.activation(key, { fingerprint: 'two' });
    await api.ok('PUT', `/licenses/${key}`, { json: { activations_limit: 1 } });
    now += 61_000;
    const events = await told(() => api.ok('GET', `/licenses/validate/${token}`));
    now = START;
    assert.deepEqual(
      events
        .filter(({ data }) => data.id === id)
        .map(({ type, data }) => [type, data.ended_as, data.deactivated_at]),
      [
        ['activation.ended', 'lapsed', '2031-05-01 10:01:01'],
        ['activation.reactivated', null, null],
      ],
    );
  });

  test('with a license that does not count lapsed seats', async () => {
    const { license_key: key, id } = await api.license({ seat_ttl: 60 });
    await api.activation(key, { fingerprint: 'one' });
    now += 61_000;
    const other = await api.activation(key, { fingerprint: 'two' });
    const events = await told(async () => {
      await must(execute('delete-activation', { id: other.id }, actor));
      await api.ok('DELETE', `/licenses/${key}`);
      await restoreAll(execute, [id], actor);
    });
    now = START;
    assert.deepEqual(
      events.map(({ type, data }) => [type, (data.license ?? data).times_activated]),
      [
        ['activation.ended', 0],
        ['license.deleted', 0],
        ['license.restored', 0],
      ],
    );
  });

  test('for a license that floats no longer, without its lapsed seats', async () => {
    const { license_key: key } = await api.license({ activations_limit: 1, seat_ttl: 60 });
    await api.activation(key, { fingerprint: 'one' });
    now += 61_000;
    const json = { seat_ttl: 0 };
    const [ended, updated] = await told(() => api.ok('PUT', `/licenses/${key}`, { json }));
    now = START;
    assert.deepEqual([ended?.type, updated?.type], ['activation.ended', 'license.updated']);
    assert.deepEqual([updated?.data.times_activated, updated?.previous], [0, { seat_ttl: 60 }]);
  });

  test('for each license of a batch', async () => {
    const { id } = await api.generator({ charset: 'ABCDEFGH', chunks: 4, chunk_length: 6 });
    const input = { amount: 30, save: true, status: null, orderId: null, productId: 9, userId: null };
    const order = { named: String(id), input, source: LICENSE_SOURCE.api };
    const events = await told(() => generateKeys(api.service, order, actor));
    assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['license.created']));
    assert.equal(new Set(events.map(({ data }) => data.id)).size, 30);
    assert.ok(events.every(({ data }) => data.product_id === 9 && data.license_key === undefined));
  });

  test('for generators, software, releases and API keys', async () => {
    const { id: generator } = await api.generator();
    assert.deepEqual(
      await typesOf(() => api.ok('PUT', `/generators/${generator}`, { json: { activations_limit: 77 } })),
      ['generator.updated'],
    );
    assert.deepEqual(await typesOf(() => api.ok('DELETE', `/generators/${generator}`)), [
      'generator.deleted',
    ]);
    let software = 0;
    const [made] = await told(async () => {
      software = (await api.software({ product_ids: [3] })).id;
    });
    assert.deepEqual([made.type, made.data.icons, made.data.banners], ['software.created', {}, {}]);
    let release: Record_;
    const published = await told(async () => {
      release = await api.release(software);
    });
    assert.deepEqual(
      published.map(({ type, data }) => [type, data.version, data.status]),
      ['release.created', 'release.published'].map((type) => [type, '1.0.0', 'published']),
    );
    const at = `/software/${software}/releases/${release.id}`;
    assert.deepEqual(await typesOf(() => api.ok('PUT', at, { json: { status: 'yanked' } })), [
      'release.updated',
      'release.yanked',
    ]);
    assert.deepEqual(await typesOf(() => api.ok('DELETE', at)), ['release.deleted']);
    assert.deepEqual(await typesOf(() => api.ok('DELETE', `/software/${software}`)), ['software.deleted']);
    const [created] = await told(() => newApiKey());
    assert.equal(created.type, 'api_key.created');
    const { id } = created.data;
    for (const name of ['key_hash', 'secret_hash', 'consumer_key']) assert.ok(!(name in created.data), name);
    // A rotation without a grace period.
    const hashed = hashCredentials(makeCredentials());
    const [replacement, ...ended] = await told(() =>
      must(execute('rotate-api-key', { id, ...hashed, endsAt: null }, actor)),
    );
    assert.equal(replacement.type, 'api_key.created');
    const when = '2031-05-01 10:00:00';
    assert.deepEqual(
      ended.map(({ type, data }) => [type, data.id, data.replaced_by, data.revoked_at]),
      ['api_key.rotated', 'api_key.revoked'].map((type) => [type, id, replacement.data.id, when]),
    );
  });

  test('for a full license, at most once an hour', async () => {
    const { license_key: key, id } = await api.license({ activations_limit: 1 });
    await api.activation(key);
    const refused = () =>
      api.fails(404, 'license_activation_limit_reached', 'GET', `/licenses/activate/${key}`);
    const [full] = await told(() => Promise.all([refused(), refused(), refused()]));
    assert.deepEqual([full.type, full.data.id], ['license.limit_reached', id]);
    now += 59 * 60_000;
    assert.deepEqual(await typesOf(refused), []);
    now += 2 * 60_000;
    assert.deepEqual(await typesOf(refused), ['license.limit_reached']);
    now = START;
  });

  test('only for a change that was made, not for a refused one', async () => {
    const { license_key: key } = await api.license({ status: 5 });
    assert.deepEqual(
      await typesOf(() => api.fails(405, 'license_disabled', 'GET', `/licenses/activate/${key}`)),
      [],
    );
    assert.deepEqual(
      await typesOf(() =>
        api.fails(409, 'data_error', 'POST', '/licenses', {
          json: { license_key: key, status: 3, valid_for: 0, activations_limit: 1 },
        }),
      ),
      [],
    );
  });
});

test('events have the fields of their type that the catalogue shows', async () => {
  const license = await api.license();
  await api.activation(license.license_key);
  await api.ok('DELETE', `/licenses/${license.license_key}`);
  const { id } = await api.software();
  await api.ok('PUT', `/software/${id}`, { json: { tested: '6.9' } });
  const { apiKeyId } = await withApiKey(api);
  const change = { changes: { description: 'Shop' }, configuredKey: null };
  await must(execute('update-api-key', { id: apiKeyId, ...change }, actor));
  const made = { ...hashCredentials(makeCredentials()), endsAt: '2031-06-01 00:00:00' };
  await must(execute('rotate-api-key', { id: apiKeyId, ...made }, actor));
  await must(execute('send-test-event', { named: String(all.id) }, actor));
  const [, moveIn] = batchChanges(api)['commit-move'] ?? assert.fail();
  await execute('commit-move', await moveIn(), actor);
  await api.license({ expires_at: toDatetime(now + 8 * DAY_MS) });
  for (const days of [0, 2, 7]) {
    now += days * DAY_MS;
    await tellAllExpiries(execute, [7]);
  }
  const ended = await api.license();
  const json = { expires_at: toDatetime(now - 1_000) };
  await api.ok('PUT', `/licenses/${ended.license_key}`, { json });
  now = START;
  const events = Map.groupBy(await eventsAt(api, all.id), ({ type }) => type);
  assert.deepEqual([...events.keys()].toSorted(), ALL_EVENT_TYPES.toSorted());
  for (const [type, told] of events) {
    const example = JSON.parse(bodyOf(exampleEvent(type), 1));
    for (const event of told) {
      const fields = (of: Record_) => Object.keys(of).toSorted().join();
      assert.equal(fields(event.data), fields(example.data), type);
      assert.equal(fields(event.data.license ?? {}), fields(example.data.license ?? {}), type);
      assert.equal(fields({ ...event, previous: 0 }), fields({ ...example, previous: 0 }), type);
    }
  }
});
