import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { ENDPOINTS, type Endpoint } from '../../../src/domain/api-key.ts';
import { DEFAULT_TERMS, newKey, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { lmfwc, refusedInside } from './lmfwc.ts';

const api = await startService({ after }, { clock: () => Date.parse('2030-06-01T12:00:00Z') });
const v2 = await lmfwc(api, 2);
const v3 = await lmfwc(api, 3);
const { license_key: some } = await api.license();
const TEMPLATE = {
  name: 'By the API',
  charset: 'ABCDEF0123456789',
  chunks: 4,
  chunk_length: 5,
  times_activated_max: 2,
  separator: '-',
  prefix: 'PRE-',
  suffix: '-FIX',
  expires_in: 10,
};

suite('licenses', () => {
  test('are created and read in the shape that the plugin documents', async () => {
    const license_key = newKey();
    const body = { product_id: '25', license_key, status: 'active', times_activated_max: 3, user_id: '1' };
    const license = await v2.ok('POST', '/licenses', { json: { ...body, expires_at: '2031-11-01' } });
    assert.deepEqual(license, {
      id: license.id,
      orderId: null,
      productId: 25,
      userId: 1,
      licenseKey: license_key,
      expiresAt: '2031-11-01 00:00:00',
      validFor: null,
      source: 3,
      status: 3,
      timesActivated: 0,
      timesActivatedMax: 3,
      createdAt: '2030-06-01 12:00:00',
      createdBy: 1,
      updatedAt: null,
      updatedBy: null,
    });
    assert.deepEqual(await v2.ok('GET', `/licenses/${license_key}`), license);
    assert.deepEqual(await v3.ok('GET', `/licenses/${license_key}`), { ...license, activationData: [] });
  });
  test('take an expiry date without a zone, which is UTC', async () => {
    const license_key = newKey();
    await v2.ok('POST', '/licenses', { json: { license_key } });
    const sent = { json: { expires_at: '2031-02-03T04:05:06' } };
    const { expiresAt } = await v2.ok('PUT', `/licenses/${license_key}`, sent);
    assert.equal(expiresAt, '2031-02-03 04:05:06');
  });
  test('need only a key, and are then inactive, without a maximum or an expiry date', async () => {
    const { status, timesActivatedMax, validFor, expiresAt } = await v3.ok('POST', '/licenses', {
      json: { license_key: newKey(), status: null, times_activated_max: null },
    });
    assert.deepEqual(
      { status, timesActivatedMax, validFor, expiresAt },
      {
        status: 4,
        timesActivatedMax: null,
        validFor: null,
        expiresAt: null,
      },
    );
  });
  test('last for a number of days from now, unless a date is sent too', async () => {
    const json = { license_key: newKey(), valid_for: 10 };
    const days = await v3.ok('POST', '/licenses', { json });
    assert.deepEqual([days.validFor, days.expiresAt], [10, '2030-06-11 12:00:00']);
    const dated = { ...json, license_key: newKey(), expires_at: '2030-07-01 00:00:00' };
    const date = await v3.ok('POST', '/licenses', { json: dated });
    assert.deepEqual([date.validFor, date.expiresAt], [null, '2030-07-01 00:00:00']);
  });

  const BAD: [body: Record<string, unknown>, text: RegExp][] = [
    [{ license_key: '' }, /^license_key is required\.$/],
    [{ license_key: 7 }, /^license_key must be text/],
    [{ status: 'expired' }, /^status must be one of 1 \(sold\)/],
    [{ times_activated_max: -1 }, /^times_activated_max must be an integer/],
    [{ valid_for: 'ten' }, /^valid_for must be an integer/],
    [{ expires_at: 'tomorrow' }, /^expires_at must be an existing date/],
    [{ product_id: 'abc' }, /^product_id must be an integer/],
    [{ license_key: some }, /^This license key already exists\.$/],
  ];
  for (const [body, text] of BAD) {
    test(`${JSON.stringify(body).replace(some, '{taken}')} is refused by name and changes nothing`, async () => {
      const json = { license_key: newKey(), ...body };
      const { message } = await v2.fails(404, 'lmfwc_rest_data_error', 'POST', '/licenses', { json });
      assert.match(message, text);
      if (body.license_key === '') return;
      const { license_key: key } = await api.license();
      const before = await v2.ok('GET', `/licenses/${key}`);
      await v2.fails(404, 'lmfwc_rest_data_error', 'PUT', `/licenses/${key}`, {
        json: { order_id: 1, ...body },
      });
      assert.deepEqual(await v2.ok('GET', `/licenses/${key}`), before);
    });
  }

  for (const [version, client] of [
    [2, v2],
    [3, v3],
  ] as const) {
    test(`a JSON PUT changes only the fields sent, including the key (${version})`, async () => {
      const { license_key: key } = await api.license({ valid_for: 10, activations_limit: 5 });
      const renamed = newKey();
      const json = { license_key: renamed, status: 'sold', times_activated_max: null, order_id: 9 };
      const license = await client.ok('PUT', `/licenses/${key}`, { json });
      const { licenseKey, status, timesActivatedMax, orderId, validFor, updatedAt } = license;
      assert.deepEqual([licenseKey, status, timesActivatedMax, orderId], [renamed, 1, null, 9]);
      assert.deepEqual([validFor, updatedAt], [10, '2030-06-01 12:00:00']);
      const { validFor: days, expiresAt } = await client.ok('PUT', `/licenses/${renamed}`, {
        json: { expires_at: '2032-01-01' },
      });
      assert.deepEqual([days, expiresAt], [null, '2032-01-01 00:00:00'], 'a date replaces the days');
      await client.fails(404, 'lmfwc_rest_data_error', 'PUT', `/licenses/${key}`, { json });
    });
  }
  for (const expires_at of [null, '']) {
    test(`an update without a date keeps the days: expires_at ${JSON.stringify(expires_at)}`, async () => {
      const { license_key: key } = await api.license({ valid_for: 10 });
      const kept = await v3.ok('PUT', `/licenses/${key}`, { json: { expires_at } });
      assert.deepEqual([kept.validFor, kept.expiresAt], [10, null]);
      const changed = await v3.ok('PUT', `/licenses/${key}`, { json: { expires_at, valid_for: 20 } });
      assert.deepEqual([changed.validFor, changed.expiresAt], [20, null]);
    });
  }
  test('keep their terms when updated, and so do generators; new licenses have the default terms', async () => {
    const policy = {
      seat_ttl: 600,
      reclaim_after_days: 30,
      match: 'label',
      takeovers_per_month: 2,
      entitlements: ['pro'],
    };
    const policyOf = (record: Record_) =>
      Object.fromEntries(Object.keys(policy).map((name) => [name, record[name]]));
    const { license_key: key } = await api.license(policy);
    await v3.ok('PUT', `/licenses/${key}`, { json: { status: 'sold', times_activated_max: 9 } });
    assert.deepEqual(policyOf(await api.ok('GET', `/licenses/${key}`)), policy);
    const { id } = await api.generator(policy);
    await v3.ok('PUT', `/generators/${id}`, { json: { times_activated_max: 9 } });
    assert.deepEqual(policyOf(await api.ok('GET', `/generators/${id}`)), policy);
    const { licenseKey } = await v3.ok('POST', '/licenses', { json: { license_key: newKey() } });
    assert.deepEqual(policyOf(await api.ok('GET', `/licenses/${licenseKey}`)), policyOf(DEFAULT_TERMS));
  });
  test('appear inactive to these clients if disabled, and cannot be activated', async () => {
    const { license_key: key } = await api.license({ status: 5 });
    assert.equal((await v3.ok('GET', `/licenses/${key}`)).status, 4);
    const text = `License Key: ${key} is disabled.`;
    const path = `/licenses/activate/${key}`;
    assert.equal((await v2.fails(404, 'lmfwc_rest_data_error', 'GET', path)).message, text);
    assert.equal(await refusedInside(v3, path), text);
  });
  test('are listed in full, oldest first; an API key of other products gets none', async () => {
    const generator = await api.generator();
    const order = { amount: 201, save: true, product_id: 7001 };
    const keys = await api.ok('POST', `/generators/${generator.id}/generate`, { json: order });
    await api.activation(keys[200], { label: 'last' });
    const [two, three] = [
      await lmfwc(api, 2, { products: [7001] }),
      await lmfwc(api, 3, { products: [7001] }),
    ];
    const listed = await two.ok('GET', '/licenses');
    assert.deepEqual(
      listed.map(({ licenseKey }: Record_) => licenseKey),
      keys,
    );
    assert.deepEqual(listed[0], await two.ok('GET', `/licenses/${keys[0]}`));
    const whole = await three.ok('GET', '/licenses');
    assert.equal(whole.length, 201);
    for (const at of [0, 200]) assert.deepEqual(whole[at], await three.ok('GET', `/licenses/${keys[at]}`));
    assert.equal(whole[200].activationData[0].label, 'last');
    const none = await lmfwc(api, 3, { products: [7002] });
    const { message } = await none.fails(404, 'lmfwc_rest_data_error', 'GET', '/licenses');
    assert.equal(message, 'No License Keys available');
    await none.fails(404, 'lmfwc_rest_data_error', 'GET', `/licenses/${keys[0]}`);
  });
  test('are deleted in version 3', async () => {
    const { license_key: key } = await api.license();
    await v2.fails(404, 'rest_no_route', 'DELETE', `/licenses/${key}`);
    assert.deepEqual(await v3.ok('DELETE', `/licenses/${key}`), []);
    const { message } = await v3.fails(404, 'lmfwc_rest_data_error', 'DELETE', `/licenses/${key}`);
    assert.equal(message, `License Key: ${key} could not be found.`);
  });
});

suite('generators', () => {
  test('are created, changed, listed and deleted', async () => {
    const generator = await v2.ok('POST', '/generators', { json: TEMPLATE });
    assert.deepEqual(generator, {
      id: generator.id,
      name: 'By the API',
      charset: 'ABCDEF0123456789',
      chunks: 4,
      chunkLength: 5,
      timesActivatedMax: '2',
      separator: '-',
      prefix: 'PRE-',
      suffix: '-FIX',
      expiresIn: '10',
      createdAt: '2030-06-01 12:00:00',
      createdBy: '1',
      updatedAt: null,
      updatedBy: null,
    });
    const path = `/generators/${generator.id}`;
    assert.deepEqual(await v3.ok('GET', path), generator);
    assert.deepEqual((await v3.ok('GET', '/generators'))[0], generator);
    const { name, timesActivatedMax, expiresIn } = await v3.ok('POST', path, {
      json: { name: 'Other', times_activated_max: 0, expires_in: null },
    });
    assert.deepEqual([name, timesActivatedMax, expiresIn], ['Other', null, null]);
    const sent = { json: { ...TEMPLATE, name: '' } };
    const { message } = await v3.fails(404, 'lmfwc_rest_data_error', 'POST', '/generators', sent);
    assert.equal(message, 'name is required.');
    await v2.fails(404, 'rest_no_route', 'DELETE', path);
    assert.deepEqual(await v3.ok('DELETE', path), []);
    const gone = await v3.fails(404, 'lmfwc_rest_data_error', 'GET', path);
    assert.equal(gone.message, `Generator with ID: ${generator.id} could not be found.`);
  });
  test('generate keys and store them as licenses', async () => {
    const { id } = await v3.ok('POST', '/generators', { json: TEMPLATE });
    const json = { amount: 2, save: true, status: 'active', order_id: 5, product_id: null };
    const keys = await v3.ok('POST', `/generators/${id}/generate`, { json });
    assert.equal(keys.length, 2);
    const { status, orderId, timesActivatedMax } = await v3.ok('GET', `/licenses/${keys[1]}`);
    assert.deepEqual([status, orderId, timesActivatedMax], [3, 5, 2]);
    await v2.fails(404, 'rest_no_route', 'POST', `/generators/${id}/generate`, { json });
  });
  test('are hidden from an API key that is limited to products', async () => {
    const limited = await lmfwc(api, 3, { products: [1] });
    const { message } = await limited.fails(404, 'lmfwc_rest_data_error', 'GET', '/generators');
    assert.equal(message, 'No Generators available');
    await limited.fails(403, 'lmfwc_rest_cannot_create', 'POST', '/generators', { json: TEMPLATE });
  });
});

suite('API keys', () => {
  const wrong = { ...api.credentials, consumerSecret: 'cs_wrong' };
  const bad = { consumerKey: 'ck_wrong', consumerSecret: 'cs_wrong' };
  for (const [credentials, text] of [
    [null, 'Consumer key or secret is missing.'],
    [bad, 'Consumer key is invalid.'],
    [wrong, 'Consumer secret is invalid.'],
  ] as const) {
    test(`401 ${text}`, async () => {
      // The same error where version 3 refuses inside a success, and for an unknown route.
      for (const path of ['/licenses/activate/NONE', '/nothing']) {
        const code = 'lmfwc_rest_authentication_error';
        const { message } = await v3.fails(401, code, 'GET', path, { credentials });
        assert.equal(message, text);
      }
    });
  }
  test('with read permission cannot write, but can activate', async () => {
    const reader = await lmfwc(api, 3, { permission: 'read' });
    const { license_key: key } = await api.license();
    await reader.fails(401, 'lmfwc_rest_authentication_error', 'PUT', `/licenses/${key}`, { json: {} });
    await reader.ok('GET', `/licenses/activate/${key}`);
  });

  const path = `/licenses/${some}`;
  const CALLS: [endpoint: Endpoint, method: string, path: string, cannot: string, json?: object][] = [
    ['licenses.list', 'GET', '/licenses', 'view'],
    ['licenses.get', 'GET', path, 'view'],
    ['licenses.validate', 'GET', `/licenses/validate/${some}`, 'view'],
    ['licenses.activate', 'GET', `/licenses/activate/${some}`, 'edit'],
    ['licenses.deactivate', 'GET', `/licenses/deactivate/${some}`, 'edit'],
    ['licenses.update', 'PUT', path, 'edit', { order_id: 1 }],
    ['licenses.create', 'POST', '/licenses', 'create', { license_key: newKey() }],
    ['generators.create', 'POST', '/generators', 'create', TEMPLATE],
    ['generators.list', 'GET', '/generators', 'view'],
    ['licenses.delete', 'DELETE', path, 'delete'],
  ];
  for (const [endpoint, method, to, cannot, json] of CALLS) {
    test(`${method} ${to.replace(some, '{key}')} needs ${endpoint}, and nothing else`, async () => {
      const options = json && { json };
      const others = await lmfwc(api, 3, { endpoints: ENDPOINTS.filter((one) => one !== endpoint) });
      await others.fails(403, `lmfwc_rest_cannot_${cannot}`, method, to, options);
      await (await lmfwc(api, 3, { endpoints: [endpoint] })).ok(method, to, options);
    });
  }
  test('can name a license by its hash only with licenses.inspect', async () => {
    const limited = await lmfwc(api, 3, { endpoints: ['licenses.get'] });
    await limited.fails(403, 'lmfwc_rest_cannot_view', 'GET', `/licenses/hashed-${'0'.repeat(64)}`);
  });
});
