import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, suite, test } from 'node:test';
import type { Credentials } from '../../../src/app/api-keys/credentials.ts';
import { CLIENT_PRESET } from '../../../src/domain/api-key.ts';
import { basicHeader, createApi, newKey, type Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';
import { lmfwc } from './lmfwc.ts';

/**
 * Sends what published clients of License Manager for WooCommerce send, in their order, and reads what they read in
 * the answers.
 */
const api = await startService({ after });
const origin = `http://127.0.0.1:${api.port}`;
const ROOT = `${origin}/wp-json/lmfwc/v2`;
const keysOf = async (lmfwcVersion: 2 | 3) => (await withApiKey(api, { lmfwcVersion })).credentials;
const two = await keysOf(2);
const three = await keysOf(3);
const inQuery = ({ consumerKey, consumerSecret }: Credentials) => ({
  consumer_key: consumerKey,
  consumer_secret: consumerSecret,
});
const JSON_TYPE = { accept: 'application/json', 'content-type': 'application/json; charset=UTF-8' };

/** Sends the credentials in the query, like most snippets that people paste. */
const plain = createApi(ROOT, two);
const call = (
  credentials: Credentials,
  method: string,
  path: string,
  {
    query = {},
    headers = {},
    json,
  }: { query?: object; headers?: Record<string, string>; json?: object } = {},
) =>
  plain.call(method, path, {
    query: { ...inQuery(credentials), ...query },
    headers,
    credentials: null,
    ...(json && { json }),
  });
const sold = async (values = {}) =>
  (await api.license({ status: 2, activations_limit: 1, expires_at: '2099-01-01 00:00:00', ...values }))
    .license_key as string;

suite('version 2', () => {
  test('UTMStack (Java) reads a delivered license, activates it, and reads it again', async () => {
    const key = await sold();
    const get = async (path: string) => {
      const { status, body } = await call(two, 'GET', path);
      assert.equal(status, 200);
      return body.data;
    };
    const mayActivate = ({ status, expiresAt, timesActivated, timesActivatedMax }: Record_) =>
      status === 2 &&
      Date.parse(`${expiresAt.replace(' ', 'T')}Z`) > Date.now() &&
      (timesActivated === null || timesActivated + 1 <= timesActivatedMax);
    assert.ok(mayActivate(await get(`/licenses/${key}`)));
    const { createdAt, expiresAt } = await get(`/licenses/activate/${key}`);
    assert.match(createdAt, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    assert.equal(expiresAt, '2099-01-01 00:00:00');
    assert.ok(!mayActivate(await get(`/licenses/${key}`)));
  });

  test('Fluidweb_PluginLicenseManager (PHP) reads success, or a code and a message', async () => {
    const key = await sold();
    const headers = { authorization: basicHeader(two) };
    const get = async (path: string) =>
      (await plain.call('GET', path, { headers, credentials: null })).body as Record_;
    assert.equal((await get(`/licenses/${key}`)).data.licenseKey, key);
    assert.equal((await get(`/licenses/activate/${key}`)).success, true);
    assert.equal((await get(`/licenses/validate/${key}`)).data.remainingActivations, 0);
    const { success, code, message } = await get(`/licenses/activate/${key}`);
    assert.deepEqual([success, code], [undefined, 'lmfwc_rest_data_error']);
    assert.match(message, /reached maximum activation count\.$/);
    // This route belongs to an extension of the plugin. The site gets no update.
    assert.ok(!('success' in (await get('/products/update/12'))));
  });

  test('the client of TheWebSolver sends its own headers and parameters', async () => {
    const key = await sold({ activations_limit: 3 });
    const headers = {
      authorization: `TWS ${Buffer.from('a:b').toString('base64')}`,
      from: 'customer@example.com',
      referer: 'https://shop.example.com',
    };
    for (const [state, count] of [
      ['activate', 1],
      ['deactivate', 0],
    ] as const) {
      const query = { form_state: state, license_key: key, slug: 'acme', purchased_on: '2026-01-01' };
      const { body } = await call(two, 'GET', `/licenses/${state}/${key}`, { query, headers });
      const { licenseKey, timesActivatedMax, timesActivated } = body.data;
      assert.deepEqual([licenseKey, timesActivatedMax, timesActivated], [key, 3, count]);
    }
  });

  test('the SDK of otakupahp (PHP) sends a JSON content type without a body, and reads a message and data.status', async () => {
    const key = await sold({ product_id: 14 });
    const get = (path: string) => call(two, 'GET', path, { headers: JSON_TYPE });
    assert.equal((await get(`/licenses/activate/${key}`)).body.success, true);
    const { success, data } = (await get(`/licenses/${key}`)).body;
    assert.deepEqual([success, data.expiresAt, data.productId], [true, '2099-01-01 00:00:00', 14]);
    assert.equal((await get(`/licenses/deactivate/${key}`)).status, 200);
    const { body } = await get(`/licenses/${newKey()}`);
    assert.match(body.message, /could not be found\.$/);
    assert.equal(body.data.status, 404);
  });

  test('pylicensemanager sends numbers as strings, a body with GET, and updates generators by POST', async () => {
    const headers = { authorization: basicHeader(two), 'content-type': 'application/json' };
    const send = (method: string, path: string, json?: object) =>
      new Promise<Record_>((resolve, reject) => {
        const sent = request(`${ROOT}${path}`, { method, headers }, async (answer) => {
          resolve(JSON.parse(Buffer.concat(await answer.toArray()).toString()));
        });
        sent.on('error', reject);
        // A Python client sets the content length. Node.js would not with GET.
        const body = json ? JSON.stringify(json) : '';
        if (json) sent.setHeader('content-length', Buffer.byteLength(body));
        sent.end(body);
      });
    const key = newKey();
    const license = {
      product_id: '14',
      license_key: key,
      valid_for: '368',
      status: 'active',
      times_activated_max: '5',
    };
    const created = await send('POST', '/licenses', license);
    const { data } = await send('GET', `/licenses/${key}`);
    assert.deepEqual(data, created.data);
    const read = ['id', 'orderId', 'productId', 'userId', 'licenseKey', 'expiresAt', 'validFor', 'source'];
    const counts = ['status', 'timesActivated', 'timesActivatedMax', 'createdAt', 'updatedAt', 'updatedBy'];
    for (const name of [...read, ...counts]) assert.ok(name in data, name);
    assert.deepEqual([data.productId, data.validFor, data.timesActivatedMax], [14, 368, 5]);
    assert.equal((await send('PUT', `/licenses/${key}`, license)).success, true);
    const uuid = { uuid: '8e2d1c2b' };
    assert.equal((await send('GET', `/licenses/activate/${key}`, uuid)).data.timesActivated, 1);
    assert.equal((await send('GET', `/licenses/deactivate/${key}`)).data.timesActivated, 0);
    assert.equal((await send('GET', `/licenses/validate/${key}`)).success, true);
    assert.ok(!('success' in (await send('GET', `/licenses/validate/${newKey()}`))));
    const generator = {
      name: 'Generator created by the API',
      charset: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
      chunks: 5,
      chunk_length: 4,
      times_activated_max: 2,
      separator: '-',
      prefix: 'null',
      suffix: 'null',
      expires_in: 'null',
    };
    const made = (await send('POST', '/generators', generator)).data;
    assert.deepEqual([made.prefix, made.expiresIn, made.timesActivatedMax], ['null', null, '2']);
    const changed = await send('POST', `/generators/${made.id}`, { ...generator, times_activated_max: 5 });
    assert.equal(changed.data.timesActivatedMax, '5');
    assert.equal((await send('GET', `/generators/${made.id}`)).data.id, made.id);
    assert.ok(Array.isArray((await send('GET', '/generators')).data));
  });

  test('a Python SDK reads an ISO date, and the code and message of an error', async () => {
    const key = await sold();
    const get = (path: string) =>
      plain.call('GET', path, { headers: { 'content-type': 'application/json' } });
    assert.equal((await get(`/licenses/activate/${key}`)).status, 200);
    const full = await get(`/licenses/activate/${key}`);
    assert.equal(full.body.code, 'lmfwc_rest_data_error');
    assert.ok(full.body.message.toLowerCase().includes('maximum activation count'));
    await api.ok('PUT', `/licenses/${key}`, { json: { expires_at: '2020-01-31 00:00:00' } });
    const expired = await get(`/licenses/activate/${key}`);
    assert.equal(expired.body.code, 'lmfwc_rest_license_expired');
    assert.equal(/\d{4}-\d\d-\d\d/.exec(expired.body.message)?.[0], '2020-01-31');
  });
});

suite('version 3', () => {
  test('desktop programs read the errors inside a success, and compare counts', async () => {
    const key = await sold();
    const headers = { authorization: basicHeader(three), accept: 'application/json' };
    /** Decides like the programs of two vendors: 509 full, 502 unknown, 200 good. */
    const decided = async (verb: string, licenseKey: string) => {
      const { status, body } = await plain.call('GET', `/licenses/${verb}/${licenseKey}`, {
        headers,
        credentials: null,
      });
      if (status !== 200 || String(body.success) !== 'true') return 1;
      const error = body.data.errors?.lmfwc_rest_data_error?.[0];
      if (error?.includes('reached maximum activation count.')) return 509;
      if (error?.includes('could not be found.')) return 502;
      return body.data.timesActivated <= body.data.timesActivatedMax ? 200 : 1;
    };
    assert.equal(await decided('activate', key), 200);
    assert.equal(await decided('validate', key), 200);
    assert.equal(await decided('activate', key), 509);
    assert.equal(await decided('activate', newKey()), 502);
    assert.equal(await decided('validate', newKey()), 1);
  });

  test('a shop finds the token of a device among the activations in the answer to validate', async () => {
    const key = await sold();
    const { data } = (await call(three, 'GET', `/licenses/activate/${key}`)).body;
    const { activationData } = (await call(three, 'GET', `/licenses/validate/${key}`)).body.data;
    assert.ok(activationData.some(({ token }: Record_) => token === data.activationData.token));
  });

  test('the Pro SDK (PHP) creates, activates, deactivates, reactivates and deletes, always as JSON', async () => {
    const send = async (method: string, path: string, json?: object, query = {}) => {
      const { status, body } = await call(three, method, path, {
        query,
        headers: JSON_TYPE,
        ...(json && { json }),
      });
      assert.ok(status < 300 && body.success !== false, JSON.stringify(body));
      return body.data;
    };
    const key = newKey();
    const values = { license_key: key, product_id: '14', status: 'active', times_activated_max: 1 };
    assert.equal((await send('POST', '/licenses', values)).licenseKey, key);
    const { token } = (await send('GET', `/licenses/activate/${key}`, undefined, { label: 'x' }))
      .activationData;
    const ended = await send('GET', `/licenses/deactivate/${key}`, undefined, { token });
    assert.ok(ended.activationData.deactivated_at);
    const again = await send('GET', `/licenses/activate/${key}`, undefined, { token });
    assert.equal(again.activationData.token, token);
    assert.equal((await send('GET', `/licenses/deactivate/${key}`)).timesActivated, 0);
    assert.equal((await send('PUT', `/licenses/${key}`, { status: 'delivered' })).status, 2);
    assert.ok((await send('GET', '/licenses', undefined, { page: 1, per_page: 10 })).length > 0);
    await send('DELETE', `/licenses/${key}`);
    const gone = await call(three, 'GET', `/licenses/${key}`);
    assert.deepEqual([gone.status, gone.body.code], [404, 'lmfwc_rest_data_error']);
  });

  test('the Pro SDK (PHP), a .NET library and a Python program find updates, download them, and ping', async () => {
    const software = await api.software({ product_ids: [77], tested: '6.8' });
    const file = new File(['the program'], 'acme.zip', { type: 'application/zip' });
    await api.release(software.id, { version: '1.5.0', changelog: '- Faster', file });
    const key = await sold({ product_id: 77 });
    const { body } = await call(three, 'GET', `/products/update/${key}`, { headers: JSON_TYPE });
    const { package: address, sections, ...texts } = body.data;
    assert.deepEqual([body.success, texts.license_key, texts.new_version], [true, key, '1.5.0']);
    assert.match(sections.changelog, /<li>Faster<\/li>/);
    const named = ['url', 'tested', 'requires', 'requires_php', 'last_updated'];
    assert.ok(named.every((name) => typeof texts[name] === 'string'));
    // WordPress sends no credentials to the address of a package; the SDK makes the same address for a browser.
    const made = `${ROOT}/products/download/latest/${key}?${new URLSearchParams(inQuery(three))}`;
    assert.equal(address, made);
    for (const method of ['HEAD', 'GET']) {
      const answer = await fetch(address, { method });
      assert.equal(answer.headers.get('content-length'), '11');
      assert.equal(await answer.text(), method === 'GET' ? 'the program' : '');
    }
    const json = { license_key: key, product_name: 'Acme', host: 'shop.example.com' };
    for (const path of ['/products/ping', '/products/ping/']) {
      const { body: pinged } = await call(three, 'POST', path, { json });
      assert.deepEqual(pinged, { success: true, data: null });
    }
  });
});

test('a refusal inside a success counts as a failure, too', async (t) => {
  const limit = 6;
  const api = await startService(t, { server: { failureLimit: limit } });
  const ofLmfwc = await lmfwc(api, 3, CLIENT_PRESET);
  const { license_key: key } = await api.license();
  const paths = [
    () => `/licenses/activate/${newKey()}`,
    () => `/licenses/deactivate/${newKey()}`,
    () => `/licenses/deactivate/${key}?token=${'0'.repeat(40)}`,
  ];
  for (let i = 0; i < limit; i++) {
    const { errors } = await ofLmfwc.ok('GET', paths[i % paths.length]?.() ?? '');
    assert.ok('lmfwc_rest_data_error' in errors);
  }
  for (const path of [...paths, () => `/licenses/validate/${newKey()}`])
    await ofLmfwc.fails(429, 'rest_too_many_requests', 'GET', path());
});
