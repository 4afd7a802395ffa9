import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import Fastify from 'fastify';
import { boundConnections, TIMEOUTS } from '../../../src/http/limits/connections.ts';
import { basicHeader } from '../../support/http/api.ts';
import { field, filePart, form, uploadHead } from '../../support/http/multipart.ts';
import { Wire } from '../../support/http/wire.ts';
import { type Options, type Running, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Long enough for a loaded machine to answer within them, for tests that expect an answer. */
const SOON = { ...TIMEOUTS, check: 20, leaving: 0 };

async function started(t: TestContext, options: Options): Promise<Running> {
  return startService(t, options);
}
async function open(t: TestContext, api: Running): Promise<Wire> {
  const wire = await Wire.open(api.port);
  t.after(() => wire.close());
  return wire;
}
const head = (api: Running, line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: x', `Authorization: ${basicHeader(api.credentials)}`, ...headers, '\r\n'].join(
    '\r\n',
  );

test('a connection that sends nothing, or only part of its headers, gets 408 and is closed', async (t) => {
  const api = await started(t, { server: { timeouts: { ...SOON, head: 300 } } });
  for (const part of ['', 'GET /wp-json/dlm/v1/licenses HT', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: b\r\n']) {
    const wire = (await open(t, api)).write(part);
    const { status } = await wire.answer();
    assert.equal(status, 408, part);
    assert.equal(await wire.closed(), true);
  }
});

test('a slow body is refused and its connection closed; a later request has no more time than the first', async (t) => {
  const api = await started(t, { server: { timeouts: { ...SOON, head: 2_400, request: 3_000 } } });
  const wire = await open(t, api);
  wire.write(head(api, 'GET /wp-json/dlm/v1/licenses'));
  assert.equal((await wire.answer()).status, 200);
  wire.write(`${head(api, 'POST /wp-json/dlm/v1/licenses', 'Content-Length: 100')}license_key=`);
  const { status, json } = await wire.answer();
  assert.equal(status, 408);
  assert.equal(json().code, 'rest_request_timeout');
  assert.equal(await wire.closed(), true);
});

test('an upload may take longer than other requests, and so may its processing', async (t) => {
  const timeouts = { ...SOON, head: 1_800, request: 2_400, stalled: 3_000 };
  const api = await started(t, {
    server: { timeouts },
    artifacts: (own) => ({
      ...own,
      async place(...args: Parameters<typeof own.place>) {
        await setTimeout(2 * timeouts.stalled);
        return own.place(...args);
      },
    }),
  });
  const { id } = await api.software();
  const body = form(field('version', '1.0.0'), filePart('x'.repeat(100)));
  const wire = await open(t, api);
  wire.write(uploadHead(api, `/software/${id}/releases`, [`Content-Length: ${body.length}`]));
  for (let i = 0; i < 10; i++) {
    wire.write(body.subarray((i * body.length) / 10, ((i + 1) * body.length) / 10));
    await setTimeout(timeouts.request / 5);
  }
  assert.equal((await wire.answer()).status, 200);
});

test('a server that stops answers what is under way on idle connections, and then closes them', async (t) => {
  const api = await started(t, { server: { timeouts: { ...SOON, leaving: 60_000 } } });
  const wire = await open(t, api);
  for (const connection of ['keep-alive', 'close']) {
    const stopped = connection === 'close' ? api.stop() : null;
    wire.write(head(api, 'GET /wp-json/dlm/v1/software'));
    const { status, headers } = await wire.answer();
    assert.deepEqual([status, headers.get('connection')], [200, connection]);
    await stopped;
  }
  assert.equal(await wire.closed(), true);
});

test('the server gives up an answer that nobody reads', async (t) => {
  // Long enough for the upload on a loaded machine.
  const api = await started(t, { server: { timeouts: { ...SOON, stalled: 3_000 } } });
  const { id } = await api.software({ access: 'public' });
  // More than the operating system buffers for both ends of a connection.
  await api.release(id, { file: new File(['x'.repeat(30_000_000)], 'x.zip') });
  const { pathname } = new URL((await api.ok('GET', `/software/${id}`)).download_url);
  const opened = new Promise<Socket>((resolve) => {
    const take = (message: unknown) => resolve((message as { socket: Socket }).socket);
    subscribe('net.server.socket', take);
    t.after(() => unsubscribe('net.server.socket', take));
  });
  const wire = await open(t, api);
  const socket = await opened;
  wire.hold(true);
  wire.write(head(api, `GET ${pathname}`));
  await once(socket, 'close');
  wire.hold(false);
  await assert.rejects(wire.answer(), /the connection ended/);
});

test('connections above the limit are closed at once with a log line, and a freed place can be used again', async (t) => {
  const api = await started(t, { server: { maxConnections: 5 } });
  const wires = await Promise.all(Array.from({ length: 5 }, () => open(t, api)));
  for (const wire of wires) {
    wire.write(head(api, 'GET /wp-json/dlm/v1/licenses'));
    assert.equal((await wire.answer()).status, 200);
  }
  const more = await open(t, api);
  assert.equal(await more.closed(), true);
  assert.equal(api.logs.filter((line) => line.includes('connections_refused')).length, 1);
  wires[0]?.close();
  await until(async () => {
    const again = (await open(t, api)).write(head(api, 'GET /wp-json/dlm/v1/licenses'));
    return again.answer().then(
      ({ status }) => status === 200,
      () => false,
    );
  });
});

/** Starts a server that sees every connection come from `remoteAddress`. */
async function seenFrom(t: TestContext, remoteAddress: string, trustProxy: boolean | string) {
  const app = Fastify();
  app.get('/', async () => 'ok');
  app.server.prependListener('connection', (socket: Socket) =>
    Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress }),
  );
  boundConnections(app, { maxConnections: 30, trustProxy });
  await app.listen({ host: '127.0.0.1', port: 0 });
  t.after(() => app.close());
  const ask = async () => {
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const [data] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return { isServed: Buffer.isBuffer(data), socket };
  };
  return ask;
}

