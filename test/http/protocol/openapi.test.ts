import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ERROR_EXAMPLES } from '../../../src/http/dlm-v1/error-examples.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const { status, body: document } = await api.call('GET', '/openapi.json', { credentials: null });

const ROUTES: Record<string, string[]> = {
  '/licenses': ['get', 'post'],
  '/licenses/{license_key}': ['get', 'put', 'patch', 'post', 'delete'],
  '/licenses/activate/{license_key}': ['get', 'post'],
  '/licenses/validate/{activation_token}': ['get'],
  '/licenses/deactivate/{activation_token}': ['get'],
  '/software': ['get', 'post'],
  '/software/{software_id}': ['get', 'put', 'patch', 'post', 'delete'],
  '/software/{software_id}/releases': ['get', 'post'],
  '/software/{software_id}/releases/{release_id}': ['put', 'patch', 'post', 'delete'],
  '/software/{software_id}/downloads': ['get'],
  '/software/download/{token}': ['get'],
  '/audit': ['get'],
  '/audit/counts': ['get'],
  '/generators': ['get', 'post'],
  '/generators/{generator_id}': ['get', 'put', 'patch', 'post', 'delete'],
  '/generators/{generator_id}/generate': ['post'],
};
const operations = (): [name: string, operation: Record_][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as object).map(([method, operation]): [string, Record_] => [
      `${method} ${path}`,
      operation,
    ]),
  );

suite('openapi.json', () => {
  test('needs no credentials and is valid OpenAPI 3.1', async () => {
    assert.equal(status, 200);
    assert.match(document.openapi, /^3\.1\./);
    const validator = new Validator();
    const { valid, errors } = await validator.validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(validator.version, '3.1');
  });
  test('documents every route of the contract', () => {
    for (const [path, methods] of Object.entries(ROUTES)) {
      assert.deepEqual(Object.keys(document.paths[path] ?? {}).sort(), [...methods].sort(), path);
    }
  });
  test('documents no route that is not there', async () => {
    assert.deepEqual(Object.keys(document.paths).sort(), Object.keys(ROUTES).sort());
    for (const [name] of operations()) {
      const [method = '', path = ''] = name.split(' ');
      const answer = await api.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '0'));
      assert.notEqual(answer.body.code, 'rest_no_route', name);
    }
  });
  test('has an example for every documented error, and each is the body of its status', () => {
    const missing = new Set(Object.keys(ERROR_EXAMPLES));
    for (const [name, { responses }] of operations()) {
      for (const [code, response] of Object.entries(responses as Record<string, Record_>)) {
        if (Number(code) < 400) continue;
        const { examples } = response.content['application/json'];
        for (const [error, { value }] of Object.entries(examples as Record<string, Record_>)) {
          missing.delete(error);
          assert.deepEqual(value, ERROR_EXAMPLES[error as keyof typeof ERROR_EXAMPLES], `${name} ${error}`);
          assert.equal(String(value.data.status), code);
        }
      }
    }
    assert.deepEqual([...missing], []);
  });
  test('has no operation without 200, 401, 403, 429, 500 and 503', () => {
    for (const [name, { responses }] of operations()) {
      for (const code of ['200', '401', '403', '429', '500', '503'])
        assert.ok(responses[code], `${name} ${code}`);
    }
  });
  test('has no operation that goes without credentials', () => {
    for (const [name, { security }] of operations()) assert.notDeepEqual(security, [], name);
    const names = Object.keys(document.components.securitySchemes);
    assert.ok(document.security.length > 0);
    for (const choice of document.security)
      for (const name of Object.keys(choice)) assert.ok(names.includes(name), name);
  });
  test('tells of each operation what it does, what its path holds, and what it takes', () => {
    for (const [name, { summary, parameters = [], requestBody }] of operations()) {
      assert.ok(summary, name);
      const inPath = parameters.filter((one: Record_) => one.in === 'path').map((one: Record_) => one.name);
      assert.deepEqual(
        inPath,
        [...name.matchAll(/\{(\w+)\}/g)].map(([, it]) => it),
        name,
      );
      const method = name.split(' ')[0] ?? '';
      if (method === 'get' || method === 'delete') continue;
      const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
      assert.deepEqual(Object.keys(requestBody.content), types, name);
    }
  });
  test('documents an answer for every status that the service gives', async () => {
    const { license_key } = await api.license();
    const { token } = await api.activation(license_key);
    const seen: [operation: string, method: string, path: string, options?: object][] = [
      ['get /licenses', 'GET', '/licenses?status=9'],
      ['post /licenses', 'POST', '/licenses', { json: { charset: 'A' } }],
      ['put /licenses/{license_key}', 'PUT', `/licenses/${license_key}`, { json: { status: 9 } }],
      ['get /licenses/activate/{license_key}', 'GET', `/licenses/activate/${license_key}?token=${token}`],
      ['get /licenses/activate/{license_key}', 'GET', `/licenses/activate/${license_key}?token=%00`],
      ['post /generators/{generator_id}/generate', 'POST', '/generators/1/generate', { json: {} }],
      ['put /generators/{generator_id}', 'PUT', '/generators/1', { json: { name: '' } }],
      ['get /software/{software_id}', 'GET', '/software/999'],
      ['post /software', 'POST', '/software', { json: {} }],
      ['post /software/{software_id}/releases', 'POST', '/software/999/releases', { json: {} }],
      ['get /software/download/{token}', 'GET', '/software/download/forged'],
      ['get /software/download/{token}', 'GET', `/software/download/${token}`],
    ];
    const all = Object.fromEntries(operations());
    for (const [name, method, path, options] of seen) {
      const answer = await api.call(method, path, options);
      assert.ok(all[name]?.responses[answer.status], `${name} ${answer.status}`);
    }
  });
  test('names the cursor of the lists that have one', () => {
    const lists = operations().filter(([, { responses }]) => responses['200']?.headers?.['X-WP-Total']);
    const withCursor = lists.filter(([, { parameters }]) =>
      parameters.some(({ name }: Record_) => name === 'before'),
    );
    const names = (some: typeof lists) => some.map(([name]) => name).sort();
    assert.deepEqual(names(withCursor), ['get /generators', 'get /licenses', 'get /software']);
    assert.equal(lists.length, 6);
    for (const [, { description }] of withCursor) assert.match(description, /follow the next links/);
  });
  test('names every parameter of a license, a generator, software and a release', () => {
    const taken = (path: string, method: string) =>
      Object.keys(
        document.paths[path][method].requestBody.content['application/json'].schema.properties,
      ).sort();
    const license = [
      'activations_limit',
      'expires_at',
      'license_key',
      'order_id',
      'product_id',
      'status',
      'user_id',
      'valid_for',
    ];
    assert.deepEqual(taken('/licenses/{license_key}', 'put'), license);
    const generator = [
      'activations_limit',
      'charset',
      'chunk_length',
      'chunks',
      'expires_in',
      'name',
      'prefix',
      'separator',
      'suffix',
    ];
    assert.deepEqual(taken('/generators', 'post'), generator);
    const software = [
      'access',
      'banners',
      'icons',
      'name',
      'product_ids',
      'requires',
      'requires_php',
      'slug',
      'tested',
      'type',
      'url',
    ];
    assert.deepEqual(taken('/software', 'post'), software);
    const release = ['changelog', 'channel', 'file', 'rollout', 'status', 'upgrade_notice', 'version'];
    assert.deepEqual(taken('/software/{software_id}/releases', 'post'), release);
    const generate = ['amount', 'order_id', 'product_id', 'save', 'status', 'user_id'];
    assert.deepEqual(taken('/generators/{generator_id}/generate', 'post'), generate);
  });
});

