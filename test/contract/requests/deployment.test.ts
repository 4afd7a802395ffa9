import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { runSql } from '../../support/engine.ts';
import { basicHeader, type CallOptions, createApi } from '../../support/http/api.ts';
import { exchange } from '../../support/http/wire.ts';
import { type Options, type Running, startService } from '../../support/service.ts';

/**
 * The location of the API: base URL, prefix, proxy, other origins. Each test starts a service with its own
 * settings.
 */
const started = (t: TestContext, server: Options['server'] = {}): Promise<Running> =>
  startService(t, { server });

const linkOf = async (api: Running, target: string, headers = '') => {
  const answer = await exchange(
    api.port,
    `GET ${target} HTTP/1.1\r\nHost: licenses.example:8443\r\nAuthorization: ${basicHeader(api.credentials)}\r\n${headers}\r\n`,
  );
  assert.equal(answer.status, 200, answer.body);
  return answer.headers.get('link');
};
const twoLicenses = async (api: Running) => {
  await api.license();
  await api.license();
};

suite('a base URL with a path', () => {
  const baseUrl = 'https://example.com/shop';

  test('works below the path and without it, because a proxy may strip it or not', async (t) => {
    const api = await started(t, { baseUrl });
    const { license_key, id } = await api.license();
    const origin = `http://127.0.0.1:${api.port}`;
    for (const path of ['/shop/wp-json/dlm/v1', '/wp-json/dlm/v1']) {
      const there = createApi(origin + path, api.credentials);
      assert.equal((await there.ok('GET', `/licenses/${license_key}`)).id, id);
      assert.equal((await there.ok('GET', `/licenses/${license_key}/`)).id, id);
      await there.fails(404, 'rest_no_route', 'GET', '/nothing-here');
    }
    for (const path of ['/shop/?', '/shop/index.php?', '/shop?', '/?', '/index.php?']) {
      const target = `${origin}${path}rest_route=/dlm/v1/licenses/${license_key}`;
      const response = await fetch(target, { headers: { authorization: basicHeader(api.credentials) } });
      assert.equal(response.status, 200, path);
    }
  });

  test('does not cover another path that begins with the same letters', async (t) => {
    const api = await started(t, { baseUrl });
    const there = createApi(`http://127.0.0.1:${api.port}/shopping/wp-json/dlm/v1`, api.credentials);
    await there.fails(404, 'rest_no_route', 'GET', '/licenses');
  });

  test('is the base of links, whatever the Host', async (t) => {
    const api = await started(t, { baseUrl });
    await twoLicenses(api);
    const next = '<https://example.com/shop/wp-json/dlm/v1/licenses?per_page=1&page=2&before=2>; rel="next"';
    assert.equal(await linkOf(api, '/shop/wp-json/dlm/v1/licenses?per_page=1'), next);
    assert.equal(await linkOf(api, '/wp-json/dlm/v1/licenses?per_page=1'), next);
  });
});

suite('another rest prefix', () => {
  test('moves the routes and removes the default prefix', async (t) => {
    const api = await started(t, { restPrefix: 'api/rest' });
    const { license_key } = await api.license();
    await api.ok('GET', `/licenses/${license_key}/`);
    const old = createApi(`http://127.0.0.1:${api.port}/wp-json/dlm/v1`, api.credentials);
    await old.fails(404, 'rest_no_route', 'GET', '/licenses');
    const byRoute = `http://127.0.0.1:${api.port}/?rest_route=/dlm/v1/licenses/${license_key}`;
    const response = await fetch(byRoute, { headers: { authorization: basicHeader(api.credentials) } });
    assert.equal(response.status, 200);
  });
});

suite('without a configured base URL', () => {
  test("links are based on the request's Host", async (t) => {
    const api = await started(t);
    await twoLicenses(api);
    assert.equal(
      await linkOf(api, '/wp-json/dlm/v1/licenses?per_page=1'),
      '<http://licenses.example:8443/wp-json/dlm/v1/licenses?per_page=1&page=2&before=2>; rel="next"',
    );
  });

  const FORWARDED =
    'X-Forwarded-For: 203.0.113.9\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: shop.example\r\n';

  test('X-Forwarded-* of a trusted proxy determine links and ip_address', async (t) => {
    const api = await started(t, { trustProxy: true });
    await twoLicenses(api);
    assert.equal(
      await linkOf(api, '/wp-json/dlm/v1/licenses?per_page=1', FORWARDED),
      '<https://shop.example/wp-json/dlm/v1/licenses?per_page=1&page=2&before=2>; rel="next"',
    );
    const { license_key } = await api.license();
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const activation = await api.ok('GET', `/licenses/activate/${license_key}`, { headers });
    assert.equal(activation.ip_address, '203.0.113.9');
  });

  test('X-Forwarded-* of an untrusted client are ignored', async (t) => {
    for (const trustProxy of [false, '198.51.100.0/24']) {
      const api = await started(t, { trustProxy });
      await twoLicenses(api);
      assert.equal(
        await linkOf(api, '/wp-json/dlm/v1/licenses?per_page=1', FORWARDED),
        '<http://licenses.example:8443/wp-json/dlm/v1/licenses?per_page=1&page=2&before=2>; rel="next"',
      );
      const { license_key } = await api.license();
      const headers = { 'x-forwarded-for': '203.0.113.9' };
      const activation = await api.ok('GET', `/licenses/activate/${license_key}`, { headers });
      assert.equal(activation.ip_address, '127.0.0.1');
    }
  });
});

