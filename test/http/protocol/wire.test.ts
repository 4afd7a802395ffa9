import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { basicHeader, newKey } from '../../support/http/api.ts';
import { exchange, Wire } from '../../support/http/wire.ts';
import { startService } from '../../support/service.ts';

/** Sends requests of real clients, byte for byte. */
const api = await startService({ after });
const ROOT = '/wp-json/dlm/v1';
const { consumerKey, consumerSecret } = api.credentials;
const QUERY = `consumer_key=${consumerKey}&consumer_secret=${consumerSecret}`;
const BASIC = `Authorization: ${basicHeader(api.credentials)}`;

suite('the PHP client', () => {
  const AGENT = 'User-Agent: WordPress/6.5; https://example.com';

  test('POSTs multipart and repeats every parameter in the query string', async () => {
    const license_key = newKey();
    const fields = { license_key, valid_for: '30', status: '3', activations_limit: '2', order_id: '7' };
    const boundary = '----------------------------1d2c3b4a59';
    const parts = Object.entries(fields).map(
      ([name, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const body = `${parts.join('')}--${boundary}--\r\n`;
    const answer = await exchange(
      api.port,
      `POST ${ROOT}/licenses?${new URLSearchParams(fields)}&${QUERY} HTTP/1.1\r\nHost: 127.0.0.1:${api.port}\r\n${AGENT}\r\n` +
        `Accept: */*\r\nContent-Length: ${body.length}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\n\r\n${body}`,
    );
    assert.equal(answer.status, 200, answer.body);
    const { data } = answer.json();
    assert.deepEqual(
      [data.license_key, data.valid_for, data.activations_limit, data.order_id],
      [license_key, 30, 2, 7],
    );
  });

  test('PUTs with all parameters in the query string, Expect: 100-continue and an empty chunked body', async () => {
    const { license_key } = await api.license();
    const wire = await Wire.open(api.port);
    wire.write(
      `PUT ${ROOT}/licenses/${license_key}?status=2&activations_limit=9&${QUERY} HTTP/1.1\r\nHost: 127.0.0.1\r\n${AGENT}\r\n` +
        'Accept: */*\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n',
    );
    assert.equal((await wire.answer()).status, 100);
    const answer = await wire.write('0\r\n\r\n').answer();
    assert.equal(answer.status, 200, answer.body);
    const { data } = answer.json();
    assert.deepEqual([data.status, data.activations_limit], [2, 9]);
    wire.close();
  });

  test('sends the empty body with a form type as well', async () => {
    const { license_key } = await api.license();
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/json',
      'text/plain',
      'image/png',
    ]) {
      const answer = await exchange(
        api.port,
        `PUT ${ROOT}/licenses/${license_key}?order_id=5 HTTP/1.1\r\nHost: a\r\n${BASIC}\r\nContent-Type: ${type}\r\n` +
          'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      );
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.json().data.order_id, 5);
    }
  });

  test('activates with meta[php_version]=8.2 in the query string', async () => {
    const { license_key } = await api.license();
    for (const brackets of ['meta[php_version]=8.2', 'meta%5Bphp_version%5D=8.2']) {
      const answer = await exchange(
        api.port,
        `GET ${ROOT}/licenses/activate/${license_key}?label=https%3A%2F%2Fexample.com&${brackets}&software=12&${QUERY} HTTP/1.1\r\n` +
          `Host: 127.0.0.1\r\n${AGENT}\r\nAccept: */*\r\nAccept-Encoding: deflate, gzip, br\r\nReferer: x\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(answer.status, 200, answer.body);
      const { data } = answer.json();
      assert.deepEqual([data.label, data.meta_data], ['https://example.com', { php_version: '8.2' }]);
      assert.equal(data.user_agent, 'WordPress/6.5; https://example.com');
    }
  });

  test('sends a trailing slash before the query', async () => {
    const { license_key, id } = await api.license();
    const answer = await exchange(
      api.port,
      `GET ${ROOT}/licenses/${license_key}/?${QUERY} HTTP/1.1\r\nHost: a\r\n${AGENT}\r\n\r\n`,
    );
    assert.equal(answer.json().data.id, id);
  });

  test('sends JSON without a content type, as text/plain, and as a form', async () => {
    for (const type of [
      '',
      'Content-Type: text/plain\r\n',
      'Content-Type: application/x-www-form-urlencoded\r\n',
    ]) {
      const license_key = newKey();
      const body = JSON.stringify({ license_key, valid_for: 0, status: 3, activations_limit: 1 });
      const answer = await exchange(
        api.port,
        `POST ${ROOT}/licenses HTTP/1.1\r\nHost: a\r\n${BASIC}\r\n${type}Content-Length: ${body.length}\r\n\r\n${body}`,
      );
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.json().data.license_key, license_key);
    }
  });
});

suite('a client of a site without pretty permalinks', () => {
  const KEYS = ['PLAIN-KEY', 'Ключ 100% / проба', 'a/b c', '50%25', 'a+b&c=d', '%2F'];
  for (const key of KEYS) {
    test(`reads ${JSON.stringify(key)} by rest_route, encoded twice, at / and /index.php`, async () => {
      const { id } = await api.license({ license_key: key });
      for (const at of ['/', '/index.php']) {
        const route = encodeURIComponent(`/dlm/v1/licenses/${encodeURIComponent(key)}`);
        for (const value of [route, `/dlm/v1/licenses/${encodeURIComponent(encodeURIComponent(key))}`]) {
          const answer = await exchange(
            api.port,
            `GET ${at}?rest_route=${value}&${QUERY} HTTP/1.1\r\nHost: a\r\n\r\n`,
          );
          assert.equal(answer.status, 200, answer.body);
          assert.equal(answer.json().data.id, id);
        }
      }
    });
  }
  test('reads a Cyrillic key encoded only once', async () => {
    const { id } = await api.license({ license_key: 'Проба пера' });
    for (const value of [
      '/dlm/v1/licenses/%D0%9F%D1%80%D0%BE%D0%B1%D0%B0%20%D0%BF%D0%B5%D1%80%D0%B0',
      '/dlm/v1/licenses/%D0%9F%D1%80%D0%BE%D0%B1%D0%B0+%D0%BF%D0%B5%D1%80%D0%B0',
    ]) {
      const answer = await exchange(
        api.port,
        `GET /?rest_route=${value}&${QUERY} HTTP/1.1\r\nHost: a\r\n\r\n`,
      );
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.json().data.id, id);
    }
  });
  test('PUTs, activates, validates and deactivates through rest_route', async () => {
    const { license_key } = await api.license();
    const send = async (method: string, route: string, query = '') => {
      const target = `/?rest_route=/dlm/v1${route}${query}&${QUERY}`;
      const answer = await exchange(
        api.port,
        `${method} ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n`,
      );
      assert.equal(answer.status, 200, answer.body);
      return answer.json().data;
    };
    assert.equal((await send('PUT', `/licenses/${license_key}`, '&order_id=8')).order_id, 8);
    const { token } = await send('GET', `/licenses/activate/${license_key}/`, '&meta[os]=linux');
    assert.deepEqual((await send('GET', `/licenses/validate/${token}`)).meta_data, { os: 'linux' });
    assert.ok((await send('GET', `/licenses/deactivate/${token}`)).deactivated_at);
  });
  test('without credentials gets 401, whatever else is in the query', async () => {
    const answer = await exchange(
      api.port,
      'GET /?rest_route=/dlm/v1/licenses&page=1 HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    assert.equal(answer.status, 401);
  });
  test('with a malformed rest_route gets 404 rest_no_route, and 401 without credentials', async () => {
    for (const value of ['%', '%zz', '/dlm/v1/licenses/%25zz', '%FF', '', 'x', '//', '/../healthz']) {
      const answer = await exchange(
        api.port,
        `GET /?rest_route=${value}&${QUERY} HTTP/1.1\r\nHost: a\r\n\r\n`,
      );
      assert.deepEqual([answer.status, answer.json().code], [404, 'rest_no_route'], value);
      const nobody = await exchange(api.port, `GET /?rest_route=${value} HTTP/1.1\r\nHost: a\r\n\r\n`);
      assert.equal(nobody.status, 401, value);
    }
  });
});

suite('the C++ client', () => {
  test('sends Connection: close and percent-encoded dates in a multipart form, and the server closes', async () => {
    const { license_key } = await api.license();
    const boundary = 'cpp-boundary';
    const part = (name: string, value: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const body = `${part('expires_at', '2031-02-03%2004%3A05%3A06')}${part('status', '3')}--${boundary}--\r\n`;
    for (const method of ['PUT', 'POST', 'PATCH']) {
      const wire = await Wire.open(api.port);
      wire.write(
        `${method} ${ROOT}/licenses/${license_key} HTTP/1.1\r\nHost: 127.0.0.1\r\n${BASIC}\r\nConnection: close\r\n` +
          `Content-Type: multipart/form-data; boundary="${boundary}"\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
      const answer = await wire.answer();
      assert.equal(answer.status, 200, answer.body);
      assert.equal(answer.json().data.expires_at, '2031-02-03 04:05:06');
      assert.equal(answer.headers.get('connection'), 'close');
      assert.ok(await wire.closed());
    }
  });
});
