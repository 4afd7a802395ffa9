import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, truncateSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { createS3Store } from '../../src/storage/s3.ts';
import { type ByteStore, BytesMissing } from '../../src/storage/storage.ts';
import { collectGarbage } from '../support/garbage.ts';
import { fileOf, keyOf, keysOf, put, read } from '../support/storage/byte-store.ts';
import { before } from '../support/storage/proxy.ts';
import { startS3 } from '../support/storage/s3.ts';
import { until } from '../support/until.ts';

const AS = {
  contentDisposition: 'attachment; filename="plug in (1).zip"; filename*=UTF-8\'\'pl%C3%BCg%20in%20(1).zip',
  contentType: 'application/zip',
};
const MB = 2 ** 20;

test('memory stays flat, however large the file', async (t) => {
  const store = createS3Store((await startS3(t)).options);
  const size = 120 * MB;
  const key = keyOf('not hashed');
  const file = fileOf('');
  truncateSync(file, size);
  // The memory of buffers in use. Unlike that of the process, it contains nothing that earlier tests have left free.
  const used = () => {
    collectGarbage({ type: 'minor' });
    return process.memoryUsage().external;
  };
  const atFirst = used();
  let most = atFirst;
  const look = setInterval(() => {
    most = Math.max(most, used());
  }, 10);
  t.after(() => clearInterval(look));
  await store.put(key, file);
  let received = 0;
  for await (const chunk of await store.open(key, { start: 0, end: size - 1 })) received += chunk.length;
  assert.equal(received, size);
  const growth = most - atFirst;
  t.diagnostic(`grew by ${Math.round(growth / MB)} MB`);
  assert.ok(growth < size / 2, `grew by ${growth} bytes`);
});

test('put moves a file into the store, which reads it in full and in ranges', async (t) => {
  const s3 = await startS3(t);
  const store = createS3Store(s3.options);
  const key = keyOf('0123456789');
  const file = fileOf('0123456789');
  await store.put(key, file);
  assert.equal(existsSync(file), false);
  assert.equal(await store.size(key), 10);
  assert.equal(String(await read(store, key, 0, 9)), '0123456789');
  assert.equal(String(await read(store, key, 3, 5)), '345');
  assert.equal(String(await read(store, key, 9, 9)), '9');
  assert.equal(String(await read(store, key, 0, 0)), '0');
  assert.deepEqual(await s3.objects(), [key]);
});

test('a removed file is gone, and removing it again has no effect', async (t) => {
  const s3 = await startS3(t);
  const store = createS3Store(s3.options);
  const [key, other] = [await put(store, 'one'), await put(store, 'other')];
  await store.remove(key);
  await store.remove(key);
  assert.equal(await store.size(key), null);
  assert.deepEqual(await s3.objects(), [other]);
});

test('an empty file is an empty object', async (t) => {
  const store = createS3Store((await startS3(t)).options);
  const key = await put(store, '');
  assert.equal(await store.size(key), 0);
  const answer = await fetch((await store.signedUrl(key, AS)) as string);
  assert.deepEqual([answer.status, await answer.text()], [200, '']);
});

test('an upload is one request with the length and the hash of its bytes', async (t) => {
  const s3 = await startS3(t);
  const seen: IncomingMessage[] = [];
  const endpoint = await before(t, s3.endpoint, (req) => {
    seen.push(req);
    return false;
  });
  const bytes = randomBytes(3 * MB);
  await put(createS3Store({ ...s3.options, endpoint }), bytes);
  assert.deepEqual(
    seen.map(({ method, headers }) => [
      method,
      headers['content-length'],
      headers['x-amz-content-sha256'],
      headers['transfer-encoding'],
    ]),
    [['PUT', String(bytes.length), createHash('sha256').update(bytes).digest('hex'), undefined]],
  );
});

test('keys lists our objects below the prefix with their times, over several pages', async (t) => {
  const s3 = await startS3(t);
  const ours = Array.from({ length: 1_001 }, (_, i) => keyOf(`object ${i}`)).sort();
  await Promise.all(ours.map((key) => s3.plant(`latchkey/${key}`, 'x')));
  for (const key of [`latchkey/${'a'.repeat(64)}.1`, 'latchkey/readme.txt', keyOf('outside')])
    await s3.plant(key, 'x');
  const store = createS3Store({ ...s3.options, prefix: 'latchkey/' });
  assert.deepEqual(await keysOf(store), ours);
  for await (const { since } of store.keys()) assert.ok(Math.abs(Date.now() - since) < 60_000, String(since));
});

