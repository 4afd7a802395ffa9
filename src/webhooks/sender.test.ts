import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setGlobalProxyFromEnv } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { after, beforeEach, describe, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { createCertificate } from '../../test/support/certificate.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { RETRY_AFTER_MAX } from '../domain/events/delivery.ts';
import { createSender } from './sender.ts';

const NETWORKS = ['127.0.0.1'];

/** Answers without end, as fast as it is read. */
function writeOn(to: Socket, piece = `402\r\n${'€'.repeat(342)}\r\n`): void {
  if (to.writable) to.write(piece, () => writeOn(to, piece));
}
const ANSWERS: Record<string, (to: Socket) => void> = {
  '/redirect': (to) => to.end('HTTP/1.1 302 Found\r\nlocation: /hook\r\ncontent-length: 0\r\n\r\n'),
  '/upgrade': (to) => to.end('HTTP/1.1 101 Next\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
  '/no-http': (to) => to.end('SSH-2.0-OpenSSH_9.9\r\n'),
  '/large-head': (to) => to.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`),
  '/nothing': (to) => to.destroy(),
  '/hang': () => {},
  '/drip': (to) => to.write('HTTP/1.1 202 OK\r\ncontent-length: 9\r\n\r\ndrip'),
  '/break': (to) => to.end('HTTP/1.1 500 Oh\r\ncontent-length: 9\r\n\r\nbroken'),
  '/long': (to) => to.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', () => writeOn(to)),
  '/crumbs': (to) =>
    to.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', () =>
      writeOn(to, `1;${'x'.repeat(1_000)}\r\na\r\n`),
    ),
  '/interim': (to) => writeOn(to, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  '/one-interim': (to) =>
    to.end('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
  '/nul': (to) => to.end(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\na\0\xffbc', 'latin1')),
};
const { port, seen } = await startReceiver({ after }, (from, path) => {
  const [, header] = /^\/after\/(.+)/.exec(path) ?? [];
  if (header) {
    const head = `HTTP/1.1 503 Busy\r\nretry-after: ${decodeURIComponent(header)}`;
    from.write(`${head}\r\ncontent-length: 0\r\n\r\n`);
  }
  ANSWERS[path]?.(from);
  return header !== undefined || path in ANSWERS;
});
beforeEach(() => {
  seen.length = 0;
});

const NOW = Date.parse('2026-11-06T21:20:00Z');
const sender = createSender({ networks: NETWORKS, clock: () => NOW });
const impatient = createSender({ networks: NETWORKS, timeout: 300 });
/** For an answer that begins in time, even on a busy machine, but does not end. */
const half = createSender({ networks: NETWORKS, timeout: 2_000 });
after(() => {
  for (const one of [sender, impatient, half]) one.close();
});
const to = (path: string) => ({ url: `http://127.0.0.1:${port}${path}`, headers: {}, body: '{}' });
/** Returns the outcome without the time that it took. */
async function outcomeOf(path: string, by = sender) {
  const { ms, ...outcome } = await by.send(to(path));
  assert.ok(Number.isInteger(ms) && ms >= 0);
  return outcome;
}
/** Waits until the first connection is closed. */
async function closed(): Promise<Socket> {
  while (seen.length === 0) await new Promise((done) => setImmediate(done));
  const { from } = seen[0] as { from: Socket };
  // A connection can also end with a reset.
  if (!from.closed) await new Promise((done) => from.once('close', done));
  return from;
}
const answered = (status: number, answer = '') => ({ status, error: null, answer, retryAfter: null });
const failed = (error: string) => ({ status: null, error, answer: '', retryAfter: null });

describe('a request', () => {
  test('carries the headers and the body, and the next uses the same connection', async () => {
    const headers = { 'X-Own': 'own', 'Content-Length': '1', 'webhook-id': 'evt_1' };
    for (const _ of [1, 2]) {
      const { status } = await sender.send({ ...to('/hook?a=1'), headers, body: '{"name":"Zoë"}' });
      assert.equal(status, 200);
    }
    for (const { method, url, body, headers } of seen) {
      assert.deepEqual([method, url, body], ['POST', '/hook?a=1', '{"name":"Zoë"}']);
      assert.deepEqual(headers, {
        'x-own': 'own',
        'webhook-id': 'evt_1',
        host: `127.0.0.1:${port}`,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': '15',
        'user-agent': 'Latchkey',
      });
    }
    assert.equal(seen.length, 2);
    assert.equal(new Set(seen.map(({ from }) => from)).size, 1);
  });

  test('is sent on a new connection where the server has closed the old one', async () => {
    // Closes each connection when it gets a second request on it.
    const used = new Set<Socket>();
    const closing = await startReceiver({ after }, (from) => {
      if (used.has(from)) from.destroy();
      else from.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      return Boolean(used.add(from));
    });
    for (const _ of [1, 2]) {
      const { status, error } = await sender.send({ ...to('/'), url: `http://127.0.0.1:${closing.port}/` });
      assert.deepEqual([status, error], [200, null]);
    }
    assert.equal(closing.seen.length, 3);
  });

  test('with a header that cannot be sent fails', async () => {
    const { error } = await sender.send({ ...to('/'), headers: { 'x-own': 'a\r\nb: c' } });
    assert.equal(error, 'a header has characters that cannot be sent');
    assert.deepEqual(seen, []);
  });

  test('takes no proxy from the environment', async () => {
    const proxy = await startReceiver({ after });
    const address = `http://127.0.0.1:${proxy.port}`;
    const restore = setGlobalProxyFromEnv({ http_proxy: address, https_proxy: address });
    try {
      assert.equal(await (await fetch(to('/').url)).text(), 'thanks');
      assert.deepEqual([proxy.seen.length, seen.length], [1, 0]);
      assert.deepEqual(await outcomeOf('/'), answered(200, 'thanks'));
      assert.deepEqual([proxy.seen.length, seen.length], [1, 1]);
    } finally {
      restore();
    }
  });
});

describe('an answer', () => {
  test('that redirects is not followed', async () => {
    assert.deepEqual(await outcomeOf('/redirect'), answered(302));
    assert.deepEqual(
      seen.map(({ url }) => url),
      ['/redirect'],
    );
  });

  test('that is none', async () => {
    const broken = failed('connection was closed before an answer came');
    assert.deepEqual(await outcomeOf('/nothing'), broken);
    assert.deepEqual(await outcomeOf('/upgrade'), broken);
    assert.deepEqual(await outcomeOf('/no-http'), failed('the answer is not HTTP (HPE_INVALID_CONSTANT)'));
    assert.deepEqual(await outcomeOf('/large-head'), failed('the answer is not HTTP (HPE_HEADER_OVERFLOW)'));
  });

  test('that does not come in time', async () => {
    assert.deepEqual(await outcomeOf('/hang', impatient), failed('no answer within 0.3 s'));
    await closed();
  });

  test('counts if only its body does not end in time, or breaks off', async () => {
    assert.deepEqual(await outcomeOf('/drip', half), answered(202, 'drip'));
    await closed();
    assert.deepEqual(await outcomeOf('/break'), answered(500, 'broken'));
  });

  test('that is long is read to 64 KiB, and kept to 2 KiB of whole characters', async () => {
    const { status, answer } = await outcomeOf('/long');
    assert.equal(status, 200);
    assert.equal(answer, '€'.repeat(682));
    const from = await closed();
    assert.ok(from.bytesWritten < 10_000_000, `${from.bytesWritten} bytes`);
  });

  test('that comes in crumbs is read only for the kept bytes', async () => {
    assert.deepEqual(await outcomeOf('/crumbs'), answered(200, 'a'.repeat(2_048)));
    const from = await closed();
    assert.ok(from.bytesWritten < 10_000_000, `${from.bytesWritten} bytes`);
  });

  test('that only promises an answer, without end, fails', async () => {
    assert.deepEqual(await outcomeOf('/one-interim'), answered(200));
    seen.length = 0;
    assert.deepEqual(await outcomeOf('/interim'), failed('too many interim answers'));
    await closed();
  });

  test('is kept as text that a database can store', async () => {
    assert.deepEqual(await outcomeOf('/nul'), answered(200, 'a\ufffd\ufffdbc'));
  });

  for (const [header, seconds] of [
    ['120', 120],
    ['0', 0],
    ['9'.repeat(400), RETRY_AFTER_MAX],
    ['Fri, 06 Nov 2026 21:21:30 GMT', 90],
    ['Friday, 06-Nov-26 21:21:30 GMT', 90],
    ['Fri, 06 Nov 2026 21:19:00 GMT', 0],
    ['Mon, 06 Nov 2028 21:20:00 GMT', RETRY_AFTER_MAX],
    ['Fri, 31 Foo 2026 21:20:00 GMT', null],
    ['-1', null],
    ['1.5', null],
    ['soon', null],
  ] as const) {
    test(`Retry-After: ${header.slice(0, 40)}`, async () => {
      const { status, retryAfter } = await outcomeOf(`/after/${encodeURIComponent(header)}`);
      assert.deepEqual([status, retryAfter], [503, seconds]);
    });
  }
});

test('nobody listens, at one address or at several', async () => {
  const free = createTcpServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port: unused } = free.address() as AddressInfo;
  await new Promise((done) => free.close(done));
  const addresses = ['127.0.0.1', '127.0.0.3'];
  const several = createSender({
    networks: addresses,
    resolve: async () => addresses.map((address) => ({ address, family: 4 })),
  });
  after(() => several.close());
  for (const host of ['127.0.0.1', 'several.example']) {
    const { error } = await several.send({ ...to('/'), url: `http://${host}:${unused}/` });
    assert.equal(error, 'connection refused', host);
  }
});

test('a closed sender ends what it sends', async () => {
  const closed = createSender({ networks: NETWORKS });
  const outcome = closed.send(to('/hang'));
  while (seen.length === 0) await new Promise((done) => setImmediate(done));
  closed.close();
  assert.equal((await outcome).error, 'Latchkey was stopped');
});

describe('TLS', () => {
  const DAY = 86_400_000;
  const soon = new Date(Date.now() + DAY);
  const good = createCertificate('good.example', soon);
  const expired = createCertificate('expired.example', new Date(Date.now() - DAY));
  const unknown = createCertificate('unknown.example', soon);
  const trusted = getCACertificates();
  const overTls = createSender({
    networks: NETWORKS,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });

  async function outcomeAt(host: string, { key, cert } = good) {
    const server = createTlsServer({ key, cert }, (_request, response) => response.end('secret thanks'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    setDefaultCACertificates([...trusted, good.cert, expired.cert]);
    try {
      const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
      const { ms: _ms, ...outcome } = await overTls.send({ ...to('/'), url });
      return outcome;
    } finally {
      setDefaultCACertificates(trusted);
      server.close();
      server.closeAllConnections();
    }
  }
  after(() => overTls.close());

  test('a certificate must be valid, for the host, and of a known authority', async () => {
    assert.deepEqual(await outcomeAt('good.example'), answered(200, 'secret thanks'));
    assert.deepEqual(await outcomeAt('other.example'), failed('certificate is for another host'));
    assert.deepEqual(await outcomeAt('expired.example', expired), failed('certificate has expired'));
    assert.deepEqual(await outcomeAt('unknown.example', unknown), failed('certificate is self-signed'));
  });

  test('a server without TLS', async () => {
    const url = `https://good.example:${port}/`;
    assert.equal((await overTls.send({ ...to('/'), url })).error, 'no TLS connection');
    assert.deepEqual(seen, []);
  });
});
