import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { basicHeader } from '../../support/http/api.ts';
import { hexHash } from '../../support/http/artifacts.ts';
import { exchange, Wire } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

/** How the service serves a file: headers, ranges, conditions, file names. */
const api = await startService({ after });
const authorization = basicHeader(api.credentials);
const BYTES = randomBytes(300_000);
const ETAG = `"${hexHash('sha256', BYTES)}"`;

async function fileAddress(file: File, values: Record<string, string> = {}): Promise<string> {
  const { id } = await api.software({ access: 'public' });
  await api.release(id, { file, ...values });
  return (await api.ok('GET', `/software/${id}`)).download_url;
}
const address = await fileAddress(new File([new Uint8Array(BYTES)], 'acme.zip', { type: 'application/zip' }));
const get = async (headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await fetch(address, { method, headers });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, headers: answer.headers, bytes };
};
const isWhole = ({ status, headers, bytes }: Awaited<ReturnType<typeof get>>) => {
  assert.equal(status, 200);
  assert.deepEqual(bytes, BYTES);
  assert.equal(headers.get('content-length'), '300000');
  assert.equal(headers.get('content-range'), null);
};

test('GET answers with the whole file and its headers', async () => {
  const answer = await get();
  isWhole(answer);
  const WANTED = {
    'content-type': 'application/zip',
    'content-disposition': 'attachment; filename=acme.zip',
    etag: ETAG,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
    'repr-digest': `sha-256=:${Buffer.from(hexHash('sha256', BYTES), 'hex').toString('base64')}:`,
  };
  for (const [name, value] of Object.entries(WANTED)) assert.equal(answer.headers.get(name), value, name);
});

suite('Range', () => {
  const PARTS: [range: string, start: number, end: number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=0-99', 0, 99],
    ['bytes=100-199', 100, 199],
    ['bytes=299999-299999', 299_999, 299_999],
    ['bytes=150000-', 150_000, 299_999],
    ['bytes=0-', 0, 299_999],
    ['bytes=0-299999', 0, 299_999],
    ['bytes=-1', 299_999, 299_999],
    ['bytes=-500', 299_500, 299_999],
    ['bytes=-300000', 0, 299_999],
    ['bytes=-999999', 0, 299_999],
    ['bytes=299990-999999', 299_990, 299_999],
    ['bytes=5-5,6-9', 5, 9],
  ];
  for (const [range, start, end] of PARTS) {
    test(`${range} answers 206 with bytes ${start} to ${end}`, async () => {
      const { status, headers, bytes } = await get({ range });
      assert.equal(status, 206);
      assert.deepEqual(bytes, BYTES.subarray(start, end + 1));
      assert.equal(headers.get('content-range'), `bytes ${start}-${end}/300000`);
      assert.equal(headers.get('content-length'), String(end + 1 - start));
      assert.deepEqual([headers.get('etag'), headers.get('accept-ranges')], [ETAG, 'bytes']);
    });
  }
  for (const range of [
    'bytes=300000-',
    'bytes=300000-300001',
    'bytes=999999999-',
    'bytes=300000-,400000-',
    'bytes=-0',
    // Not a valid range: a server may refuse or ignore it (RFC 9110, section 14.2).
    'bytes=9-5',
  ]) {
    test(`${range} is beyond the end or invalid: 416 with the size`, async () => {
      const { status, headers, bytes } = await get({ range });
      assert.equal(status, 416);
      assert.equal(headers.get('content-range'), 'bytes */300000');
      const body = JSON.parse(bytes.toString());
      assert.deepEqual([body.code, body.data], ['rest_range_not_satisfiable', { status: 416 }]);
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
      for (const name of ['etag', 'repr-digest', 'accept-ranges', 'content-disposition'])
        assert.equal(headers.get(name), null, name);
      assert.equal(headers.get('cache-control'), 'no-store');
    });
  }
  const IGNORED = [
    'bytes=0-9,100-109',
    'bytes=-1,0-0',
    'bytes',
    'bytes=',
    'bytes=abc',
    'bytes=a-b',
    'bytes=-',
    'bytes=1.5-3',
    'bytes=--5',
    // The unit is case-insensitive, but a server may ignore Range (RFC 9110, section 14.2).
    'Bytes=10-19',
    'lines=0-9',
    '0-9',
  ];
  for (const range of IGNORED) {
    test(`${range} is several ranges or none: the whole file`, async () => {
      isWhole(await get({ range }));
    });
  }
  test('If-Range with the ETag gives the range; another, a weak one or a date gives the whole file', async () => {
    const range = 'bytes=100-199';
    assert.deepEqual((await get({ range, 'if-range': ETAG })).bytes, BYTES.subarray(100, 200));
    for (const other of ['"other"', `W/${ETAG}`, ETAG.slice(1, -1), 'Wed, 21 Oct 2099 07:28:00 GMT']) {
      isWhole(await get({ range, 'if-range': other }));
    }
  });
  test('the parts of a resumed download make up the file', async () => {
    const parts: Buffer[] = [];
    for (const range of ['bytes=0-99999', 'bytes=100000-299998', 'bytes=299999-']) {
      parts.push((await get({ range, 'if-range': ETAG })).bytes);
    }
    assert.deepEqual(Buffer.concat(parts), BYTES);
  });
});

