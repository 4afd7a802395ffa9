import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newKey } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const limited = await withApiKey(api, { products: [7, 8] });

const inside = () => api.license({ product_id: 7 });
const outside: [what: string, make: () => ReturnType<typeof inside>][] = [
  ['of another product', () => api.license({ product_id: 9 })],
  ['without a product', () => api.license()],
];

for (const [what, make] of outside) {
  for (const [method, path] of [
    ['GET', '/licenses/'],
    ['PUT', '/licenses/'],
    ['PATCH', '/licenses/'],
    ['POST', '/licenses/'],
    ['DELETE', '/licenses/'],
    ['GET', '/licenses/activate/'],
    ['POST', '/licenses/activate/'],
  ] as const) {
    test(`a license ${what} does not exist for a key of other products: ${method} ${path}… answers 404`, async () => {
      const { license_key } = await make();
      const json = method === 'GET' || method === 'DELETE' ? {} : { json: { order_id: 5 } };
      const body = await limited.fails(404, 'data_error', method, path + license_key, json);
      const unknown = await limited.fails(404, 'data_error', method, `${path}NO-SUCH`, json);
      assert.deepEqual(body.data, unknown.data);
      assert.equal(body.message.replace(license_key, 'NO-SUCH'), unknown.message);
      const still = await api.ok('GET', `/licenses/${license_key}`);
      assert.deepEqual([still.order_id, still.times_activated], [null, 0]);
    });
  }
  for (const route of ['validate', 'deactivate']) {
    test(`an activation of a license ${what} does not exist for a key of other products: ${route} answers 404`, async () => {
      const { license_key } = await make();
      const { token } = await api.activation(license_key);
      const body = await limited.fails(404, 'data_error', 'GET', `/licenses/${route}/${token}`);
      const unknown = await limited.fails(404, 'data_error', 'GET', `/licenses/${route}/${'0'.repeat(40)}`);
      assert.equal(body.message.replace(token, '0'.repeat(40)), unknown.message);
      assert.equal((await api.ok('GET', `/licenses/validate/${token}`)).deactivated_at, null);
    });
  }
  test(`a token of a license ${what} does not exist for a key of other products that activates with it`, async () => {
    const { token } = await api.activation((await make()).license_key);
    const mine = `/licenses/activate/${(await inside()).license_key}`;
    const body = await limited.fails(404, 'data_error', 'GET', mine, { query: { token } });
    const unknown = await limited.fails(404, 'data_error', 'GET', mine, { query: { token: '0'.repeat(40) } });
    assert.equal(body.message.replace(token, '0'.repeat(40)), unknown.message);
  });
  test(`lists of a limited key leave out licenses ${what}`, async () => {
    const order = 1 + Math.floor(Math.random() * 1e9);
    const mine = await api.license({ product_id: 8, order_id: order });
    const { license_key } = await make();
    await api.ok('PUT', `/licenses/${license_key}`, { json: { order_id: order } });
    const { body, headers } = await limited.call('GET', '/licenses', { query: { order_id: order } });
    assert.deepEqual(
      body.data.map(({ id }: { id: number }) => id),
      [mine.id],
    );
    assert.equal(headers.get('x-wp-total'), '1');
    assert.equal((await api.ok('GET', '/licenses', { query: { order_id: order } })).length, 2);
  });
}

test('a filter does not reach beyond the products of a key', async () => {
  const { license_key } = await api.license({ product_id: 9 });
  assert.deepEqual(await limited.ok('GET', '/licenses', { query: { product_id: 9 } }), []);
  assert.deepEqual(await limited.ok('GET', '/licenses', { query: { license_key } }), []);
});

test('a limited key reads, updates, activates and deletes a license of its products', async () => {
  const { license_key } = await inside();
  await limited.ok('GET', `/licenses/${license_key}`);
  await limited.ok('PUT', `/licenses/${license_key}`, { json: { product_id: 8 } });
  const { token } = await limited.activation(license_key);
  await limited.ok('GET', `/licenses/validate/${token}`);
  await limited.ok('GET', `/licenses/deactivate/${token}`);
  await limited.ok('DELETE', `/licenses/${license_key}`);
});

test('a limited key creates licenses of its products', async () => {
  assert.equal((await limited.license({ product_id: 8 })).product_id, 8);
});

for (const product_id of [undefined, null, '', 0, 9]) {
  test(`a limited key cannot create a license with product_id ${JSON.stringify(product_id)}: 422 naming it, nothing created`, async () => {
    const license_key = newKey();
    const json = { license_key, valid_for: 0, status: 3, activations_limit: 1, product_id };
    const body = await limited.fails(422, 'data_error', 'POST', '/licenses', { json });
    assert.deepEqual(Object.keys(body.data.params), ['product_id']);
    await api.fails(404, 'data_error', 'GET', `/licenses/${license_key}`);
  });
}

for (const product_id of [null, '', 0, 9]) {
  test(`a limited key cannot move a license to product_id ${JSON.stringify(product_id)}: 422, nothing changed`, async () => {
    const { license_key } = await inside();
    const json = { product_id, order_id: 5 };
    const body = await limited.fails(422, 'data_error', 'PUT', `/licenses/${license_key}`, { json });
    assert.deepEqual(Object.keys(body.data.params), ['product_id']);
    const still = await api.ok('GET', `/licenses/${license_key}`);
    assert.deepEqual([still.product_id, still.order_id, still.updated_at], [7, null, null]);
  });
}

test('generators have no product, so they do not exist for a limited key', async () => {
  const { id } = await api.generator();
  await limited.fails(404, 'data_error', 'GET', `/generators/${id}`);
  await limited.fails(404, 'data_error', 'PUT', `/generators/${id}`, { json: { name: 'x' } });
  await limited.fails(404, 'data_error', 'DELETE', `/generators/${id}`);
  await limited.fails(404, 'data_error', 'POST', `/generators/${id}/generate`, {
    json: { amount: 1, save: true, product_id: 7 },
  });
  const { body, headers } = await limited.call('GET', '/generators');
  assert.deepEqual([body.data, headers.get('x-wp-total')], [[], '0']);
  assert.equal((await api.ok('GET', `/generators/${id}`)).name, 'Test');
});

test('a limited key cannot create a generator: 403', async () => {
  const json = { name: 'n', charset: 'AB', chunks: 1, chunk_length: 1 };
  const before = await api.ok('GET', '/generators');
  await limited.fails(403, 'permission_denied', 'POST', '/generators', { json });
  await limited.fails(403, 'permission_denied', 'POST', '/licenses', { json });
  assert.deepEqual(await api.ok('GET', '/generators'), before);
});
