import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { basicHeader } from '../../support/http/api.ts';
import { exchange, Wire, type WireAnswer } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

/** Tests HTTP/1.1 itself: requests as a framework or a proxy may send them, and bytes that are not HTTP. */
const api = await startService({ after });
const ROOT = '/wp-json/dlm/v1';
const BASIC = `Authorization: ${basicHeader(api.credentials)}`;
const HEAD = `Host: a\r\n${BASIC}\r\n`;
const MIB = 1024 * 1024;

function fails(answer: WireAnswer, status: number, code: string): void {
  assert.equal(answer.status, status, answer.body);
  const body = answer.json();
  assert.deepEqual([body.code, body.data.status], [code, status]);
  assert.ok(typeof body.message === 'string' && body.message !== '');
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(answer.headers.get('cache-control'), 'no-store');
}

suite('requests', () => {
  test('pipelined on one connection are answered in order', async () => {
    const made = [await api.license(), await api.license(), await api.license()];
    const wire = await Wire.open(api.port);
    wire.write(
      made.map(({ license_key }) => `GET ${ROOT}/licenses/${license_key} HTTP/1.1\r\n${HEAD}\r\n`).join(''),
    );
    for (const { id } of made) assert.equal((await wire.answer()).json().data.id, id);
    wire.close();
  });
  test('with an ignored body leave the connection usable', async () => {
    const { license_key, id } = await api.license();
    const other = await api.license();
    const wire = await Wire.open(api.port);
    const body = '{"license_key":"x"}';
    const withBody = (method: string, path: string) =>
      `${method} ${ROOT}${path} HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    wire.write(withBody('GET', `/licenses/${license_key}`));
    assert.equal((await wire.answer()).json().data.id, id);
    wire.write(withBody('HEAD', `/licenses/${license_key}`));
    assert.equal((await wire.answer({ head: true })).status, 200);
    wire.write(withBody('DELETE', `/licenses/${license_key}`));
    assert.deepEqual((await wire.answer()).json().data, []);
    wire.write(withBody('GET', '/licenses/NO-SUCH'));
    assert.equal((await wire.answer()).status, 404);
    wire.write(`GET ${ROOT}/licenses/${other.license_key} HTTP/1.1\r\n${HEAD}\r\n`);
    assert.equal((await wire.answer()).json().data.id, other.id);
    wire.close();
  });
  test('refused before their body was read leave the connection usable or close it', async () => {
    const wire = await Wire.open(api.port);
    wire.write(
      `POST ${ROOT}/licenses HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    );
    const refused = await wire.answer();
    fails(refused, 401, 'authentication_error');
    if (refused.headers.get('connection') === 'close') return;
    wire.write(`GET ${ROOT}/generators HTTP/1.1\r\n${HEAD}\r\n`);
    assert.equal((await wire.answer()).status, 200);
    wire.close();
  });
  test('may arrive in pieces', async () => {
    const { license_key, id } = await api.license();
    const wire = await Wire.open(api.port);
    for (const byte of `GET ${ROOT}/licenses/${license_key} HTTP/1.1\r\n${HEAD}\r\n`) wire.write(byte);
    assert.equal((await wire.answer()).json().data.id, id);
    wire.close();
  });
  test('of HTTP/1.0 are answered', async () => {
    const answer = await exchange(api.port, `GET ${ROOT}/generators HTTP/1.0\r\n${BASIC}\r\n\r\n`);
    assert.equal(answer.status, 200);
  });
  test('HEAD has the headers of GET and no body', async () => {
    const { license_key } = await api.license();
    const path = `${ROOT}/licenses/${license_key}`;
    const wire = await Wire.open(api.port);
    const get = await wire.write(`GET ${path} HTTP/1.1\r\n${HEAD}\r\n`).answer();
    const head = await wire.write(`HEAD ${path} HTTP/1.1\r\n${HEAD}\r\n`).answer({ head: true });
    for (const answer of [get, head])
      for (const name of ['date', 'x-request-id']) answer.headers.delete(name);
    assert.deepEqual(head.headers, get.headers);
    const next = await wire
      .write(`HEAD ${ROOT}/licenses/activate/${license_key} HTTP/1.1\r\n${HEAD}\r\n`)
      .answer({ head: true });
    assert.equal(next.status, 404);
    wire.close();
  });
});