suite('If-None-Match', () => {
  for (const value of [ETAG, `W/${ETAG}`, '*', `"other", ${ETAG}`, `${ETAG},"other"`]) {
    test(`${value.slice(0, 20)} answers 304 without a body`, async () => {
      const { status, headers, bytes } = await get({ 'if-none-match': value });
      assert.deepEqual([status, bytes.length], [304, 0]);
      assert.deepEqual([headers.get('etag'), headers.get('content-disposition')], [ETAG, null]);
      assert.equal((await get({ 'if-none-match': value }, 'HEAD')).status, 304);
    });
  }
  for (const value of ['"other"', ETAG.slice(1, -1), '""', `${ETAG.slice(0, -2)}"`]) {
    test(`${value.slice(0, 20)} answers with the file`, async () =>
      isWhole(await get({ 'if-none-match': value })));
  }
  test('takes precedence over Range', async () => {
    assert.equal((await get({ 'if-none-match': ETAG, range: 'bytes=0-9' })).status, 304);
    assert.equal((await get({ 'if-none-match': '"other"', range: 'bytes=0-9' })).status, 206);
  });
});

suite('If-Match', () => {
  for (const value of [ETAG, '*', `"other", ${ETAG}`, `W/"other",${ETAG}`]) {
    test(`${value.slice(0, 20)} answers with the file`, async () =>
      isWhole(await get({ 'if-match': value })));
  }
  for (const value of ['"other"', `W/${ETAG}`, `"other", W/${ETAG}`, ETAG.slice(1, -1), '"*"', '""']) {
    test(`${value.slice(0, 20)} answers 412 in the envelope, without headers of the file`, async () => {
      const { status, headers, bytes } = await get({ 'if-match': value });
      assert.deepEqual([status, JSON.parse(bytes.toString()).code], [412, 'rest_precondition_failed']);
      assert.deepEqual([headers.get('etag'), headers.get('content-disposition')], [null, null]);
      assert.equal((await get({ 'if-match': value }, 'HEAD')).status, 412);
    });
  }
  test('takes precedence over If-None-Match and Range', async () => {
    assert.equal((await get({ 'if-match': '"other"', 'if-none-match': ETAG })).status, 412);
    assert.equal((await get({ 'if-match': '"other"', range: 'bytes=900000-' })).status, 412);
    assert.equal((await get({ 'if-match': ETAG, range: 'bytes=0-9' })).status, 206);
  });
});

test('HEAD answers with the headers of GET and no body, whatever the range', async () => {
  const target = address.slice(address.indexOf('/', 8));
  const head = `HEAD ${target} HTTP/1.1\r\nHost: ${new URL(address).host}\r\n`;
  const answer = await exchange(api.port, `${head}\r\n`, { head: true });
  const { headers: wanted } = await get();
  assert.equal(answer.status, 200);
  for (const name of ['content-length', 'content-type', 'content-disposition', 'etag', 'accept-ranges']) {
    assert.equal(answer.headers.get(name), wanted.get(name), name);
  }
  const ranged = await exchange(api.port, `${head}Range: bytes=0-9\r\nConnection: close\r\n\r\n`, {
    head: true,
  });
  assert.deepEqual([ranged.status, ranged.headers.get('content-length')], [200, '300000']);
});

test('HEAD on a keep-alive connection leaves no bytes before the next answer', async () => {
  const target = address.slice(address.indexOf('/', 8));
  const request = (method: string) => `${method} ${target} HTTP/1.1\r\nHost: a\r\nRange: bytes=0-4\r\n\r\n`;
  const wire = await Wire.open(api.port);
  wire.write(request('HEAD') + request('GET'));
  assert.equal((await wire.answer({ head: true })).status, 200);
  const { status, headers } = await wire.answer();
  assert.deepEqual([status, headers.get('content-range')], [206, 'bytes 0-4/300000']);
  wire.close();
});

