import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Artifacts } from '../../../src/storage/storage.ts';
import { incomingFiles, storedFiles } from '../../support/http/artifacts.ts';
import { field, filePart, form, uploadHead } from '../../support/http/multipart.ts';
import { exchange, Wire } from '../../support/http/wire.ts';
import { type Running, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

/** Tests uploads that fail in the middle: the answer reports the first error. */
const TAKEN = 100_000;

async function* full(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > TAKEN) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    yield chunk;
  }
}
const start = (t: TestContext, receive: (own: Artifacts) => Artifacts['receive']): Promise<Running> =>
  startService(t, { artifacts: (own) => ({ ...own, receive: receive(own) }) });

/** Yields the answers to uploads of two sizes, with and without a field after the file. */
async function* uploads(api: Running) {
  const path = `/software/${(await api.software()).id}/releases`;
  for (const size of [TAKEN + 1, 3_000_000]) {
    const parts = [field('version', '1.0'), filePart(Buffer.alloc(size))];
    for (const body of [form(...parts), form(...parts, field('changelog', 'x'))]) {
      const head = uploadHead(api, path, [`Content-Length: ${body.length}`]);
      yield await exchange(api.port, Buffer.concat([Buffer.from(head), body]));
      assert.deepEqual(incomingFiles(api.dataDir), []);
      assert.deepEqual(await api.ok('GET', path), []);
    }
  }
}

test('a disk that fills up during an upload: 503 with Retry-After and a log line, nothing stays', async (t) => {
  const api = await start(t, (own) => (source, most) => own.receive(full(source), most));
  for await (const { status, headers, body } of uploads(api)) {
    assert.deepEqual([status, JSON.parse(body).code], [503, 'server_error'], body);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.ok(api.logs.splice(0).some((line) => line.includes('ENOSPC')));
  }
});

test('a file above the size limit whose size was not announced: 413, nothing stays', async (t) => {
  const api = await start(t, (own) => (source) => own.receive(source, TAKEN));
  for await (const { status, body } of uploads(api)) {
    assert.deepEqual([status, JSON.parse(body).code], [413, 'rest_content_too_large'], body);
  }
});

test('a client that disconnects while its file is stored: nothing is published', async (t) => {
  const placing = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const api = await startService(t, {
    artifacts: (own) => ({
      ...own,
      async place(received) {
        await own.place(received);
        placing.resolve();
        await left.promise;
      },
    }),
  });
  const path = `/software/${(await api.software()).id}/releases`;
  const content = 'the bytes of a release';
  const body = form(field('version', '1.0'), filePart(content));
  const sockets: Socket[] = [];
  const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
  subscribe('http.server.request.start', note);
  t.after(() => unsubscribe('http.server.request.start', note));
  const wire = await Wire.open(api.port);
  wire.write(uploadHead(api, path, [`Content-Length: ${body.length}`])).write(body);
  await placing.promise;
  wire.close();
  await once(sockets.at(-1) as Socket, 'close');
  left.resolve();
  await until(() => storedFiles(api.dataDir, content).length === 0);
  assert.deepEqual(await api.ok('GET', path), []);
});