suite('the request target', () => {
  // Node's parser refuses bytes above 0x7F in a request line before our code sees them.
  test('with unencoded UTF-8 bytes is not HTTP: 400 with the envelope', async () => {
    await api.license({ license_key: 'Ключ☂😀' });
    for (const target of ['/licenses/Ключ☂😀', '/licenses?license_key=Ключ☂😀']) {
      fails(
        await exchange(api.port, `GET ${ROOT}${target} HTTP/1.1\r\n${HEAD}\r\n`),
        400,
        'rest_bad_request',
      );
    }
  });
  test('may be an absolute URL', async () => {
    const { license_key, id } = await api.license();
    for (const scheme of ['http', 'https', 'HTTP']) {
      const target = `${scheme}://licenses.example${ROOT}/licenses/${license_key}?x=1`;
      const answer = await exchange(api.port, `GET ${target} HTTP/1.1\r\n${HEAD}\r\n`);
      assert.equal(answer.json().data?.id, id, scheme);
    }
  });
  test('may be an absolute URL with rest_route and no path', async () => {
    const { license_key, id } = await api.license();
    const target = `http://licenses.example?rest_route=/dlm/v1/licenses/${license_key}`;
    const answer = await exchange(api.port, `GET ${target} HTTP/1.1\r\n${HEAD}\r\n`);
    assert.equal(answer.json().data?.id, id);
  });
  for (const path of ['%', '%zz', 'a%2', 'a%', '%0', '%u0041']) {
    test(`with a malformed percent sequence is 404 rest_no_route, 401 without credentials: ${path}`, async () => {
      const target = `GET ${ROOT}/licenses/${path} HTTP/1.1\r\n`;
      fails(await exchange(api.port, `${target}${HEAD}\r\n`), 404, 'rest_no_route');
      fails(await exchange(api.port, `${target}Host: a\r\n\r\n`), 401, 'authentication_error');
    });
  }
  for (const path of ['%00', 'a%00b', '%FF', '%C3', '%ED%A0%80']) {
    test(`with NUL or invalid UTF-8 names a license that does not exist: ${JSON.stringify(path)}`, async () => {
      const bytes = Buffer.from(`GET ${ROOT}/licenses/${path} HTTP/1.1\r\n${HEAD}\r\n`, 'latin1');
      fails(await exchange(api.port, bytes), 404, 'data_error');
    });
  }
  for (const target of [
    '*',
    '/*',
    '//',
    '///wp-json/dlm/v1/licenses',
    '/%2e%2e/wp-json/dlm/v1/licenses',
    '/./wp-json/dlm/v1/licenses',
    '/?',
    '/wp-json/dlm/v1/licenses#x',
    'foo',
  ]) {
    test(`${target} is answered with the envelope or a page, never with a server error`, async () => {
      const answer = await exchange(api.port, `GET ${target} HTTP/1.1\r\n${HEAD}\r\n`);
      assert.ok(answer.status < 500, answer.body);
      if (answer.status >= 400) assert.equal(answer.json().data.status, answer.status);
    });
  }
});