suite('file names', () => {
  /** The name as sent in the form, and the name as stored. */
  const NAMES: [sent: string, name: string, disposition?: string][] = [
    ['acme.zip', 'acme.zip', 'attachment; filename=acme.zip'],
    ['two words.zip', 'two words.zip', 'attachment; filename="two words.zip"'],
    ['a"b".zip', 'a"b".zip', 'attachment; filename="a\\"b\\".zip"'],
    ["a'b.zip", "a'b.zip"],
    ['a;b=c,d.zip', 'a;b=c,d.zip', 'attachment; filename="a;b=c,d.zip"'],
    ['100%.zip', '100%.zip'],
    ['a%41%zz.zip', 'a%41%zz.zip'],
    ['ключ от всего.zip', 'ключ от всего.zip'],
    ['名前.zip', '名前.zip'],
    ['é vs e\u0301.zip', 'é vs e\u0301.zip'],
    ['🎉.zip', '🎉.zip'],
    ['a\u202egpj.zip', 'a\u202egpj.zip'],
    ['/etc/passwd', 'passwd'],
    ['../../etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['C:\\temp\\acme.zip', 'acme.zip'],
    ['.htaccess', '.htaccess'],
    ['..zip', '..zip'],
    ['...', '...'],
    ['con', 'con'],
    ['<b>&amp;.zip', '<b>&amp;.zip'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['я'.repeat(255), 'я'.repeat(255)],
    ['🎉'.repeat(255), '🎉'.repeat(255)],
  ];
  for (const [sent, name, disposition] of NAMES) {
    test(`${JSON.stringify(sent.slice(0, 40))} is stored as ${JSON.stringify(name.slice(0, 40))}`, async () => {
      const url = await fileAddress(new File(['x'], sent));
      const { id } = (await api.ok('GET', '/software'))[0];
      assert.equal((await api.ok('GET', `/software/${id}/releases`))[0].file_name, name);
      const answer = await fetch(url);
      assert.deepEqual([answer.status, await answer.text()], [200, 'x']);
      const header = answer.headers.get('content-disposition') ?? '';
      assert.match(header, /^attachment; filename=[\x20-\x7e]+$/);
      assert.equal(nameIn(header), name);
      if (disposition) assert.equal(header, disposition);
    });
  }
  const NONE = ['', '.', '..', 'folder/', 'x'.repeat(256), '🎉'.repeat(256), 'a\0b', 'tab\t.zip'];
  // Line breaks as browsers escape them, and characters that control a terminal.
  for (const sent of [...NONE, 'a%0D%0Ab.zip', 'a\u001b[2Jb', 'a\u007fb', 'a\u009bb']) {
    test(`${JSON.stringify(sent.slice(0, 20))} is invalid: 422 naming file, nothing created`, async () => {
      const { id } = await api.software();
      const boundary = 'b';
      const body =
        `--${boundary}\r\nContent-Disposition: form-data; name="version"\r\n\r\n1.0\r\n` +
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${sent}"\r\n` +
        `Content-Type: application/zip\r\n\r\ncontent\r\n--${boundary}--\r\n`;
      const raw = { body, type: `multipart/form-data; boundary=${boundary}` };
      const answer = await api.fails(422, 'data_error', 'POST', `/software/${id}/releases`, { raw });
      assert.deepEqual(Object.keys(answer.data.params), ['file']);
      assert.deepEqual(await api.ok('GET', `/software/${id}/releases`), []);
    });
  }
  test('a name encoded by RFC 5987 loses its folders', async () => {
    const { id } = await api.software();
    const sent = "filename*=UTF-8''..%2F..%2F%D0%BA%D0%BB%D1%8E%D1%87.zip";
    const body =
      '--b\r\nContent-Disposition: form-data; name="version"\r\n\r\n1.0\r\n' +
      `--b\r\nContent-Disposition: form-data; name="file"; ${sent}\r\n\r\ncontent\r\n--b--\r\n`;
    const raw = { body, type: 'multipart/form-data; boundary=b' };
    assert.equal((await api.ok('POST', `/software/${id}/releases`, { raw })).file_name, 'ключ.zip');
  });
  test('a file without a type, as Python sends it, is not served as text', async () => {
    const { id } = await api.software({ access: 'public' });
    const body =
      '--b\r\nContent-Disposition: form-data; name="version"\r\n\r\n1.0\r\n' +
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\ncontent\r\n--b--\r\n';
    const raw = { body, type: 'multipart/form-data; boundary=b' };
    await api.ok('POST', `/software/${id}/releases`, { raw });
    const { headers } = await fetch((await api.ok('GET', `/software/${id}`)).download_url);
    assert.equal(headers.get('content-type'), 'application/octet-stream');
  });
  test('a type that a browser would run is served as an attachment with nosniff', async () => {
    const url = await fileAddress(new File(['<script>'], 'x.html', { type: 'text/html' }));
    const { headers } = await fetch(url);
    assert.match(headers.get('content-disposition') ?? '', /^attachment;/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  });
});

/** Returns the file name of a Content-Disposition header by RFC 6266, as browsers read it. */
function nameIn(header: string): string | undefined {
  const extended = /; filename\*=UTF-8''([^;]+)$/.exec(header)?.[1];
  if (extended !== undefined) return decodeURIComponent(extended);
  const [, quoted, token] = /; filename=(?:"((?:[^"\\]|\\.)*)"|([^;]+))$/.exec(header) ?? [];
  return quoted?.replace(/\\(.)/g, '$1') ?? token;
}

test('a download by activation token with credentials in the header answers the same', async () => {
  const { id } = await api.software();
  await api.release(id, { file: new File([new Uint8Array(BYTES)], 'acme.zip') });
  const { token } = await api.activation((await api.license()).license_key, { software: id });
  const answer = await fetch(`${api.root}/software/download/${token}`, { headers: { authorization } });
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), BYTES);
  assert.equal(answer.headers.get('etag'), ETAG);
});