suite('CORS', () => {
  const preflight = (api: Running, origin: string) =>
    fetch(`${api.root}/licenses/some-key`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization, content-type',
      },
    });
  const from = async (api: Running, origin: string) =>
    (await api.call('GET', '/licenses', { headers: { origin } })).headers;

  test('allows any origin, without credentials, by default', async (t) => {
    const headers = await from(await started(t), 'https://app.example');
    assert.equal(headers.get('access-control-allow-origin'), '*');
    assert.equal(headers.get('access-control-allow-credentials'), null);
  });

  test('answers a preflight before authentication, and allows what the API accepts', async (t) => {
    const response = await preflight(await started(t), 'https://app.example');
    assert.equal(response.status, 204);
    assert.equal(response.headers.get('access-control-allow-origin'), '*');
    const methods = response.headers.get('access-control-allow-methods') ?? '';
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
      assert.match(methods, new RegExp(method));
    const allowed = response.headers.get('access-control-allow-headers') ?? '';
    assert.match(allowed, /authorization/i);
    assert.match(allowed, /content-type/i);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });

  test('lets a page read refusals too', async (t) => {
    const api = await started(t);
    const headers = { origin: 'https://app.example' };
    for (const [path, credentials] of [
      ['/licenses', null],
      ['/nothing-here', api.credentials],
    ] as const) {
      const answer = await api.call('GET', path, { headers, credentials });
      assert.equal(answer.headers.get('access-control-allow-origin'), '*');
    }
  });

  test('lets a page read the headers of lists and files', async (t) => {
    const exposed = (await from(await started(t), 'https://app.example')).get(
      'access-control-expose-headers',
    );
    const NAMES = [
      ...['Link', 'X-WP-Total', 'X-WP-TotalPages', 'Retry-After', 'X-Request-Id'],
      ...['RateLimit', 'RateLimit-Policy'],
      ...['Content-Disposition', 'Content-Range', 'Accept-Ranges', 'ETag', 'Repr-Digest'],
    ];
    assert.deepEqual((exposed ?? '').split(', ').sort(), NAMES.sort());
  });

  test('allows only the listed origins', async (t) => {
    const api = await started(t, { corsOrigins: ['https://app.example', 'https://b.example'] });
    const allowed = await from(api, 'https://b.example');
    assert.equal(allowed.get('access-control-allow-origin'), 'https://b.example');
    assert.match(allowed.get('vary') ?? '', /origin/i);
    assert.equal((await from(api, 'https://evil.example')).get('access-control-allow-origin'), null);
    const refused = await preflight(api, 'https://evil.example');
    assert.equal(refused.headers.get('access-control-allow-origin'), null);
  });

  test('answers Vary: Origin with a list of origins, on refusals and failures too', async (t) => {
    const api = await started(t, { corsOrigins: ['https://app.example'] });
    const { license_key: key } = await api.license();
    await runSql(api.dataDir, 'drop table activations');
    const asked: [status: number, path: string, options: CallOptions][] = [
      [200, '/licenses', {}],
      [401, '/licenses', { credentials: null }],
      [404, '/nothing-here', {}],
      [500, `/licenses/activate/${key}`, {}],
    ];
    for (const [status, path, options] of asked) {
      for (const origin of ['https://app.example', 'https://evil.example', null]) {
        const answer = await api.call('GET', path, { ...options, ...(origin && { headers: { origin } }) });
        assert.equal(answer.status, status, path);
        assert.equal(answer.headers.get('vary'), 'Origin');
        const allowed = origin === 'https://app.example';
        assert.equal(answer.headers.get('access-control-allow-origin'), allowed ? origin : null);
        assert.equal(answer.headers.has('access-control-expose-headers'), allowed);
      }
    }
    const { status, headers } = await preflight(api, 'https://app.example');
    assert.deepEqual([status, headers.get('access-control-allow-origin')], [204, 'https://app.example']);
    assert.match(headers.get('vary') ?? '', /Origin/);
  });

  test('treats OPTIONS that is not a preflight like any other method without a route', async (t) => {
    const api = await started(t);
    for (const headers of [
      {},
      { origin: 'https://app.example' },
      { 'access-control-request-method': 'PUT' },
      { origin: '', 'access-control-request-method': 'PUT' },
    ] as Record<string, string>[]) {
      for (const path of ['/licenses', '/nothing-here']) {
        await api.fails(401, 'authentication_error', 'OPTIONS', path, { headers, credentials: null });
        await api.fails(404, 'rest_no_route', 'OPTIONS', path, { headers });
      }
    }
  });

  test('counts OPTIONS against the rate limit of an address, but not a preflight', async (t) => {
    const api = await started(t, { rateLimit: 3 });
    for (let i = 0; i < 5; i++) assert.equal((await preflight(api, 'https://app.example')).status, 204);
    const guess = () => api.call('OPTIONS', '/licenses', { credentials: null });
    const statuses = [await guess(), await guess(), await guess(), await guess()].map(({ status }) => status);
    assert.deepEqual(statuses, [401, 401, 401, 429]);
    await api.fails(429, 'rest_too_many_requests', 'GET', '/licenses');
  });

  test('allows no origin with an empty list', async (t) => {
    const api = await started(t, { corsOrigins: [] });
    assert.equal((await from(api, 'https://app.example')).get('access-control-allow-origin'), null);
    const refused = await preflight(api, 'https://app.example');
    assert.equal(refused.headers.get('access-control-allow-origin'), null);
  });
});