test('two prefixes are two stores', async (t) => {
  const s3 = await startS3(t);
  const [one, two] = ['one/', 'two/'].map((prefix) => createS3Store({ ...s3.options, prefix })) as [
    ByteStore,
    ByteStore,
  ];
  const key = await put(one, 'here');
  assert.deepEqual(await s3.objects(), [`one/${key}`]);
  assert.deepEqual([await keysOf(one), await keysOf(two)], [[key], []]);
  assert.equal(String(await read(one, key, 0, 3)), 'here');
  assert.deepEqual([await one.size(key), await two.size(key)], [4, null]);
  await two.remove(key);
  const answer = await fetch((await one.signedUrl(key, AS)) as string);
  assert.equal(await answer.text(), 'here');
});

test('a signed URL works for anybody, with the chosen name and type, and in ranges', async (t) => {
  const store = createS3Store((await startS3(t)).options);
  const key = await put(store, '0123456789');
  const address = (await store.signedUrl(key, AS)) as string;
  const whole = await fetch(address);
  assert.deepEqual(
    [whole.status, whole.headers.get('content-disposition'), whole.headers.get('content-type')],
    [200, AS.contentDisposition, AS.contentType],
  );
  assert.equal(await whole.text(), '0123456789');
  const part = await fetch(address, { headers: { range: 'bytes=2-4' } });
  assert.deepEqual([part.status, await part.text()], [206, '234']);
});

test('a signed URL is valid for five minutes and for one object', async (t) => {
  const store = createS3Store((await startS3(t)).options);
  const key = await put(store, 'bytes');
  const other = await put(store, 'other');
  const now = Date.now();
  const madeBefore = async (seconds: number) => {
    t.mock.timers.enable({ apis: ['Date'], now: now - seconds * 1_000 });
    const address = (await store.signedUrl(key, AS)) as string;
    t.mock.timers.reset();
    return address;
  };
  assert.equal((await fetch(await madeBefore(240))).status, 200);
  const late = await fetch(await madeBefore(310));
  assert.equal(late.status, 403);
  assert.match(await late.text(), /Request has expired/);
  const turned = (await madeBefore(0)).replace(key, other);
  assert.equal((await fetch(turned)).status, 403);
});

test('without redirects there are no signed URLs', async (t) => {
  const store = createS3Store({ ...(await startS3(t)).options, redirect: false });
  assert.equal(await store.signedUrl(await put(store, 'bytes'), AS), null);
});

test('the bucket is in the host name on Amazon, and in the path elsewhere', async () => {
  const cases = [
    [null, 'https://releases.s3.eu-central-1.amazonaws.com/'],
    ['https://minio.example.com', 'https://minio.example.com/releases/'],
  ] as const;
  for (const [endpoint, start] of cases) {
    const store = createS3Store({
      bucket: 'releases',
      endpoint,
      region: 'eu-central-1',
      prefix: '',
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
      redirect: true,
    });
    const key = keyOf('bytes');
    const { origin, pathname } = new URL((await store.signedUrl(key, AS)) as string);
    assert.equal(origin + pathname, start + key);
  }
});

test('reading absent or incomplete bytes throws BytesMissing', async (t) => {
  const store = createS3Store((await startS3(t)).options);
  await assert.rejects(read(store, keyOf('never'), 0, 4), BytesMissing);
  const key = await put(store, 'short');
  await assert.rejects(read(store, key, 0, 5), BytesMissing);
  await assert.rejects(read(store, key, 7, 9), BytesMissing);
  assert.equal(await store.size(keyOf('never')), null);
});

test('more concurrent downloads than the SDK has sockets make progress', async (t) => {
  const store = createS3Store((await startS3(t)).options);
  const bytes = randomBytes(MB);
  const key = await put(store, bytes);
  const readers = await Promise.all(
    Array.from({ length: 60 }, () => store.open(key, { start: 0, end: bytes.length - 1 })),
  );
  for (const contents of await Promise.all(readers.map((reader) => buffer(reader))))
    assert.ok(bytes.equals(contents));
});

test('a reader that is destroyed early releases its connection', async (t) => {
  const s3 = await startS3(t);
  const key = await put(createS3Store(s3.options), Buffer.alloc(16 * MB));
  await until(async () => (await s3.connections()) === 0);
  const store = createS3Store(s3.options);
  const reader = await store.open(key, { start: 0, end: 16 * MB - 1 });
  await reader[Symbol.asyncIterator]().next();
  assert.equal(await s3.connections(), 1);
  reader.destroy();
  await until(async () => (await s3.connections()) === 0);
});
