import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import { rowsOf } from '../support/engine.ts';
import { basicHeader } from '../support/http/api.ts';
import { startService } from '../support/service.ts';

/** Sends the requests of real programs, in their order. */
const api = await startService({ after });
const OLD = randomBytes(100_000);
const NEW = randomBytes(200_000);

async function acme() {
  const product = 1 + Math.floor(Math.random() * 1e9);
  const software = await api.software({ name: 'Acme Pro', product_ids: [product] });
  await api.release(software.id, { version: '1.9.0', file: new File([OLD], 'acme-1.9.0.zip') });
  const license = await api.license({ product_id: product, activations_limit: 1 });
  const publish = () =>
    api.release(software.id, {
      version: '1.10.0',
      changelog: '= 1.10.0 =\r\n* Better',
      file: new File([NEW], 'acme-1.10.0.zip', { type: 'application/zip' }),
    });
  return { software, license, publish };
}

test('a WordPress updater activates, finds a release, downloads it and deactivates', async () => {
  const { software, license, publish } = await acme();
  const { consumerKey, consumerSecret } = api.credentials;
  const credentials = { consumer_key: consumerKey, consumer_secret: consumerSecret };
  const get = async (path: string, query: Record<string, unknown> = {}) =>
    api.ok('GET', path, { query: { ...credentials, ...query }, credentials: null });

  const { token } = await get(`/licenses/activate/${license.license_key}`, {
    software: software.id,
    label: 'https://shop.example.com',
    'meta[wp_version]': '6.8',
    'meta[php_version]': '8.2',
  });
  const ask = () =>
    get(`/software/${software.id}`, { type: 'wp', activation_token: token, channel: 'stable' });
  assert.equal((await ask()).details.stable_tag, '1.9.0', 'the site is up to date');

  await publish();
  const news = await ask();
  assert.equal(news.details.stable_tag, '1.10.0');
  assert.equal(news.version, '1.10.0');
  assert.equal(news.license, license.license_key);
  assert.equal(news.details.sections.changelog, '= 1.10.0 =\n* Better');
  const download = `${news.download_url}&meta_wp_version=6.8&meta_php_version=8.2&meta_web_server=nginx`;
  const answer = await fetch(download, {
    headers: { 'user-agent': 'WordPress/6.8; https://shop.example.com' },
  });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/zip');
  assert.match(
    answer.headers.get('content-disposition') ?? '',
    /^attachment; filename="?acme-1\.10\.0\.zip"?$/,
  );
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(NEW), 'the bytes differ');

  const [kept] = await rowsOf(api.dataDir, 'select * from downloads order by id desc limit 1');
  assert.equal(kept?.license_id, license.id);
  assert.equal(kept?.ip_address, '127.0.0.1');
  assert.match(String(kept?.user_agent), /^WordPress\/6\.8/);
  assert.deepEqual(JSON.parse(String(kept?.meta)), {
    wp_version: '6.8',
    php_version: '8.2',
    web_server: 'nginx',
  });

  assert.ok((await get(`/licenses/deactivate/${token}`, { software: software.id })).deactivated_at);
  const lapsed = await ask();
  assert.deepEqual([lapsed.version, lapsed.license, lapsed.download_url], ['1.10.0', '', '']);
  const refused = await fetch(download);
  assert.equal(refused.status, 403);
  const body = (await refused.json()) as { code: string; data: object };
  assert.deepEqual([body.code, body.data], ['permission_denied', { status: 403 }]);
});

test('a PHP client downloads with its activation token and Basic credentials', async () => {
  const { software, license, publish } = await acme();
  await publish();
  const { token } = await api.activation(license.license_key, { software: software.id });
  const address = `${api.root}/software/download/${token}`;
  const headers = { authorization: basicHeader(api.credentials) };
  const answer = await fetch(address, { headers });
  assert.equal(answer.status, 200);
  assert.ok(Buffer.from(await answer.arrayBuffer()).equals(NEW));

  assert.equal((await fetch(address)).status, 401, 'a download without credentials');
  await api.ok('PUT', `/licenses/${license.license_key}`, { json: { status: 'disabled' } });
  assert.equal((await fetch(address, { headers })).status, 403, 'a download with a disabled license');
});

test('a yanked release is neither offered nor downloadable, even with an earlier download link', async () => {
  const { software, license, publish } = await acme();
  const { id } = await publish();
  const { token } = await api.activation(license.license_key, { software: software.id });
  const ask = () => api.ok('GET', `/software/${software.id}?activation_token=${token}`);
  const { download_url: issued } = await ask();
  await api.ok('PUT', `/software/${software.id}/releases/${id}`, { json: { status: 'yanked' } });
  assert.equal((await fetch(issued)).status, 403);
  const now = await ask();
  assert.equal(now.version, '1.9.0');
  const before = await fetch(now.download_url);
  assert.ok(Buffer.from(await before.arrayBuffer()).equals(OLD));
});
