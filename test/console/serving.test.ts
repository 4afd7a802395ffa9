import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { get, ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { finished } from 'node:stream/promises';
import { after, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { builtConsole, serveConsole } from '../../src/http/console.ts';
import { answerOf } from '../../src/http/dlm-v1/errors.ts';
import { errorHandler } from '../../src/http/error-handler.ts';
import { type Running, startService } from '../support/service.ts';

const folder = builtConsole() ?? assert.fail('the console is not built: npm run console:build');
const script = readdirSync(`${folder}assets`).find((name) => /^start-.*\.js$/.test(name));
const asset = `/console/assets/${script}`;

const service = await startService({ after });

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** Sends a raw request: the path is not normalized and the response is not decompressed. */
function request(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  { port }: Pick<Running, 'port'> = service,
) {
  return new Promise<Answer>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    }).on('error', reject);
  });
}

const asPage = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('every console path that is not a file serves the page, without caching', async () => {
  for (const path of [
    '/console/',
    '/console/licenses/12',
    '/console/licenses?search=a.b',
    '/console/no.such',
  ]) {
    const { status, headers, body } = await request(path, asPage);
    assert.equal(status, 200, path);
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(headers['cache-control'], 'no-cache');
    assert.match(body.toString(), /<div id="root">/);
  }
  const head = await request('/console/', asPage, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.body.length, 0);
  const { status, headers } = await request('/console?a=b', asPage);
  assert.equal(status, 302);
  assert.equal(headers.location, '/console/?a=b');
});

test('the content security policy allows only own resources, and styles with a nonce per response', async () => {
  const nonces = await Promise.all(
    [1, 2].map(async () => {
      const { headers, body } = await request('/console/', asPage);
      const policy = String(headers['content-security-policy']);
      const directives = Object.fromEntries(policy.split('; ').map((one) => one.split(/ (.*)/s, 2)));
      const nonce = /'nonce-([\w-]{20,})'/.exec(policy)?.[1];
      assert.deepEqual(directives, {
        'default-src': "'none'",
        'script-src': "'self'",
        'style-src': `'self' 'nonce-${nonce}'`,
        'img-src': "'self' data:",
        'font-src': "'self'",
        'connect-src': "'self'",
        'base-uri': "'none'",
        'form-action': "'self'",
        'frame-ancestors': "'none'",
      });
      const page = body.toString();
      assert.ok(page.includes(`name="latchkey-nonce" content="${nonce}"`));
      assert.doesNotMatch(page, /<script(?![^>]* src=)|<style| style=|https?:/);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      return nonce;
    }),
  );
  assert.notEqual(nonces[0], nonces[1]);
});

test('files are sent precompressed, and hashed files are cached forever', async (t) => {
  const plain = await request(asset);
  const expected = readFileSync(`${folder}assets/${script}`);
  assert.deepEqual(plain.body, expected);
  assert.match(String(plain.headers['content-type']), /^(text|application)\/javascript/);
  assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.equal(plain.headers.vary, 'accept-encoding');
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync };
  for (const [encoding, unpacked] of Object.entries(unpack)) {
    const { headers, body } = await request(asset, { 'accept-encoding': encoding });
    assert.equal(headers['content-encoding'], encoding);
    assert.equal(headers.vary, 'accept-encoding');
    assert.equal(headers['content-type'], plain.headers['content-type']);
    assert.ok(body.length < expected.length / 2);
    assert.deepEqual(unpacked(body), expected);
  }
  const head = await request(asset, { 'accept-encoding': 'br' }, 'HEAD');
  assert.equal(head.status, 200);
  assert.equal(head.body.length, 0);
  const limited = await startService(t, { server: { corsOrigins: ['https://example.test'] } });
  assert.equal((await request(asset, {}, 'GET', limited)).headers.vary, 'Origin, accept-encoding');
  const icon = await request('/console/icon.svg');
  assert.equal(icon.headers['content-type'], 'image/svg+xml');
  assert.equal(icon.headers['cache-control'], 'public, max-age=0');
});

