import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { runSql } from '../../support/engine.ts';
import { basicHeader } from '../../support/http/api.ts';
import { Wire } from '../../support/http/wire.ts';
import { type Running, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** The number of downloads that are requested on one connection and not yet read. */
const COUNT = 30;
/** More than the operating system buffers for both ends of a connection. */
const SIZE = 2_000_000;
const FEW = 15;

const descriptors = () => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

async function start(t: TestContext) {
  const storage = { opened: 0 };
  const api = await startService(t, {
    artifacts: (own) => ({
      ...own,
      open(key, range) {
        storage.opened++;
        return own.open(key, range);
      },
    }),
  });
  return { api, storage };
}

/** Creates a release whose file repeats one letter. Returns the bytes of a request for the file. */
async function download(api: Running, letter: string, size = SIZE): Promise<{ id: number; request: string }> {
  const { id } = await api.software({ access: 'public' });
  await api.release(id, { file: new File([letter.repeat(size)], 'x.zip') });
  const { pathname } = new URL((await api.ok('GET', `/software/${id}`)).download_url);
  const headers = ['Host: 127.0.0.1', `Authorization: ${basicHeader(api.credentials)}`];
  return { id, request: [`GET ${pathname} HTTP/1.1`, ...headers, '\r\n'].join('\r\n') };
}

/** Sends requests, and waits until the service has received all of them. */
async function pipelined(t: TestContext, api: Running, requests: string): Promise<Wire> {
  const count = requests.split('\r\n\r\n').length - 1;
  let begun = 0;
  const begin = () => void begun++;
  subscribe('http.server.request.start', begin);
  const wire = await Wire.open(api.port);
  t.after(() => wire.close());
  wire.hold(true);
  wire.write(requests);
  await until(() => begun >= count);
  unsubscribe('http.server.request.start', begin);
  // These 20 requests take longer than answering everything would.
  for (let i = 0; i < 20; i++) await api.ok('GET', '/software');
  return wire;
}

const downloadsOf = async (api: Running, id: number): Promise<number> =>
  (await api.ok('GET', `/software/${id}/downloads`))[0]?.downloads ?? 0;

test('pipelined downloads hold no file and no memory before their turn, and arrive complete and in order', async (t) => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on('warning', warned);
  t.after(() => process.off('warning', warned));
  const { api, storage } = await start(t);
  const [a, b] = [await download(api, 'a'), await download(api, 'b')];
  const before = descriptors();
  const wire = await pipelined(t, api, (a.request + b.request).repeat(COUNT / 2));
  assert.ok(storage.opened <= FEW, `${storage.opened} files were opened`);
  assert.ok(descriptors() <= before + FEW);
  assert.ok((await downloadsOf(api, a.id)) <= FEW);
  wire.hold(false);
  for (let i = 0; i < COUNT; i++) {
    const { status, body } = await wire.answer();
    assert.equal(status, 200);
    assert.ok(body === (i % 2 ? 'b' : 'a').repeat(SIZE), `answer ${i}`);
  }
  assert.equal(storage.opened, COUNT);
  assert.deepEqual([await downloadsOf(api, a.id), await downloadsOf(api, b.id)], [COUNT / 2, COUNT / 2]);
  assert.deepEqual(warnings, []);
});

test('pipelined downloads of a closed connection are not started any more', async (t) => {
  const { api, storage } = await start(t);
  const { id, request } = await download(api, 'a');
  (await pipelined(t, api, request.repeat(COUNT))).close();
  for (let i = 0; i < 20; i++) await api.ok('GET', '/software');
  assert.ok(storage.opened <= FEW);
  // A download whose file is just being opened is recorded a moment later.
  await until(async () => (await downloadsOf(api, id)) >= storage.opened);
  assert.equal(await downloadsOf(api, id), storage.opened);
});

test('other requests between downloads are answered in their turn', async (t) => {
  const { api } = await start(t);
  const { request } = await download(api, 'a', 10);
  const other = request.replace(/GET \S+/, 'GET /wp-json/dlm/v1/generators');
  const head = request.replace('GET', 'HEAD');
  const refused = request.replace(/GET \S+/, 'GET /wp-json/dlm/v1/software/download/forged');
  const wire = await pipelined(t, api, (request + other + head + refused).repeat(5));
  wire.hold(false);
  for (let i = 0; i < 20; i++) {
    const { status } = await wire.answer({ head: i % 4 === 2 });
    assert.equal(status, i % 4 === 3 ? 404 : 200);
  }
});

test('a connection with too many waiting requests is closed', async (t) => {
  const { api, storage } = await start(t);
  const { request } = await download(api, 'a');
  const wire = await Wire.open(api.port);
  t.after(() => wire.close());
  wire.write(request.repeat(20_000));
  await wire.closed();
  assert.ok(storage.opened < 20_000);
});

