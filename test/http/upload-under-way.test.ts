import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { after, suite, test } from 'node:test';
import type { Record_ } from '../support/http/api.ts';
import { incomingFiles, storedFiles } from '../support/http/artifacts.ts';
import { BOUNDARY, comingIn, field, filePart, form, uploadHead } from '../support/http/multipart.ts';
import { Wire, type WireAnswer } from '../support/http/wire.ts';
import { startService } from '../support/service.ts';

const api = await startService({ after });
const newPath = async (): Promise<string> => `/software/${(await api.software()).id}/releases`;
const releasesAt = (path: string): Promise<Record_[]> => api.ok('GET', path);
const head = (path: string, headers: string[], method?: string) => uploadHead(api, path, headers, method);
const refused = ({ status, body }: WireAnswer, wanted: number, code: string) =>
  assert.deepEqual([status, JSON.parse(body).code], [wanted, code], body);
const nothingStays = async (path: string, bytes: Buffer | string) => {
  await comingIn(api, 0);
  assert.deepEqual(await releasesAt(path), []);
  assert.deepEqual(storedFiles(api.dataDir, bytes), []);
};

suite('a connection that is cut in the middle of an upload leaves nothing', () => {
  const content = randomBytes(200_000);
  const whole = form(field('version', '1.0'), filePart(content), field('changelog', 'x'));
  const fileAt = whole.indexOf(content);
  const CUTS: [what: string, at: number][] = [
    ['before the body', 0],
    ['in the first boundary', 5],
    ['in a field', 80],
    ['in the headers of the file', fileAt - 20],
    ['before the first byte of the file', fileAt],
    ['after the first byte of the file', fileAt + 1],
    ['in the first 64 KiB', fileAt + 65_536],
    ['in the middle', fileAt + 100_000],
    ['before the last byte of the file', fileAt + content.length - 1],
    ['after the file', fileAt + content.length],
    ['in the boundary after the file', fileAt + content.length + 10],
    ['in the field after the file', fileAt + content.length + 80],
    ['before the last boundary', whole.length - BOUNDARY.length - 6],
    ['in the last boundary', whole.length - 10],
    ['before the last two hyphens', whole.length - 4],
  ];
  for (const [what, at] of CUTS) {
    for (const [how, headers] of [
      ['with a length', [`Content-Length: ${whole.length}`]],
      ['chunked', ['Transfer-Encoding: chunked']],
    ] as const) {
      test(`${what}, ${how}`, async () => {
        const path = await newPath();
        const wire = await Wire.open(api.port);
        const sent = whole.subarray(0, at);
        const chunk = Buffer.concat([Buffer.from(`${at.toString(16)}\r\n`), sent, Buffer.from('\r\n')]);
        wire.write(head(path, [...headers])).write(how === 'chunked' && at > 0 ? chunk : sent);
        // If a part of the file was sent, wait until the server receives it before cutting.
        if (at > fileAt) await comingIn(api, 1);
        wire.close();
        await nothingStays(path, content);
      });
    }
  }
  test('while it would replace another file: the other file stays', async () => {
    const path = await newPath();
    const { id } = await api.ok('POST', path, {
      multipart: { version: '1.0', file: new File(['old'], 'old.zip') },
    });
    const [before] = await releasesAt(path);
    const wire = await Wire.open(api.port);
    wire.write(head(`${path}/${id}`, [`Content-Length: ${whole.length}`], 'PUT'));
    wire.write(whole.subarray(0, fileAt + 5));
    await comingIn(api, 1);
    wire.close();
    await comingIn(api, 0);
    assert.deepEqual(await releasesAt(path), [before]);
  });
});

suite('concurrent uploads', () => {
  test('an upload that pauses does not block other requests, and succeeds', async () => {
    const path = await newPath();
    const whole = form(field('version', '1.0'), filePart(randomBytes(100_000)));
    const wire = await Wire.open(api.port);
    wire.write(head(path, [`Content-Length: ${whole.length}`])).write(whole.subarray(0, 50_000));
    await comingIn(api, 1);
    for (let i = 0; i < 20; i++) await api.license();
    assert.equal((await api.release((await api.software()).id)).size, 5);
    const answer = await wire.write(whole.subarray(50_000)).answer();
    wire.close();
    assert.equal(answer.status, 200, answer.body);
    assert.deepEqual(incomingFiles(api.dataDir), []);
  });
  test('two uploads of the same bytes create two releases with one file', async () => {
    const content = randomBytes(500_000);
    const whole = form(field('version', '1.0'), filePart(content));
    const paths = await Promise.all([newPath(), newPath()]);
    const wires = await Promise.all(paths.map(() => Wire.open(api.port)));
    for (const [i, wire] of wires.entries()) {
      wire.write(head(paths[i] as string, [`Content-Length: ${whole.length}`])).write(whole.subarray(0, -9));
    }
    await comingIn(api, 2);
    for (const wire of wires) wire.write(whole.subarray(-9));
    for (const wire of wires) {
      assert.equal((await wire.answer()).status, 200);
      wire.close();
    }
    assert.equal(storedFiles(api.dataDir, content).length, 1);
    assert.deepEqual(incomingFiles(api.dataDir), []);
    for (const path of paths) assert.equal((await releasesAt(path))[0].size, content.length);
  });
  test('software deleted during an upload: 404, nothing stays', async () => {
    const path = await newPath();
    const content = randomBytes(1_000);
    const whole = form(field('version', '1.0'), filePart(content));
    const wire = await Wire.open(api.port);
    wire.write(head(path, [`Content-Length: ${whole.length}`])).write(whole.subarray(0, -20));
    await comingIn(api, 1);
    await api.ok('DELETE', path.replace('/releases', ''));
    refused(await wire.write(whole.subarray(-20)).answer(), 404, 'data_error');
    wire.close();
    assert.deepEqual([incomingFiles(api.dataDir), storedFiles(api.dataDir, content)], [[], []]);
  });
});

suite('a request that takes longer than allowed', () => {
  type Started = { server: Server; socket: Socket };
  const nextRequest = (): Promise<Started> => {
    const { promise, resolve } = Promise.withResolvers<Started>();
    const started = (message: unknown) => {
      unsubscribe('http.server.request.start', started);
      resolve(message as Started);
    };
    subscribe('http.server.request.start', started);
    return promise;
  };
  /** Emits the event that Node emits when the time of a request is over. */
  const timeOut = ({ server, socket }: Started) =>
    server.emit(
      'clientError',
      Object.assign(new Error('time is over'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      socket,
    );
  test('continues if it is an upload whose file is arriving', async () => {
    const path = await newPath();
    const whole = form(field('version', '1.0'), filePart('bytes'));
    const wire = await Wire.open(api.port);
    const started = nextRequest();
    wire.write(head(path, [`Content-Length: ${whole.length}`])).write(whole.subarray(0, -9));
    const upload = await started;
    await comingIn(api, 1);
    timeOut(upload);
    const answer = await wire.write(whole.subarray(-9)).answer();
    wire.close();
    assert.equal(answer.status, 200, answer.body);
  });
  test('ends with 408 if it is not an upload', async () => {
    const wire = await Wire.open(api.port);
    const started = nextRequest();
    wire.write(head('/software', ['Content-Type: application/json', 'Content-Length: 10'])).write('{');
    timeOut(await started);
    refused(await wire.answer(), 408, 'rest_request_timeout');
    assert.ok(await wire.closed());
  });
});
