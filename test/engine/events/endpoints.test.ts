import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { generateKeys } from '../../../src/app/batches/generate-keys.ts';
import { LICENSE_SOURCE } from '../../../src/domain/licenses/license.ts';
import { actor, audited } from '../../support/audited/audited.ts';
import { numberOf } from '../../support/engine.ts';
import { eventsAt, newEndpoint } from '../../support/events.ts';
import { startService } from '../../support/service.ts';

let now = Date.parse('2031-05-01T10:00:00Z');
const api = await startService({ after }, { clock: () => now });
const { execute } = api.service;
const { must } = audited(api);
const all = await newEndpoint(api, { kind: 'poll' });
const stored = () => numberOf(api.dataDir, 'select count(*) from events');

test('an endpoint gets the events of its types and products, numbered from 1', async () => {
  const [created, product] = await Promise.all([
    newEndpoint(api, { kind: 'poll', types: ['license.created'] }),
    newEndpoint(api, { kind: 'poll', products: [0] }),
  ]);
  const { license_key: key } = await api.license({ product_id: 0 });
  await api.activation(key);
  for (const product_id of [42, null]) await api.license({ product_id });
  for (const json of [{ product_id: 42 }, { valid_for: 9 }])
    await api.ok('PUT', `/licenses/${key}`, { json });
  const types = async (id: number) => (await eventsAt(api, id)).map(({ type }) => type);
  assert.deepEqual(await types(created.id), Array(3).fill('license.created'));
  assert.deepEqual(await types(product.id), ['license.created', 'activation.created', 'license.updated']);
  for (const { id } of [created, product])
    await must(execute('delete-event-endpoint', { named: String(id) }, actor));
});

test('an endpoint gets the events of its products, even if the license was deleted before the events were numbered', async () => {
  const types = ['license.created', 'activation.ended'] as const;
  const shop = await newEndpoint(api, { kind: 'poll', types, products: [43] });
  const { id: generator } = await api.generator();
  const input = { amount: 1, save: true, status: null, orderId: null, productId: 43, userId: null };
  const order = { named: String(generator), input, source: LICENSE_SOURCE.api };
  await must(generateKeys(api.service, order, actor));
  const [{ license_key: key } = {}] = await api.ok('GET', '/licenses', { query: { per_page: '1' } });
  await api.ok('DELETE', `/licenses/${key}`);
  const floating = await api.license({ product_id: 43, activations_limit: 1, seat_ttl: 60 });
  await api.activation(floating.license_key, { fingerprint: 'one' });
  now += 120_000;
  await api.activation(floating.license_key, { fingerprint: 'two' });
  await api.ok('DELETE', `/licenses/${floating.license_key}`);
  assert.deepEqual(
    (await eventsAt(api, shop.id)).map(({ type }) => type),
    ['license.created', 'license.created', 'activation.ended'],
  );
  await must(execute('delete-event-endpoint', { named: String(shop.id) }, actor));
});

test('an endpoint gets no events while it is disabled, and the service stores none', async () => {
  await must(
    execute('update-event-endpoint', { named: String(all.id), changes: { isEnabled: false } }, actor),
  );
  await api.service.store.settled();
  const before = await stored();
  const { license_key: key } = await api.license({ activations_limit: 1 });
  await api.activation(key);
  await api.fails(404, 'license_activation_limit_reached', 'GET', `/licenses/activate/${key}`);
  assert.equal(await stored(), before);
});

test('an endpoint gets no event that a license outside its products is full, and the service stores none', async () => {
  const shop = await newEndpoint(api, { kind: 'poll', types: ['license.limit_reached'], products: [44] });
  const before = await stored();
  for (const product_id of [45, null, 44]) {
    const { license_key: key } = await api.license({ product_id, activations_limit: 1 });
    await api.activation(key);
    await api.fails(404, 'license_activation_limit_reached', 'GET', `/licenses/activate/${key}`);
  }
  assert.equal(await stored(), before + 1);
  assert.deepEqual(
    (await eventsAt(api, shop.id)).map(({ data }) => data.product_id),
    [44],
  );
});