test('one address may use a tenth of all connections, and closing one makes room', async (t) => {
  const ask = await seenFrom(t, '198.51.100.7', false);
  const open = [await ask(), await ask(), await ask()];
  assert.deepEqual(
    open.map(({ isServed }) => isServed),
    [true, true, true],
  );
  assert.equal((await ask()).isServed, false);
  open[0]?.socket.destroy();
  await until(async () => (await ask()).isServed);
});

test('a proxy may use more, if it is trusted, on this machine or in a private network', async (t) => {
  for (const [address, trust] of [
    ['198.51.100.7', '198.51.100.0/24'],
    ['127.0.0.1', false],
    ['::ffff:10.1.2.3', false],
    ['fd00::1', false],
  ] as const) {
    const ask = await seenFrom(t, address, trust);
    for (let i = 0; i < 6; i++) assert.equal((await ask()).isServed, true, address);
  }
});

test('a connection whose waiting requests take too much memory for headers is closed', async (t) => {
  const api = await started(t, {});
  const { id } = await api.software({ access: 'public' });
  await api.release(id, { file: new File(['x'.repeat(20_000_000)], 'x.zip') });
  const { pathname } = new URL((await api.ok('GET', `/software/${id}`)).download_url);
  let begun = 0;
  const begin = () => void begun++;
  subscribe('http.server.request.start', begin);
  t.after(() => unsubscribe('http.server.request.start', begin));
  const wire = await open(t, api);
  wire.hold(true);
  const large = head(api, 'GET /wp-json/dlm/v1/licenses', `X-Fill: ${'x'.repeat(50_000)}`);
  wire.write(head(api, `GET ${pathname}`) + large.repeat(300));
  // 41 such requests are 2 MiB.
  await until(() => begun > 41);
  wire.hold(false);
  await wire.closed();
  assert.ok(begun < 200, `${begun} were accepted`);
});

test('large bodies that arrive slowly share a limit, and small bodies are still accepted', async (t) => {
  const api = await started(t, {});
  const { license_key: key } = await api.license({ activations_limit: 0 });
  const size = 1_000_000;
  const start = head(
    api,
    `POST /wp-json/dlm/v1/licenses/activate/${key}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${size}`,
  );
  const wires: Wire[] = [];
  for (let i = 0; i < 80; i++) wires.push((await open(t, api)).write(start).write('x'.repeat(size - 10)));
  const refused = await Promise.any(wires.map((wire) => wire.answer()));
  assert.equal(refused.status, 503);
  assert.ok(refused.headers.get('retry-after'));
  await api.ok('POST', `/licenses/activate/${key}`, { form: { label: 'small' } });
  for (const wire of wires) wire.close();
  const large = { label: 'x', 'meta[a]': 'x'.repeat(500_000) };
  await until(
    async () => (await api.call('POST', `/licenses/activate/${key}`, { form: large })).status === 200,
  );
});

test('connections that send long headers and half of a body are closed before they take too much memory', async (t) => {
  const api = await started(t, {});
  const long = `x-long: ${'x'.repeat(60_000)}`;
  // Requests that are answered count no longer, whatever they are, nor those whose connection is closed since.
  const lines = ['POST /wp-json/dlm/v1/licenses', 'GET /healthz', 'DELETE /none', 'POST /client/v1/validate'];
  const answered = async (line: string, body: string) => {
    const wire = await open(t, api);
    wire.write(head(api, line, long, 'Content-Length: 2') + body);
    assert.ok((await wire.answer()).status >= 200);
    wire.close();
  };
  for (const line of lines) await Promise.all(Array.from({ length: 100 }, () => answered(line, '{}')));
  await Promise.all(Array.from({ length: 100 }, () => answered('GET /healthz', '{')));
  let closed = 0;
  const sockets: Socket[] = [];
  const half = (...hosts: string[]) =>
    `${head(api, 'POST /client/v1/validate', ...hosts, long, 'Content-Length: 100')}{`;
  for (let nth = 0; nth < 1_300; nth++) {
    // Those with two hosts are refused at once.
    const bytes = nth % 2 === 0 ? half() : half('Host: y');
    const socket = connect(api.port, '127.0.0.1', () => socket.write(bytes)).on('error', () => {});
    socket.once('close', () => closed++);
    sockets.push(socket);
    if (nth % 50 === 0) await once(socket, 'connect');
  }
  await until(() => closed > 0);
  await api.ok('GET', '/software');
  const few = closed;
  // A stopping service waits for requests that have begun.
  for (const socket of sockets) socket.destroy();
  assert.ok(few < 110, `${few} were closed`);
});
