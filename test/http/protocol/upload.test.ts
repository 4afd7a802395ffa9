import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Record_ } from '../../support/http/api.ts';
import { incomingFiles, storedFiles } from '../../support/http/artifacts.ts';
import { BOUNDARY, comingIn, field, filePart, form, uploadHead } from '../../support/http/multipart.ts';
import { exchange, Wire, type WireAnswer } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const newPath = async (): Promise<string> => `/software/${(await api.software()).id}/releases`;
const releasesAt = (path: string): Promise<Record_[]> => api.ok('GET', path);
const head = (path: string, headers: string[], method?: string) => uploadHead(api, path, headers, method);
const send = (path: string, body: Buffer, headers: string[] = [], method = 'POST') =>
  exchange(
    api.port,
    Buffer.concat([Buffer.from(head(path, [`Content-Length: ${body.length}`, ...headers], method)), body]),
  );
const refused = ({ status, body }: WireAnswer, wanted: number, code: string, params?: string[]) => {
  const answer = JSON.parse(body);
  assert.deepEqual([status, answer.code], [wanted, code], body);
  if (params) assert.deepEqual(Object.keys(answer.data.params), params);
};

const nothingStays = async (path: string, bytes: Buffer | string) => {
  await comingIn(api, 0);
  assert.deepEqual(await releasesAt(path), []);
  assert.deepEqual(storedFiles(api.dataDir, bytes), []);
};

suite('a malformed body', () => {
  const content = 'the content of the file';
  const parts = [field('version', '1.0'), filePart(content)];
  const BAD: [what: string, body: Buffer, headers?: string[]][] = [
    ['has no last boundary', Buffer.concat(parts)],
    ['ends in the file', Buffer.concat(parts).subarray(0, -8)],
    ['has another boundary', form(...parts), ['Content-Type: multipart/form-data; boundary=other']],
    ['is not a form', Buffer.from(content)],
    ['is truncated before the end', form(...parts).subarray(0, -5)],
  ];
  for (const [what, body, headers] of BAD) {
    test(`${what}: 400 rest_invalid_body, nothing stays`, async () => {
      const path = await newPath();
      refused(await send(path, body, headers), 400, 'rest_invalid_body');
      await nothingStays(path, content);
    });
  }
  test('bytes after the last boundary are ignored', async () => {
    const path = await newPath();
    const body = Buffer.concat([form(field('version', '1.0'), filePart('before')), Buffer.from('epilogue')]);
    assert.equal((await send(path, body)).status, 200);
  });
  for (const encoding of ['gzip', 'br', 'deflate', 'x']) {
    test(`compressed (${encoding}): 415, whatever the content`, async () => {
      const path = await newPath();
      const body = encoding === 'gzip' ? gzipSync(form(...parts)) : form(...parts);
      const answer = await send(path, body, [`Content-Encoding: ${encoding}`]);
      refused(answer, 415, 'rest_unsupported_media_type');
      await nothingStays(path, content);
    });
  }
});