suite('malformed HTTP is answered with the JSON envelope', () => {
  const MALFORMED: [what: string, bytes: string][] = [
    ['not a request', 'hello\r\n\r\n'],
    ['a header without a colon', `GET ${ROOT}/licenses HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n`],
    ['an unknown version', `GET ${ROOT}/licenses HTTP/9.9\r\nHost: a\r\n\r\n`],
    ['no Host', `GET ${ROOT}/licenses HTTP/1.1\r\n${BASIC}\r\n\r\n`],
    ['two Hosts', `GET ${ROOT}/licenses HTTP/1.1\r\n${HEAD}hOST: b\r\n\r\n`],
    ['a negative Content-Length', `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Content-Length: -1\r\n\r\n`],
    [
      'two Content-Lengths',
      `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      'Content-Length with chunks',
      `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['the bytes of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ];
  for (const [what, bytes] of MALFORMED) {
    test(`${what}: 400`, async () => {
      fails(await exchange(api.port, Buffer.from(bytes, 'latin1')), 400, 'rest_bad_request');
    });
  }
  for (const target of ['licenses/a b', 'licenses/activate/a?label=Büro', 'licenses/Ключ']) {
    test(`an address that is not percent-encoded: 400, and the message says so: ${target}`, async () => {
      const answer = await exchange(api.port, Buffer.from(`GET ${ROOT}/${target} HTTP/1.1\r\n${HEAD}\r\n`));
      fails(answer, 400, 'rest_bad_request');
      assert.match(answer.json().message, /percent-encode spaces and characters beyond ASCII/);
    });
  }
  test('a malformed chunk in a body: 400', async () => {
    const bytes = `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}`;
    fails(await exchange(api.port, bytes), 400, 'rest_bad_request');
  });
  test('an unknown expectation is answered with the envelope', async () => {
    const answer = await exchange(
      api.port,
      `GET ${ROOT}/generators HTTP/1.1\r\n${HEAD}Expect: miracles\r\n\r\n`,
    );
    assert.ok(answer.status === 200 || answer.body !== '', `${answer.status} without a body`);
    if (answer.status !== 200) fails(answer, answer.status, answer.json().code);
  });
  test('headers that are too large: 431', async () => {
    const answer = await exchange(
      api.port,
      `GET ${ROOT}/licenses HTTP/1.1\r\n${HEAD}X-Large: ${'x'.repeat(70_000)}\r\n\r\n`,
    );
    fails(answer, 431, 'rest_headers_too_large');
  });
  test('a URL that is too large: 431', async () => {
    const answer = await exchange(
      api.port,
      `GET ${ROOT}/licenses/${'x'.repeat(70_000)} HTTP/1.1\r\n${HEAD}\r\n`,
    );
    fails(answer, 431, 'rest_headers_too_large');
  });
});

suite('bodies', () => {
  const post = `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Content-Type: application/json\r\n`;
  test('over 1 MiB by their Content-Length: 413, without waiting for them', async () => {
    fails(
      await exchange(api.port, `${post}Content-Length: ${MIB + 1}\r\n\r\n`),
      413,
      'rest_content_too_large',
    );
  });
  test('over 1 MiB in chunks: 413', async () => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const answer = await exchange(api.port, `${post}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}`);
    fails(answer, 413, 'rest_content_too_large');
  });
  test('that are compressed: 415', async () => {
    const answer = await exchange(api.port, `${post}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}`);
    fails(answer, 415, 'rest_unsupported_media_type');
  });
  test('of an unsupported type: 415', async () => {
    const bytes = `POST ${ROOT}/licenses HTTP/1.1\r\n${HEAD}Content-Type: application/xml\r\nContent-Length: 4\r\n\r\n<a/>`;
    fails(await exchange(api.port, bytes), 415, 'rest_unsupported_media_type');
  });
  test('of malformed JSON: 400', async () => {
    fails(await exchange(api.port, `${post}Content-Length: 1\r\n\r\n{`), 400, 'rest_invalid_json');
  });
  const part = '--x\r\nContent-Disposition: form-data; name="order_id"\r\n\r\n5';
  for (const [what, body, type] of [
    ['a multipart form cut in a value', part, 'multipart/form-data; boundary=x'],
    ['a multipart form cut before its end', `${part}\r\n--x`, 'multipart/form-data; boundary=x'],
    ['a multipart form cut in a header', '--x\r\nContent-Dispo', 'multipart/form-data; boundary=x'],
    ['a multipart form with another boundary', `${part}\r\n--x--\r\n`, 'multipart/form-data; boundary=y'],
    ['a multipart form without a boundary', `${part}\r\n--x--\r\n`, 'multipart/form-data'],
  ] as const) {
    test(`${what}: 400, nothing changed`, async () => {
      const { license_key } = await api.license();
      const answer = await exchange(
        api.port,
        `PUT ${ROOT}/licenses/${license_key} HTTP/1.1\r\n${HEAD}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      fails(answer, 400, 'rest_invalid_body');
      assert.equal((await api.ok('GET', `/licenses/${license_key}`)).updated_at, null);
    });
  }
});
