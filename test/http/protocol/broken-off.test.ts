import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { basicHeader } from '../../support/http/api.ts';
import { comingIn, filePart, form, uploadHead } from '../../support/http/multipart.ts';
import { Wire } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

/**
 * Tests aborted requests, and bytes that are not HTTP after valid requests. A refused request changes nothing, and
 * every other request is answered.
 */
const api = await startService({ after });
const ROOT = '/wp-json/dlm/v1';
const HEAD = `Host: a\r\nAuthorization: ${basicHeader(api.credentials)}\r\n`;
const GOOD_BEGINNING = 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n';
const BROKEN_END = 'no length\r\n\r\n';

/** Gives the service time to process the sent bytes, because nothing reports that it has. */
async function pass(): Promise<void> {
  for (let i = 0; i < 20; i++) await api.ok('GET', '/software', { query: { per_page: 1 } });
}

async function answersTo(...pieces: string[]): Promise<number[]> {
  const wire = await Wire.open(api.port);
  for (const piece of pieces) {
    wire.write(piece);
    await pass();
  }
  const statuses: number[] = [];
  for (let last = false; !last; ) {
    const { status, headers } = await wire.answer();
    statuses.push(status);
    last = headers.get('connection') === 'close';
  }
  assert.ok(await wire.closed());
  return statuses;
}

suite('bytes that are not HTTP', () => {
  test('are refused after the requests before them are answered', async () => {
    const { id } = await api.generator();
    const { license_key } = await api.license();
    const requests = [`DELETE ${ROOT}/generators/${id}`, `GET ${ROOT}/licenses/activate/${license_key}`];
    const bytes = requests.map((line) => `${line} HTTP/1.1\r\n${HEAD}\r\n`).join('');
    assert.deepEqual(await answersTo(`${bytes}no HTTP\r\n\r\n`), [200, 200, 400]);
    assert.equal((await api.call('GET', `/generators/${id}`)).status, 404);
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).times_activated, 1);
  });
  test('are refused at once inside a body, after the previous requests are answered', async () => {
    const { license_key } = await api.license();
    const activate = `GET ${ROOT}/licenses/activate/${license_key} HTTP/1.1\r\n${HEAD}\r\n`;
    const broken = `PUT ${ROOT}/licenses/${license_key} HTTP/1.1\r\n${HEAD}${GOOD_BEGINNING}${BROKEN_END}`;
    assert.deepEqual(await answersTo(activate + broken), [200, 400]);
  });
});

suite('CONNECT', () => {
  const connect = `CONNECT example.com:443 HTTP/1.1\r\n${HEAD}\r\n`;
  test('is refused after the requests before it are answered, and the bytes after it are not read', async () => {
    const { license_key } = await api.license();
    const activate = `GET ${ROOT}/licenses/activate/${license_key} HTTP/1.1\r\n${HEAD}\r\n`;
    assert.deepEqual(await answersTo(connect), [400]);
    assert.deepEqual(await answersTo(activate + connect + activate), [200, 400]);
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).times_activated, 1);
  });
  test('does no harm if the client disconnects at once, with or without more data', async () => {
    for (const more of ['', 'x'.repeat(1_000_000)]) {
      const wire = await Wire.open(api.port);
      wire.write(connect.repeat(3) + more).close();
      await pass();
    }
    assert.deepEqual(await answersTo(connect), [400]);
  });
});

suite('a request whose ignored body is malformed changes nothing', () => {
  test('a DELETE', async () => {
    const { id } = await api.generator();
    assert.deepEqual(
      await answersTo(`DELETE ${ROOT}/generators/${id} HTTP/1.1\r\n${HEAD}${GOOD_BEGINNING}`, BROKEN_END),
      [400],
    );
    await api.ok('GET', `/generators/${id}`);
  });
  test('a GET that activates, and a GET that deactivates', async () => {
    const { license_key } = await api.license();
    const { token } = await api.activation(license_key);
    for (const path of [`activate/${license_key}`, `deactivate/${token}`])
      assert.deepEqual(
        await answersTo(`GET ${ROOT}/licenses/${path} HTTP/1.1\r\n${HEAD}${GOOD_BEGINNING}`, BROKEN_END),
        [400],
      );
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).times_activated, 1);
  });
});

suite('a client that disconnects causes no error in the log', () => {
  const faults = () => api.logs.filter((line) => /"level":"(?:error|fatal)"/.test(line));

  test('in the middle of a body', async () => {
    const { license_key } = await api.license();
    api.logs.length = 0;
    const wire = await Wire.open(api.port);
    wire.write(
      `PUT ${ROOT}/licenses/${license_key} HTTP/1.1\r\n${HEAD}Content-Length: 50\r\n\r\n{"order_id":5`,
    );
    await pass();
    wire.close();
    await pass();
    assert.deepEqual(faults(), []);
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).updated_at, null);
  });
  test('in the middle of a file', async () => {
    const { id } = await api.software();
    api.logs.length = 0;
    const body = form(filePart('x'.repeat(100_000)));
    const wire = await Wire.open(api.port);
    wire.write(uploadHead(api, `/software/${id}/releases`, [`Content-Length: ${body.length}`]));
    wire.write(body.subarray(0, 50_000));
    await comingIn(api, 1);
    wire.close();
    await pass();
    await comingIn(api, 0);
    assert.deepEqual(faults(), []);
  });
});