test('a pipelined list is read only after the answers before it are sent', async (t) => {
  const { api } = await start(t);
  const generator = { name: 'G', charset: 'ABCDEFGH', chunks: 4, chunk_length: 50, activations_limit: 0 };
  const { id } = await api.ok('POST', '/generators', { json: generator });
  await api.ok('POST', `/generators/${id}/generate`, { json: { amount: 1_000, save: true } });
  let handled = 0;
  const handle = () => void handled++;
  subscribe('tracing:fastify.request.handler:start', handle);
  t.after(() => unsubscribe('tracing:fastify.request.handler:start', handle));
  const headers = ['Host: 127.0.0.1', `Authorization: ${basicHeader(api.credentials)}`];
  const request = ['GET /wp-json/dlm/v1/licenses?per_page=1000 HTTP/1.1', ...headers, '\r\n'].join('\r\n');
  const wire = await pipelined(t, api, request.repeat(COUNT));
  // 20 of them are requests on other connections.
  assert.ok(handled <= 20 + FEW, `${handled} were started`);
  wire.hold(false);
  for (let i = 0; i < COUNT; i++) {
    const { status, body } = await wire.answer();
    assert.equal(status, 200);
    assert.equal(JSON.parse(body).data.length, 1_000);
  }
});

test('if unread answers take too much memory, the longest-waiting connections are closed and others are served', async (t) => {
  const large = Buffer.alloc(8_000_000, 'a');
  const api = await startService(t, {
    artifacts: (own) => ({
      ...own,
      open: async () => ({
        async *[Symbol.asyncIterator]() {
          yield large;
        },
        destroy() {},
      }),
    }),
  });
  const { request } = await download(api, 'a', large.length);
  const warnings = () => api.logs.filter((line) => line.includes('"unread_answers"')).length;
  const wires: Wire[] = [];
  try {
    // Eight answers fit in 64 MiB.
    while (warnings() === 0) {
      assert.ok(wires.length < 12, 'the service keeps all answers');
      wires.push(await pipelined(t, api, request));
    }
    assert.ok(wires.length > 8);
    const [longest, next] = wires;
    longest?.hold(false);
    await assert.rejects(async () => longest?.answer(), /the connection ended/);
    next?.hold(false);
    assert.equal((await next?.answer())?.body.length, large.length);
  } finally {
    // A stopping service waits for answers that it is still sending.
    for (const wire of wires) wire.close();
  }
});

/** Makes the revocation list as long as it can be, which is more than the system's buffers of a connection hold. */
const manyRevocations = (api: Running) =>
  runSql(
    api.dataDir,
    `insert into revocations (kind, object_id, revoked_at, until)
     with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)
     select 'license', n + 9007199254600000, '9998-01-01 00:00:00', '9999-01-01 00:00:00' from numbers`,
  );
const LIST_SIGNED_AGAIN_MS = 6 * 3_600_000;
const LIST = 'GET /client/v1/revocations HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n';

test('clients that do not read the revocation list take no memory from others: all get the same bytes', async (t) => {
  const api = await startService(t);
  await manyRevocations(api);
  const list = await (await fetch(`${new URL(api.root).origin}/client/v1/revocations`)).text();
  assert.ok(list.length > 3_500_000, `${list.length} bytes`);
  const wires: Wire[] = [];
  t.after(() => wires.forEach((wire) => void wire.close()));
  for (let i = 0; i < 100; i++) {
    const wire = await Wire.open(api.port);
    wires.push(wire);
    wire.hold(true);
    wire.write(LIST);
  }
  await until(() => api.logs.filter((line) => line.includes('/client/v1/revocations')).length > 0);
  for (let i = 0; i < 20; i++) await api.ok('GET', '/software');
  assert.deepEqual(
    api.logs.filter((line) => line.includes('"unread_answers"')),
    [],
  );
  wires[0]?.hold(false);
  assert.equal((await wires[0]?.answer())?.body.toString(), list);
});

test('of the clients that do not read revocation lists, those that wait for the oldest of many lists are closed', async (t) => {
  let now = Date.now();
  const api = await startService(t, { clock: () => now });
  await manyRevocations(api);
  const sockets: Socket[] = [];
  for (let nth = 0; nth < 20; nth++) {
    now += LIST_SIGNED_AGAIN_MS;
    // Paused from the start: once a program reads, the system enlarges the buffers until they may hold all of a list.
    const socket = connect(api.port, '127.0.0.1')
      .on('error', () => {})
      .pause();
    t.after(() => socket.destroy());
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(LIST);
    // The answer to a later request shows that the list of this one has been chosen.
    await fetch(`${new URL(api.root).origin}/client/v1/revocations`, { method: 'HEAD' });
  }
  const bytesOf = async (nth: number): Promise<number> => {
    const socket = sockets[nth] as Socket;
    socket.end();
    socket.resume();
    if (!socket.closed) await once(socket, 'close');
    return socket.bytesRead;
  };
  const whole = await bytesOf(19);
  assert.ok(whole > 3_500_000);
  assert.ok((await bytesOf(0)) < whole);
  assert.ok((await bytesOf(5)) > 3_500_000);
});