test('all responses share the buffer of a file, and of a range of it', async (t) => {
  const sent: Buffer[] = [];
  class Response extends ServerResponse {
    override end(chunk?: unknown): this {
      sent.push(chunk as Buffer);
      return super.end(chunk);
    }
  }
  const app = Fastify({ http: { ServerResponse: Response as typeof ServerResponse } });
  t.after(() => app.close());
  await serveConsole(app, { folder, basePath: '' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const at = app.server.address() as AddressInfo;
  const expected = readFileSync(`${folder}assets/${script}`);
  for (let i = 0; i < 2; i++) assert.deepEqual((await request(asset, {}, 'GET', at)).body, expected);
  const { status, body } = await request(asset, { range: 'bytes=5-9' }, 'GET', at);
  assert.deepEqual([status, body], [206, expected.subarray(5, 10)]);
  const [one, ...others] = sent.map(({ buffer, byteOffset }) => ({ buffer, byteOffset }));
  assert.deepEqual(others.length, 2);
  for (const { buffer } of others) assert.equal(buffer, one?.buffer);
  assert.equal(others[1]?.byteOffset, Number(one?.byteOffset) + 5);
});

test('files outside the console, and internal build files, are not served', async () => {
  const paths = [
    '/console/assets/no-such.js',
    '/console/assets/',
    '/console/assets/../../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/assets/..%2f..%2f..%2fpackage.json',
    '/console/.vite/manifest.json',
    '/console/.source',
    `${asset}.br`,
    '/console/api/no-such',
    '/console/api',
  ];
  for (const path of paths) {
    const { status, body } = await request(path, { accept: 'application/json' });
    assert.equal(status, 404, path);
    assert.equal(JSON.parse(body.toString()).code, 'rest_no_route', path);
    const page = await request(path, asPage);
    assert.doesNotMatch(page.body.toString(), /"name": "latchkey"|isEntry|^[0-9a-f]{64}$/, path);
  }
  // The answer is that of any unknown route without credentials.
  assert.equal((await request('/console/', asPage, 'POST')).status, 401);
});

test('below a base path the page uses addresses with that path', async (t) => {
  const below = await startService(t, { server: { baseUrl: 'https://example.test/shop' } });
  for (const path of ['/shop/console/licenses', '/console/licenses']) {
    const { status, body } = await request(path, asPage, 'GET', below);
    assert.equal(status, 200);
    const page = body.toString();
    assert.ok(page.includes('name="latchkey-base" content="/shop"'));
    const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => String(address));
    assert.ok(addresses.length > 3);
    for (const address of addresses) {
      assert.match(address, /^\/shop\/console\//);
      assert.equal((await request(address, {}, 'GET', below)).status, 200, address);
    }
  }
  // A proxy that refuses the paths below /console and /shop/console need not know these forms.
  for (const path of [
    '/%63onsole/',
    '//console/',
    '/shop//console/',
    '/shop/%63onsole/',
    '//shop/console/',
    'http://host//console/',
  ])
    for (const rest of ['', 'api/session'])
      assert.equal((await request(path + rest, asPage, 'GET', below)).status, 404, path + rest);
  for (const path of [
    '/shop/console/api/session',
    'http://host/shop/console/api/session',
    'http://host/console/',
  ])
    assert.equal((await request(path, asPage, 'GET', below)).status, 200, path);
  const { headers } = await request('/shop/', asPage, 'GET', below);
  assert.equal(headers.location, '/shop/console/');
});

test('without a build, the console says how to build it and the root redirects to the documentation', async (t) => {
  const without = await startService(t, { server: { consoleFolder: null } });
  const { status, headers, body } = await request('/console/', asPage, 'GET', without);
  assert.equal(status, 404);
  assert.equal(headers['content-type'], 'text/plain; charset=utf-8');
  assert.match(body.toString(), /npm run console:build/);
  assert.equal((await request('/', asPage, 'GET', without)).headers.location, '/docs/');
  assert.equal((await request('/', asPage)).headers.location, '/console/');
  assert.equal((await request('/', { accept: 'application/json' })).headers.location, '/docs/');
});

test('a browser that disconnects early is not logged as an error', async (t) => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const app = Fastify({ logger: { level: 'info', stream } });
  const answered = Promise.withResolvers<void>();
  t.after(() => app.close());
  app.setErrorHandler(errorHandler({ prefix: '/', answerOf }));
  app.addHook('preHandler', async ({ raw }) => {
    // The server reads the body of every request.
    await finished(raw.resume());
    if (!raw.socket.destroyed) await once(raw.socket, 'close');
  });
  app.addHook('onSend', async () => answered.resolve());
  await serveConsole(app, { folder, basePath: '' });
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${asset} HTTP/1.1\r\nHost: localhost\r\n\r\n`, () => socket.destroy());
  await answered.promise;
  await app.close();
  assert.ok(lines.some((line) => line.includes('incoming request')));
  for (const line of lines) assert.ok(JSON.parse(line).level <= 30, line);
});
