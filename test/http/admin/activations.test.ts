import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { signedIn } from '../../support/console/console.ts';
import { newName, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const [manager, support, viewer] = await Promise.all([
  signedIn(api, 'manager'),
  signedIn(api, 'support'),
  signedIn(api, 'viewer'),
]);
const idsOf = (page: Record_): number[] => page.items.map(({ id }: Record_) => id);

test('activations are found by their license, software, state, address, and how their label begins', async () => {
  const license = await api.license({ activations_limit: 0 });
  const software = await api.software();
  const label = newName();
  const one = await api.activation(license.license_key, { label, software: software.id });
  const other = await api.activation(license.license_key, { label: `${label}-2`, meta: '' });
  await api.ok('GET', `/licenses/deactivate/${other.token}`);
  const found = async (query: string) => idsOf(await viewer.ok('GET', `/activations?${query}`));
  assert.deepEqual(await found(`license_id=${license.id}`), [other.id, one.id]);
  assert.deepEqual(await found(`label=${label.toLowerCase()}`), [other.id, one.id]);
  assert.deepEqual(await found(`label=${label}&state=deactivated`), [other.id]);
  assert.deepEqual(await found(`license_id=${license.id}&state=valid`), [one.id]);
  assert.deepEqual(await found(`software_id=${software.id}`), [one.id]);
  assert.deepEqual(await found(`address=127.0.0.1&label=${label}&limit=1`), [other.id]);
  assert.deepEqual(idsOf(await viewer.ok('GET', `/licenses/${license.id}/activations`)), [other.id, one.id]);

  const [, shown] = (await support.ok('GET', `/activations?license_id=${license.id}`)).items;
  assert.deepEqual(
    [
      shown.license_key,
      shown.is_masked,
      shown.software_name,
      shown.label,
      shown.ip_address,
      shown.deactivated_at,
    ],
    [`…${license.license_key.slice(-4)}`, true, software.name, label, '127.0.0.1', null],
  );
  assert.ok(!JSON.stringify(shown).includes(one.token));
});

test('an activation is ended, made valid again within the limit, and deleted; its place follows', async () => {
  const license = await api.license({ activations_limit: 1 });
  const { id } = await api.activation(license.license_key);
  const taken = async () => (await viewer.ok('GET', `/licenses/${license.id}`)).times_activated;
  assert.ok((await support.ok('POST', `/activations/${id}/deactivate`)).deactivated_at);
  assert.equal(await taken(), 0);
  assert.equal((await support.post(`/activations/${id}/deactivate`)).status, 404);

  const second = await api.activation(license.license_key);
  const full = await support.post(`/activations/${id}/reactivate`);
  assert.deepEqual([full.status, full.body.code], [404, 'license_activation_limit_reached']);
  await manager.ok('DELETE', `/activations/${second.id}`);
  assert.equal(await taken(), 0);
  assert.equal((await support.ok('POST', `/activations/${id}/reactivate`)).deactivated_at, null);
  assert.equal(await taken(), 1);
  await manager.ok('PATCH', `/licenses/${license.id}`, { status: 5 });
  await support.ok('POST', `/activations/${id}/deactivate`);
  assert.equal((await support.post(`/activations/${id}/reactivate`)).body.code, 'license_disabled');
  await manager.ok('DELETE', `/activations/${id}`);
  assert.equal(await taken(), 0);
  const { items } = await viewer.ok('GET', `/licenses/${license.id}/history`);
  assert.deepEqual(
    items
      .filter(({ action }: Record_) => action === 'activation.delete')
      .map(({ about }: Record_) => about.was_valid),
    [false, true],
  );
});

test('viewers end none, support deletes none, and what is not there is 404', async () => {
  const license = await api.license();
  const { id } = await api.activation(license.license_key);
  for (const refused of [
    viewer.post(`/activations/${id}/deactivate`),
    viewer.post(`/activations/${id}/reactivate`),
    viewer.delete(`/activations/${id}`),
    support.delete(`/activations/${id}`),
  ])
    assert.equal((await refused).status, 403);
  assert.equal((await viewer.ok('GET', `/licenses/${license.id}`)).times_activated, 1);
  for (const gone of [999_999, 'x']) {
    assert.equal((await manager.delete(`/activations/${gone}`)).status, 404);
    assert.equal((await manager.post(`/activations/${gone}/deactivate`)).status, 404);
  }
});