suite('files of a form', () => {
  test('two files: 422 names file, nothing stays', async () => {
    for (const others of [[filePart('two')], [field('changelog', 'x'), filePart('two')]]) {
      const path = await newPath();
      const body = form(field('version', '1.0'), filePart('one'), ...others);
      refused(await send(path, body), 422, 'data_error', ['file']);
      await nothingStays(path, 'one');
      assert.deepEqual(storedFiles(api.dataDir, 'two'), []);
    }
  });
  test('a file and a field with the same name: the file counts', async () => {
    const path = await newPath();
    const body = form(field('version', '1.0'), field('file', 'text'), filePart('one file'));
    assert.equal((await send(path, body)).status, 200);
    assert.equal((await releasesAt(path))[0].size, 8);
  });
  test('a file without a name or content, as browsers send it if none was chosen, is not a file', async () => {
    const path = await newPath();
    const none = filePart('', 'file', '; filename=""');
    assert.equal((await send(path, form(field('version', '1'), field('status', 'draft'), none))).status, 200);
    assert.equal((await releasesAt(path))[0].size, 0);
    refused(await send(path, form(field('version', '2'), none)), 422, 'data_error', ['file']);
  });
  test('an empty file with a name: 422 names file', async () => {
    const path = await newPath();
    const body = form(field('version', '1.0'), field('status', 'draft'), filePart(''));
    refused(await send(path, body), 422, 'data_error', ['file']);
    await nothingStays(path, '');
  });
  test('files with other names are ignored', async () => {
    const path = await newPath();
    const body = form(
      filePart('no', 'archive'),
      field('version', '1.0'),
      filePart('yes'),
      filePart('no', 'b'),
    );
    assert.equal((await send(path, body)).status, 200);
    assert.equal((await releasesAt(path))[0].size, 3);
    assert.deepEqual(storedFiles(api.dataDir, 'no'), []);
  });
  test('a file may contain bytes that look like a boundary', async () => {
    const path = await newPath();
    const content = `a\r\n--${BOUNDARY.slice(0, -1)}\r\n--${BOUNDARY.toUpperCase()}\r\n\r\n--\r\n`;
    assert.equal((await send(path, form(field('version', '1.0'), filePart(content)))).status, 200);
    assert.equal(storedFiles(api.dataDir, content).length, 1);
  });
  test('more than 1 MiB of fields: 413, in one or in many, before or after the file; nothing stays', async () => {
    const half = 'x'.repeat(530_000);
    const [one, two] = [field('a', half), field('b', half)];
    const large = field('changelog', 'y'.repeat(1_048_577));
    const version = field('version', '1.0');
    for (const parts of [
      [one, two, filePart('f')],
      [filePart('f'), one, two],
      [large, filePart('f')],
      [filePart('f'), large],
    ]) {
      const path = await newPath();
      refused(await send(path, form(version, ...parts)), 413, 'rest_content_too_large');
      await nothingStays(path, 'f');
    }
  });
  const files = (count: number, name: string) => Array.from({ length: count }, () => filePart('x', name));
  const fields = (count: number) => Array.from({ length: count }, () => field('a', ''));
  const MANY: [what: string, parts: Buffer[]][] = [
    ['21 files', [filePart('wanted'), ...files(20, 'other')]],
    ['21 files, the wanted one last', [...files(20, 'other'), filePart('wanted')]],
    ['10,021 parts', [filePart('wanted'), ...files(19, 'other'), ...fields(10_000)]],
    ['10,021 parts, the wanted file last', [...fields(10_000), ...files(19, 'other'), filePart('wanted')]],
  ];
  for (const [what, parts] of MANY) {
    test(`${what}: 413, nothing stays; one less is accepted`, async () => {
      const path = await newPath();
      const version = field('version', '1.0');
      refused(await send(path, form(version, ...parts)), 413, 'rest_content_too_large');
      await nothingStays(path, 'wanted');
      const less = what.endsWith('last') ? parts.slice(1) : parts.slice(0, -1);
      const taken = await send(path, form(version, ...less));
      assert.equal(taken.status, 200, taken.body);
      const { id } = taken.json().data;
      await api.ok('DELETE', `${path}/${id}`);
    });
  }
  test('an announced length above the largest file: 413 at once', async () => {
    const path = await newPath();
    const answer = await exchange(api.port, head(path, [`Content-Length: ${3 * 1024 ** 3}`]));
    refused(answer, 413, 'rest_content_too_large');
    await nothingStays(path, '');
  });
});

