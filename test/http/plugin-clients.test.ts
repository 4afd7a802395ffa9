import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ApiKeyRights, CLIENT_PRESET } from '../../src/domain/api-key.ts';
import { runSql } from '../support/engine.ts';
import { type Api, basicHeader, newKey, type Record_ } from '../support/http/api.ts';
import { withApiKey } from '../support/http/api-keys.ts';
import { startService } from '../support/service.ts';
import { DATETIME } from './plugin-answers.ts';
import { CLIENTS, type Kept } from './plugin-clients.ts';

/** Tests the v1 API with API keys as a migration from the plugin creates them. */
const api = await startService({ after });
const LIKE_PLUGIN: Partial<ApiKeyRights> = { compatibility: 'plugin' };
const shop = await withApiKey(api, LIKE_PLUGIN);
const shipped = await withApiKey(api, { ...CLIENT_PRESET, ...LIKE_PLUGIN });
const KEYS = { shop, shipped };

for (const { name, apiKey, userAgent, license, steps } of CLIENTS) {
  const key = KEYS[apiKey];
  test(`${name}: ${steps.map(([does]) => does).join('; ')}`, async () => {
    const { id: software } = await api.software({ name: 'Acme' });
    await api.release(software);
    const kept: Kept = { key: newKey(), token: '', software };
    if (apiKey === 'shipped') await api.license({ license_key: kept.key, ...license });
    const headers = {
      authorization: basicHeader(key.credentials),
      ...(userAgent && { 'user-agent': userAgent }),
    };
    for (const [does, sends, reads, finds] of steps) {
      const { url, ...init } = sends(kept);
      const response = await fetch(`${new URL(api.root).origin}${url}`, { ...init, headers });
      const body = await response.json();
      const found = reads(body, kept);
      const expected = typeof finds === 'function' ? finds(kept) : finds;
      assert.deepEqual(found, expected, `${does}: ${JSON.stringify(body)}`);
    }
  });
}

test('with plugin compatibility, validating a deactivated activation succeeds and counts; without, it is refused', async () => {
  const { license_key } = await api.license();
  const { token } = await api.activation(license_key);
  await api.ok('GET', `/licenses/deactivate/${token}`);
  const validations = async () => {
    await api.service.usage.flush();
    const counts = await api.ok('GET', '/audit/counts');
    return counts.find(({ counted }: Record_) => counted === 'validations')?.count ?? 0;
  };
  const before = await validations();
  const { deactivated_at } = await shipped.ok('GET', `/licenses/validate/${token}`);
  assert.match(deactivated_at, DATETIME);
  assert.equal(await validations(), before + 1);
  await api.fails(404, 'data_error', 'GET', `/licenses/validate/${token}`);
  await shipped.fails(404, 'data_error', 'GET', `/licenses/validate/${'0'.repeat(40)}`);
  assert.equal(await validations(), before + 1);
});

test('with plugin compatibility, a new license needs a status but no validity and limit; without, it needs all three', async () => {
  const needed = { license_key: newKey(), status: 3 };
  const { valid_for, activations_limit, expires_at } = await shop.ok('POST', '/licenses', { json: needed });
  assert.deepEqual([valid_for, activations_limit, expires_at], [null, 0, null]);
  const read = await api.ok('GET', `/licenses/${needed.license_key}`);
  assert.deepEqual([read.valid_for, read.activations_limit], [0, 0]);
  const paramsOf = async (client: Api, json: object) =>
    Object.keys((await client.fails(422, 'data_error', 'POST', '/licenses', { json })).data.params);
  const other = { license_key: newKey() };
  assert.deepEqual(await paramsOf(shop, other), ['status']);
  assert.deepEqual(await paramsOf(api, other), ['valid_for', 'status', 'activations_limit']);
  // The values sent are still checked and used.
  const bad = { ...needed, license_key: newKey(), valid_for: -1, activations_limit: 'many' };
  assert.deepEqual(await paramsOf(shop, bad), ['valid_for', 'activations_limit']);
  const sent = { ...needed, license_key: newKey(), valid_for: 30, activations_limit: 2 };
  const whole = await shop.ok('POST', '/licenses', { json: sent });
  assert.deepEqual([whole.valid_for, whole.activations_limit], [30, 2]);
  assert.match(whole.expires_at, DATETIME);
});

test('numbers that the plugin does not have are null in records, lists and generators', async () => {
  const license = await api.license({ activations_limit: 0 });
  const generator = await api.generator();
  const one = `/generators/${generator.id}`;
  const sameBut = (record: object, nulls: readonly string[]) => ({
    ...record,
    ...Object.fromEntries(nulls.map((name) => [name, null])),
  });
  const [inList] = await shop.ok('GET', '/licenses', { query: { license_key: license.license_key } });
  assert.deepEqual(inList, sameBut(license, ['valid_for']));
  // A migration leaves a license like this if no user of the shop created it.
  await runSql(api.dataDir, `update licenses set created_by = 0 where id = ${license.id}`);
  const createdBy = async (client: Api) =>
    (await client.ok('GET', `/licenses/${license.license_key}`)).created_by;
  assert.deepEqual([await createdBy(shop), await createdBy(api)], [null, 0]);
  const updated = await shop.ok('PUT', `/licenses/${license.license_key}`, { json: { valid_for: 0 } });
  assert.deepEqual([updated.valid_for, updated.activations_limit, updated.updated_by], [null, 0, 1]);
  const documented = await api.ok('GET', one);
  const nulls = ['activations_limit', 'expires_in'];
  assert.deepEqual(await shop.ok('GET', one), sameBut(documented, nulls));
  assert.deepEqual((await shop.ok('GET', '/generators'))[0], sameBut(documented, nulls));
  const changed = await shop.ok('PUT', one, { json: { name: 'Changed' } });
  for (const name of [...nulls, 'timesActivatedMax', 'expiresIn']) assert.equal(changed[name], null, name);
  assert.equal(changed.createdBy, 1);
});
