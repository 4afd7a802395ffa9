import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ROLES } from '../../../src/domain/user.ts';
import { signedIn } from '../../support/console/console.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const manager = await signedIn(api, 'manager');

test('products come from licenses, software and API keys, and are named after their software', async () => {
  assert.deepEqual(await manager.ok('GET', '/products'), { items: [], is_more: false });
  for (const product_id of [7, 9, 9, 0, null]) await api.license({ product_id });
  const software = async (name: string, product_ids: number[]) =>
    manager.ok('POST', '/software', { name, product_ids });
  for (const name of ['Forms', 'Forms Pro', 'Forms, "all" of it', 'Late']) await software(name, [9, 10]);
  await software('Of all products', []);
  const { api_key: revoked } = await manager.ok('POST', '/api-keys', { products: [77] });
  await manager.ok('DELETE', `/api-keys/${revoked.id}`);
  await manager.ok('POST', '/api-keys', { products: [10, 3] });

  const names = ['Forms', 'Forms Pro', 'Forms, "all" of it'];
  const items = [
    { id: 0, names: [], sources: ['licenses'] },
    { id: 3, names: [], sources: ['api_keys'] },
    { id: 7, names: [], sources: ['licenses'] },
    { id: 9, names, sources: ['licenses', 'software'] },
    { id: 10, names, sources: ['software', 'api_keys'] },
  ];
  assert.deepEqual(await manager.ok('GET', '/products'), { items, is_more: false });

  // Only users who manage API keys see which products API keys are limited to.
  const withoutKeys = items
    .map(({ sources, ...one }) => ({ ...one, sources: sources.filter((source) => source !== 'api_keys') }))
    .filter(({ sources }) => sources.length > 0);
  for (const role of ROLES) {
    const seen = await (await signedIn(api, role)).ok('GET', '/products');
    assert.deepEqual(seen.items, ['owner', 'manager'].includes(role) ? items : withoutKeys, role);
  }
});

test('the answer has the first two hundred products, and says if there are more', async (t) => {
  const other = await startService(t);
  const viewer = await signedIn(other, 'viewer');
  const owner = await signedIn(other, 'owner');
  const many = Array.from({ length: 201 }, (_, i) => 2 * i + 1);
  const made = await owner.ok('POST', '/software', { name: 'Aurora', product_ids: many.slice(1) });
  const idsOf = ({ items }: Record_) => items.map(({ id }: Record_) => id);
  const all = await viewer.ok('GET', '/products');
  assert.deepEqual([idsOf(all), all.is_more], [many.slice(1), false]);
  await owner.ok('PATCH', `/software/${made.id}`, { product_ids: many });
  const some = await viewer.ok('GET', '/products');
  assert.deepEqual([idsOf(some), some.is_more], [many.slice(0, 200), true]);
  // A license brings one of the omitted products into the answer, with its name.
  await other.license({ product_id: 401 });
  const { items } = await viewer.ok('GET', '/products');
  assert.deepEqual(items.at(-1), { id: 401, names: ['Aurora'], sources: ['licenses'] });
});
