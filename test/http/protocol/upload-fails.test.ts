import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Artifacts } from '../../../src/storage/storage.ts';
import { incomingFiles } from '../../support/http/artifacts.ts';
import { field, filePart, form, uploadHead } from '../../support/http/multipart.ts';
import { exchange } from '../../support/http/wire.ts';
import { type Running, startService } from '../../support/service.ts';

/** Uploads that fail in the middle: their first fault is what is told. */
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

/** The answers to an upload of some size, with fields behind it or without. */
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

test('a disk that is full in the middle: 503 with Retry-After, in the log, nothing stays', async (t) => {
  const api = await start(t, (own) => (source, most) => own.receive(full(source), most));
  for await (const { status, headers, body } of uploads(api)) {
    assert.deepEqual([status, JSON.parse(body).code], [503, 'server_error'], body);
    assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    assert.ok(api.logs.splice(0).some((line) => line.includes('ENOSPC')));
  }
});

test('a file that is larger than files may be, which nobody announced: 413, nothing stays', async (t) => {
  const api = await start(t, (own) => (source) => own.receive(source, TAKEN));
  for await (const { status, body } of uploads(api)) {
    assert.deepEqual([status, JSON.parse(body).code], [413, 'rest_content_too_large'], body);
  }
});
