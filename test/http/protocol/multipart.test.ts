import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { uploadHead } from '../../support/http/multipart.ts';
import { exchange } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

/** Sends forms that no client sends, byte for byte: each is answered, and the service keeps running. */
const api = await startService({ after });
const { license_key } = await api.license();
const { id } = await api.software();
const ACTIVATE = `/licenses/activate/${license_key}`;
const UPLOAD = `/software/${id}/releases`;

/** @param body each character is a byte */
const send = (path: string, body: string) => {
  const headers = ['Content-Type: multipart/form-data; boundary=b', `Content-Length: ${body.length}`];
  return exchange(api.port, Buffer.from(uploadHead(api, path, headers) + body, 'latin1'));
};
const onePart = (head: string, content = 'x') => `--b\r\n${head}\r\n\r\n${content}\r\n--b--\r\n`;

suite('a part without a name: 400', () => {
  const PARTS = {
    'no parameters': 'Content-Disposition: form-data',
    'a name without a value': 'Content-Disposition: form-data; name',
    'only the name of a file': 'Content-Disposition: form-data; filename="a.zip"',
    'only the type of a file': 'Content-Disposition: form-data\r\nContent-Type: application/octet-stream',
  };
  for (const [what, head] of Object.entries(PARTS)) {
    for (const path of [ACTIVATE, UPLOAD]) {
      test(`${what}, ${path.split('/', 2)[1]}`, async () => {
        const { status, body } = await send(path, onePart(head));
        assert.deepEqual([status, JSON.parse(body).code], [400, 'rest_invalid_body']);
        await api.ok('GET', ACTIVATE.replace('/activate', ''));
      });
    }
  }
});

test('half a UTF-16 character is not text: 422 names the field', async () => {
  const part = (name: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n` +
    'Content-Type: text/plain; charset=utf-16le\r\n\r\n\x00\xd8\r\n--b--\r\n';
  for (const [path, name] of [
    ['/software', 'name'],
    [UPLOAD, 'changelog'],
  ] as const) {
    const { status, body } = await send(path, part(name));
    assert.equal(status, 422, body);
    assert.match(JSON.parse(body).data.params[name], /^must be text/);
  }
});

test('a last boundary with bytes after it ends the form, and missing fields are reported at once', async () => {
  const { status, body } = await send(UPLOAD, '--b--data; name="version"\r\n\r\n1.0\r\n--b--\r\n');
  assert.equal(status, 422, body);
  assert.deepEqual(Object.keys(JSON.parse(body).data.params), ['version']);
});

test('a long ignored part does not delay the end of the form', async () => {
  const head = '--b\r\nContent-Disposition: form-data';
  const body = `${head}; name="a"\r\n\r\nx\r\n--b\r\nX: y\r\n\r\n${'x'.repeat(70_000)}\r\n${head}; name="b"\r\n\r\nx\r\n--b--\r\n`;
  assert.equal((await send(ACTIVATE, body)).status, 200);
});