suite('ways to send', () => {
  const content = randomBytes(150_000);
  const whole = form(field('version', '1.0'), filePart(content));
  test('chunked, in pieces of any size', async () => {
    for (const size of [1_000, 65_536, whole.length]) {
      const path = await newPath();
      const wire = await Wire.open(api.port);
      wire.write(head(path, ['Transfer-Encoding: chunked']));
      for (let at = 0; at < whole.length; at += size) {
        const piece = whole.subarray(at, at + size);
        wire
          .write(`${piece.length.toString(16)}\r\n`)
          .write(piece)
          .write('\r\n');
      }
      const answer = await wire.write('0\r\n\r\n').answer();
      wire.close();
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.json().data.size, content.length);
    }
  });
  test('with Expect: 100-continue, as curl does', async () => {
    const path = await newPath();
    const wire = await Wire.open(api.port);
    wire.write(head(path, [`Content-Length: ${whole.length}`, 'Expect: 100-continue']));
    assert.equal((await wire.answer()).status, 100);
    const answer = await wire.write(whole).answer();
    wire.close();
    assert.equal(answer.status, 200, answer.body);
  });
  const NOWHERE: [what: string, path: string, method: string, status: number][] = [
    ['to unknown software', '/software/999999/releases', 'POST', 404],
    ['to an unknown release', '/software/1/releases/999999', 'PUT', 404],
    ['to an unknown route', '/software/1/nothing', 'POST', 404],
  ];
  for (const [what, path, method, status] of NOWHERE) {
    test(`${what}: refused before the body is sent`, async () => {
      await newPath();
      const answer = await exchange(api.port, head(path, ['Content-Length: 2000000000'], method));
      assert.equal(answer.status, status);
      assert.deepEqual(incomingFiles(api.dataDir), []);
    });
  }
  const EARLY: [what: string, fields: Buffer[], status: number, code: string, params?: string[]][] = [
    ['an existing version', [field('version', '1.0.0')], 409, 'data_error'],
    ['invalid fields', [field('version', '1.1'), field('rollout', 'x')], 422, 'data_error', ['rollout']],
  ];
  for (const [what, fields, status, code, params] of EARLY) {
    for (const method of ['POST', 'PATCH'])
      test(`${what}, by ${method}: refused before the file is sent`, async () => {
        const path = await newPath();
        const { id: software } = { id: Number(path.split('/')[2]) };
        await api.release(software, { version: '1.0' });
        const other = await api.release(software, { version: '0.9' });
        const wire = await Wire.open(api.port);
        wire.write(
          head(method === 'POST' ? path : `${path}/${other.id}`, ['Content-Length: 2000000'], method),
        );
        wire.write(form(...fields, filePart(content)).subarray(0, -50_000));
        refused(await wire.answer(), status, code, params);
        wire.close();
        await comingIn(api, 0);
        assert.equal((await releasesAt(path)).length, 2);
        // The release may keep its own version, and fields after the file count like fields before it.
        const own = form(field('version', '0.9'), filePart(content), field('rollout', '50'));
        const kept = await send(`${path}/${other.id}`, own, [], 'PATCH');
        assert.deepEqual([kept.status, kept.json().data.rollout], [200, 50], kept.body);
      });
  }
  test('without credentials: refused before the body is sent', async () => {
    const path = await newPath();
    const sent = head(path, ['Content-Length: 2000000000']).replace(/Authorization: .*\r\n/, '');
    assert.equal((await exchange(api.port, sent)).status, 401);
  });
  test('a refused upload leaves the connection usable for the next request', async () => {
    const path = await newPath();
    const wire = await Wire.open(api.port);
    const wrong = form(filePart(content), field('version', 'none'));
    wire.write(head(path, [`Content-Length: ${wrong.length}`])).write(wrong);
    refused(await wire.answer(), 422, 'data_error', ['version']);
    wire.write(head(path, [`Content-Length: ${whole.length}`])).write(whole);
    assert.equal((await wire.answer()).status, 200);
    wire.close();
  });
  test('an upload refused half way is read to its end, and the next request is answered', async () => {
    const path = await newPath();
    const rest = filePart(Buffer.alloc(8_000_000), 'rest');
    const twice = form(filePart('one'), filePart('two'), rest);
    const large = form(field('changelog', 'y'.repeat(1_048_577)), rest);
    const wire = await Wire.open(api.port);
    wire.write(head(path, [`Content-Length: ${twice.length}`])).write(twice);
    refused(await wire.answer(), 422, 'data_error', ['file']);
    wire.write(head(path, [`Content-Length: ${large.length}`])).write(large);
    refused(await wire.answer(), 413, 'rest_content_too_large');
    wire.write(head(path, [`Content-Length: ${whole.length}`])).write(whole);
    assert.equal((await wire.answer()).status, 200);
    wire.close();
  });
  test('upload routes accept JSON and other forms like other routes', async () => {
    const json = '{"version":"1.0","status":"draft"}';
    const urlencoded = 'version=1.0&status=draft';
    for (const [type, body] of [
      ['Content-Type: application/json', json],
      ['Content-Type: application/x-www-form-urlencoded', urlencoded],
      ['Content-Type: text/plain', json],
      ['Content-Type: multipart/form-data', json],
      [`Content-Type: multipart/form-data; boundary=${BOUNDARY}`, ` ${json}`],
    ] as const) {
      const path = await newPath();
      const answer = await send(path, Buffer.from(body), [type]);
      assert.equal(answer.status, 200, `${type}: ${answer.body}`);
    }
    const path = await newPath();
    const untyped = head(path, [`Content-Length: ${json.length}`]).replace(/Content-Type: .*\r\n/, '');
    assert.equal((await exchange(api.port, untyped + json)).status, 200);
    refused(await send(path, Buffer.from('{'), ['Content-Type: application/json']), 400, 'rest_invalid_json');
    refused(
      await send(path, Buffer.from(json), ['Content-Type: application/zip']),
      415,
      'rest_unsupported_media_type',
    );
  });
  test('JSON of more than 1 MiB is 413 on upload routes, too', async () => {
    const body = Buffer.from(JSON.stringify({ version: '1.0', x: 'y'.repeat(1_048_576) }));
    for (const headers of [['Content-Type: application/json'], []])
      refused(await send(await newPath(), body, headers), 413, 'rest_content_too_large');
  });
  test('with an empty body in place of a form, the query has the values', async () => {
    const path = await newPath();
    refused(await send(path, Buffer.alloc(0)), 422, 'data_error', ['version']);
    const made = await send(`${path}?version=1.0&status=draft`, Buffer.alloc(0));
    assert.equal(made.status, 200, made.body);
    const one = `${path}/${made.json().data.id}?rollout=5`;
    const chunked = await exchange(api.port, `${head(one, ['Transfer-Encoding: chunked'], 'PUT')}0\r\n\r\n`);
    assert.equal(chunked.json().data.rollout, 5);
  });
});
