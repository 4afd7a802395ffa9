import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { type Credentials, FULL_ACCESS, hashCredentials } from '../../../src/app/api-keys/credentials.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { basicHeader } from '../../support/http/api.ts';
import { exchange } from '../../support/http/wire.ts';
import { type Running, startService } from '../../support/service.ts';

/** The download URL that an updater gets. */
const api = await startService({ after });
const publicSoftware = async (one: Running): Promise<number> => {
  const { id } = await one.software({ access: 'public' });
  await one.release(id);
  return id;
};
const software = await publicSoftware(api);
/** Returns the download URL in the answer to a request that is sent unchanged. */
const given = async (one: Running, target: string, ...headers: string[]): Promise<string> => {
  const lines = [`GET ${target} HTTP/1.1`, ...headers, 'Connection: close'];
  const answer = await exchange(one.port, `${lines.join('\r\n')}\r\n\r\n`);
  assert.equal(answer.status, 200, answer.body);
  return answer.json().data.download_url;
};
const authorization = (one: Running) => `Authorization: ${basicHeader(one.credentials)}`;
const withoutToken = (url: string) => url.replace(/(\/download\/)[^?]+\?.*/, '$1…');

test('the download URL has the documented form and the credentials of the request, and works unchanged', async () => {
  const { download_url } = await api.ok('GET', `/software/${software}`);
  const { consumerKey, consumerSecret } = api.credentials;
  const [address, query] = download_url.split('?');
  assert.match(address.replace(api.root, ''), /^\/software\/download\/[\w.~-]+$/);
  assert.equal(query, `consumer_key=${consumerKey}&consumer_secret=${consumerSecret}`);
  const answer = await fetch(`${download_url}&meta_wp_version=6.8&meta_php_version=8.3&x=%00`);
  assert.deepEqual([answer.status, await answer.text()], [200, 'bytes']);
});

suite('the download URL begins with', () => {
  const path = `/wp-json/dlm/v1/software/${software}`;
  const FORMS: [what: string, target: string, host: string, wanted: string][] = [
    ['the Host of the request', path, 'updates.example.com', 'http://updates.example.com'],
    ['its port', path, 'example.com:8443', 'http://example.com:8443'],
    [
      'the Host, if addressed by rest_route',
      `/?rest_route=/dlm/v1/software/${software}&x=1`,
      'a.example',
      'http://a.example',
    ],
    ['the Host, if the path ends with a slash', `${path}/`, 'a.example', 'http://a.example'],
  ];
  for (const [what, target, host, wanted] of FORMS) {
    test(what, async () => {
      const url = await given(api, target, `Host: ${host}`, authorization(api));
      assert.equal(withoutToken(url), `${wanted}/wp-json/dlm/v1/software/download/…`);
    });
  }
  test('X-Forwarded-* of a trusted proxy and of no other', async () => {
    const trusting = await startService({ after }, { server: { trustProxy: true } });
    const forwarded = ['Host: inner:1', 'X-Forwarded-Proto: https', 'X-Forwarded-Host: shop.example'];
    const target = `/wp-json/dlm/v1/software/${await publicSoftware(trusting)}`;
    const trusted = await given(trusting, target, ...forwarded, authorization(trusting));
    assert.equal(withoutToken(trusted), 'https://shop.example/wp-json/dlm/v1/software/download/…');
    const untrusted = await given(api, path, ...forwarded, authorization(api));
    assert.equal(withoutToken(untrusted), 'http://inner:1/wp-json/dlm/v1/software/download/…');
  });
  test('the configured base URL with its path, whatever the Host', async () => {
    const server = { baseUrl: 'https://example.com/shop' };
    const based = await startService({ after }, { server });
    const target = `/wp-json/dlm/v1/software/${await publicSoftware(based)}`;
    for (const at of [target, `/shop${target}`]) {
      const url = await given(based, at, 'Host: evil.example', authorization(based));
      assert.equal(withoutToken(url), 'https://example.com/shop/wp-json/dlm/v1/software/download/…');
      const local = url.replace('https://example.com', `http://127.0.0.1:${based.port}`);
      assert.equal((await fetch(local)).status, 200);
    }
  });
  test('the configured prefix', async () => {
    const prefixed = await startService({ after }, { server: { restPrefix: 'api' } });
    const { download_url } = await prefixed.ok('GET', `/software/${await publicSoftware(prefixed)}`);
    assert.ok(download_url.startsWith(`http://127.0.0.1:${prefixed.port}/api/dlm/v1/software/download/`));
    assert.equal((await fetch(download_url)).status, 200);
  });
});

suite('the credentials in the download URL are those of the request', () => {
  const ODD: Credentials[] = [
    { consumerKey: 'ck_a+b&c=d#e?f/g%20h i', consumerSecret: 'cs_"\'<>;,:@\\é😀%' },
    { consumerKey: 'ck_ключ&consumer_secret=x', consumerSecret: 'cs_=&consumer_key=y' },
  ];
  const addressOf = async (credentials: Credentials, by: 'Basic' | 'query' | 'both'): Promise<string> => {
    const url = new URL(`${api.root}/software/${software}`);
    if (by !== 'Basic') {
      url.searchParams.set('consumer_key', credentials.consumerKey);
      url.searchParams.set('consumer_secret', credentials.consumerSecret);
    }
    const basic = by === 'query' ? null : by === 'Basic' ? credentials : api.credentials;
    const headers = basic ? { authorization: basicHeader(basic) } : {};
    const { data } = (await (await fetch(url, { headers })).json()) as { data: { download_url: string } };
    return data.download_url;
  };
  for (const credentials of ODD) {
    for (const by of ['Basic', 'query', 'both'] as const) {
      test(`${credentials.consumerKey} by ${by}: encoded, and the URL works`, async () => {
        await api.service.execute(
          'create-api-key',
          { ...hashCredentials(credentials), ...FULL_ACCESS, userId: 1, description: 'Odd' },
          SYSTEM,
        );
        const address = await addressOf(credentials, by);
        const { searchParams } = new URL(address);
        assert.deepEqual(
          [...searchParams],
          [
            ['consumer_key', credentials.consumerKey],
            ['consumer_secret', credentials.consumerSecret],
          ],
        );
        assert.match(address, /^[\x21-\x7e]+$/);
        assert.equal((await fetch(address)).status, 200);
      });
    }
  }
  test('the URL without credentials or with wrong ones answers 401', async () => {
    const { download_url } = await api.ok('GET', `/software/${software}`);
    const [bare] = download_url.split('?');
    assert.equal((await fetch(bare)).status, 401);
    assert.equal((await fetch(`${download_url}0`)).status, 401);
    const headers = { authorization: basicHeader(api.credentials) };
    assert.equal((await fetch(bare, { headers })).status, 200, 'Basic credentials work as well');
  });
  test('no other field of the answer contains them', async () => {
    const { download_url: _, ...others } = await api.ok('GET', `/software/${software}`);
    assert.ok(!JSON.stringify(others).includes(api.credentials.consumerSecret));
  });
});
