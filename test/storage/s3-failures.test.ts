import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';
import { createS3Store, type S3Options } from '../../src/storage/s3.ts';
import { type ByteStore, StorageUnavailable } from '../../src/storage/storage.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fileOf, keyOf, keysOf, put, read } from '../support/storage/byte-store.ts';
import { before, listen } from '../support/storage/proxy.ts';
import { startS3 } from '../support/storage/s3.ts';

const SECRET = 'a-secret-that-no-message-may-hold';
const MB = 2 ** 20;

/** Every operation of a store, by name, on a key that may or may not exist. */
const OPERATIONS: Record<string, (store: ByteStore, key: string) => Promise<unknown>> = {
  put: (store, key) => store.put(key, fileOf('new')),
  open: (store, key) => read(store, key, 0, 2),
  size: (store, key) => store.size(key),
  remove: (store, key) => store.remove(key),
  keys: (store) => keysOf(store),
};

test('every operation on an unusable storage throws StorageUnavailable, and the message says what to do', async (t) => {
  const s3 = await startS3(t);
  const away = await startS3(t);
  await away.stop();
  const failing = await listen(t, (_req, res) => void res.writeHead(500).end());
  const website = await listen(t, (_req, res) => void res.writeHead(404).end('<html><p>Not found'));
  const { accessKeyId } = s3.credentials;
  const cases: [Partial<S3Options>, RegExp][] = [
    [{ credentials: { accessKeyId, secretAccessKey: SECRET } }, /refuses access \(403 .*secret/],
    [
      { credentials: { accessKeyId: 'unknown', secretAccessKey: SECRET } },
      /refuses access \(403 .*access key/,
    ],
    [{ bucket: 'elsewhere' }, /no bucket "elsewhere": create it/],
    [{ endpoint: away.endpoint }, /cannot be reached \(ECONNREFUSED\): check the endpoint/],
    [{ endpoint: failing }, /fails \(500 .*check its log/],
    [{ endpoint: website }, /correct its name or the endpoint/],
  ];
  for (const [change, words] of cases) {
    const store = createS3Store({ ...s3.options, ...change });
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      await t.test(`${name}: ${words.source}`, async () => {
        await assert.rejects(operation(store, keyOf('old')), (error: Error) => {
          assert.ok(error instanceof StorageUnavailable);
          assert.match(error.message, words);
          assert.ok(error.cause instanceof Error);
          // The error as a log shows it, with its cause.
          assert.doesNotMatch(inspect(error, { depth: null }), /Signature=/);
          assert.ok(!inspect(error, { depth: null, showHidden: true }).includes(SECRET));
          return true;
        });
      });
    }
  }
});

test('a failed put keeps the file, and an unreadable file is not a storage error', async (t) => {
  const s3 = await startS3(t);
  const store = createS3Store({ ...s3.options, bucket: 'elsewhere' });
  const file = fileOf('bytes');
  await assert.rejects(store.put(keyOf('bytes'), file), StorageUnavailable);
  assert.ok(existsSync(file));
  await assert.rejects(createS3Store(s3.options).put(keyOf('bytes'), '/nowhere/upload'), { code: 'ENOENT' });
  await assert.rejects(createS3Store(s3.options).put(keyOf('bytes'), temporaryFolder()), { code: 'EISDIR' });
  assert.deepEqual(await s3.objects(), []);
});

for (const [how, fail] of Object.entries({
  'answers 500': (_req: IncomingMessage, res: ServerResponse) => void res.writeHead(500).end(),
  'breaks the connection': (req: IncomingMessage) => void req.socket.destroy(),
})) {
  test(`the store retries a storage that once ${how}`, async (t) => {
    const s3 = await startS3(t);
    let failures = 0;
    const endpoint = await before(t, s3.endpoint, (req, res) => {
      if (failures === 0) return false;
      failures--;
      // Fails after the whole body: the retry must send all of the body again.
      req.resume().once('end', () => fail(req, res));
      return true;
    });
    const store = createS3Store({ ...s3.options, endpoint });
    const bytes = randomBytes(5 * MB);
    failures = 1;
    const key = await put(store, bytes);
    for (const operation of [OPERATIONS.open, OPERATIONS.size, OPERATIONS.keys, OPERATIONS.remove]) {
      assert.ok(bytes.equals(await read(createS3Store(s3.options), key, 0, bytes.length - 1)));
      failures = 1;
      await operation?.(store, key);
      assert.equal(failures, 0);
    }
    assert.deepEqual(await s3.objects(), []);
  });
}

/** Advances the mocked timers until a promise is settled. */
async function passTime(t: TestContext, something: Promise<unknown>): Promise<void> {
  let settled = false;
  const done = () => {
    settled = true;
  };
  something.then(done, done);
  while (!settled) {
    t.mock.timers.tick(1_000);
    await turn();
  }
}

for (const [name, operation] of Object.entries(OPERATIONS)) {
  test(`the store gives up a storage that never answers: ${name}`, async (t) => {
    const s3 = await startS3(t);
    const endpoint = await listen(t, (req) => void req.resume());
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    const outcome = operation(createS3Store({ ...s3.options, endpoint }), keyOf('bytes'));
    await passTime(t, outcome);
    await assert.rejects(outcome, {
      name: 'StorageUnavailable',
      message: /cannot be reached \((ETIMEDOUT|TimeoutError)\)/,
    });
  });
}

/** Starts a store whose objects announce twice as many bytes as they send. */
async function stallingStore(t: TestContext, sent: number): Promise<ByteStore> {
  const endpoint = await listen(t, (_req, res) => {
    res.writeHead(206, { 'content-length': 2 * sent }).write(Buffer.alloc(sent));
  });
  return createS3Store({ ...(await startS3(t)).options, endpoint });
}

test('the store gives up a storage that stops in the middle of a download', async (t) => {
  const store = await stallingStore(t, 1_000);
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const outcome = read(store, keyOf('bytes'), 0, 1_999);
  await passTime(t, outcome);
  await assert.rejects(outcome, StorageUnavailable);
});

test('a storage that aborts a download is unavailable', async (t) => {
  const endpoint = await listen(t, (_req, res) => {
    res.writeHead(206, { 'content-length': 2_000 }).write(Buffer.alloc(1_000), () => res.destroy());
  });
  const store = createS3Store({ ...(await startS3(t)).options, endpoint });
  await assert.rejects(read(store, keyOf('bytes'), 0, 1_999), StorageUnavailable);
});

test('a client that pauses a download for a long time gets the rest', async (t) => {
  const store = createS3Store((await startS3(t)).options);
  const bytes = randomBytes(16 * MB);
  const key = await put(store, bytes);
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const reader = (await store.open(key, { start: 0, end: bytes.length - 1 })) as Duplex;
  while (!reader.writableNeedDrain) await turn();
  await pause(t);
  assert.ok(bytes.equals(await buffer(reader)));
});

test('the store gives up a storage that stops while the client pauses, once the client continues', async (t) => {
  let answer: ServerResponse | undefined;
  const endpoint = await listen(t, (_req, res) => {
    answer = res.writeHead(206, { 'content-length': 16 * MB });
    answer.flushHeaders();
  });
  const store = createS3Store({ ...(await startS3(t)).options, endpoint });
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const reader = (await store.open(keyOf('bytes'), { start: 0, end: 16 * MB - 1 })) as Duplex;
  // Sends no more bytes than it takes to stop the flow, so that nothing is left to continue with.
  for (let sent = 0; !reader.writableNeedDrain; ) {
    sent += 1_000;
    answer?.write(Buffer.alloc(1_000));
    while (reader.readableLength + reader.writableLength < sent) await turn();
  }
  await pause(t);
  const drained = once(reader, 'drain');
  const outcome = buffer(reader);
  await drained;
  t.mock.timers.tick(30_000);
  assert.equal(reader.destroyed, false, 'the pause does not count');
  await passTime(t, outcome);
  await assert.rejects(outcome, StorageUnavailable);
});

/** Advances the time by an hour in which nobody reads. */
async function pause(t: TestContext): Promise<void> {
  for (let minute = 0; minute < 60; minute++) {
    t.mock.timers.tick(60_000);
    await turn();
  }
}