suite('/docs', () => {
  const origin = `http://127.0.0.1:${api.port}`;
  /** Addresses that a page or style sheet loads. */
  const links = (text: string) =>
    [...text.matchAll(/\b(?:src|href)\s*=\s*["']([^"']+)["']|url\(\s*["']?([^"')]+)["']?\s*\)/g)]
      .map(([, attribute, css]) => attribute ?? css ?? '')
      .filter((address) => !address.startsWith('data:'));

  test('answers HTML without credentials, and whatever it loads is its own', async () => {
    const page = await fetch(`${origin}/docs`);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
    const html = await page.text();
    const found = links(html);
    assert.ok(found.length > 2, 'scripts and styles are found');
    for (const address of found) {
      const asset = new URL(address, page.url);
      assert.equal(asset.origin, origin, address);
      assert.doesNotMatch(address, /^(?:[a-z]+:)?\/\//i);
      const response = await fetch(asset);
      assert.equal(response.status, 200, address);
      const type = response.headers.get('content-type') ?? '';
      if (!type.includes('css')) continue;
      for (const inner of links(await response.text()))
        assert.equal(new URL(inner, asset).origin, origin, inner);
    }
  });
  test('forbids other hosts by its Content-Security-Policy', async () => {
    const policy = (await fetch(`${origin}/docs`)).headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src '(?:self|none)'/);
    assert.doesNotMatch(policy, /https?:\/\/|\*|'unsafe-eval'/);
  });
  test('shows this document', async () => {
    assert.deepEqual(await (await fetch(`${origin}/docs/json`)).json(), document);
  });
  test('works below the path of a base URL, behind a proxy that strips it or not', async (t) => {
    const { port } = await startService(t, { server: { baseUrl: 'https://example.com/shop' } });
    for (const path of ['/docs', '/docs/']) {
      const page = await fetch(`http://127.0.0.1:${port}/shop${path}`);
      assert.equal(page.status, 200);
      const base = new URL(page.url).pathname;
      for (const address of links(await page.text())) {
        assert.match(
          new URL(address, `https://example.com${base}`).pathname,
          /^\/shop\/docs\//,
          `${path}: ${address}`,
        );
      }
    }
  });
});
