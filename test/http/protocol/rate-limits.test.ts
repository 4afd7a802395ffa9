import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CallOptions } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { type Options, startService } from '../../support/service.ts';

const from = (ip: string): CallOptions => ({ headers: { 'x-forwarded-for': ip } });

async function started(t: TestContext, server: Options['server']) {
  const time = { now: Date.parse('2030-06-01T12:00:00Z') };
  const api = await startService(t, { clock: () => time.now, server: { trustProxy: true, ...server } });
  return { api, time };
}

test('requests of an API key are limited across all addresses, and do not count for another key', async (t) => {
  const { api, time } = await started(t, { apiKeyRateLimit: 4 });
  const other = await withApiKey(api);
  for (let i = 0; i < 4; i++) {
    const { status, headers } = await api.call('GET', '/licenses', from(`192.0.2.${i}`));
    assert.equal(status, 200);
    assert.equal(headers.get('ratelimit-policy'), '"key";q=4;w=60');
    assert.equal(headers.get('ratelimit'), `"key";r=${3 - i};t=60`);
    assert.equal(headers.get('retry-after'), null);
    assert.equal(headers.get('x-ratelimit-limit'), null);
  }
  time.now += 500;
  const { status, headers, body } = await api.call('GET', '/licenses', from('192.0.2.9'));
  assert.deepEqual([status, body.code], [429, 'rest_too_many_requests']);
  assert.equal(headers.get('retry-after'), '60');
  assert.equal(headers.get('ratelimit'), '"key";r=0;t=60');
  await other.ok('GET', '/licenses');
  time.now += 60_000;
  await api.ok('GET', '/licenses');
});

test('requests refused by the address limit, or with wrong credentials, do not count for the API key', async (t) => {
  const { api } = await started(t, { apiKeyRateLimit: 4, rateLimit: 2 });
  const wrong = { ...api.credentials, consumerSecret: 'cs_wrong' };
  for (const ip of ['192.0.2.7', '192.0.2.8'])
    assert.equal((await api.call('GET', '/licenses', { ...from(ip), credentials: wrong })).status, 401);
  const asked: number[] = [];
  for (let i = 0; i < 10; i++) asked.push((await api.call('GET', '/licenses', from('192.0.2.1'))).status);
  assert.deepEqual(asked, [200, 200, ...Array.from({ length: 8 }, () => 429)]);
  const { status, headers } = await api.call('GET', '/licenses', from('192.0.2.2'));
  assert.equal(status, 200);
  assert.equal(headers.get('ratelimit-policy'), '"address";q=2;w=60, "key";q=4;w=60');
  assert.equal(headers.get('ratelimit'), '"address";r=1;t=60, "key";r=1;t=60');
});

test('both limits hold under concurrent requests', async (t) => {
  const { api } = await started(t, { apiKeyRateLimit: 10, rateLimit: 7 });
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) => api.call('GET', '/licenses', from(`192.0.2.${i % 2}`))),
  );
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
});

test('requests without credentials count for an address too, except health checks', async (t) => {
  const { api } = await started(t, { rateLimit: 4 });
  const statusOf = async (path: string) =>
    (await fetch(new URL(path, api.root), { redirect: 'manual' })).status;
  for (const path of ['/docs/json', '/docs/yaml', '/docs/page.css']) assert.equal(await statusOf(path), 200);
  assert.equal(await statusOf('/'), 302);
  assert.equal(await statusOf('/docs/json'), 429);
  assert.equal(await statusOf('/healthz'), 200);
  await api.fails(429, 'rest_too_many_requests', 'GET', '/licenses');
});

test('an untrusted X-Forwarded-For gives nobody more requests', async (t) => {
  const { api } = await started(t, { rateLimit: 2, trustProxy: false });
  const asked: number[] = [];
  for (let i = 0; i < 4; i++) asked.push((await api.call('GET', '/licenses', from(`192.0.2.${i}`))).status);
  assert.deepEqual(asked, [200, 200, 429, 429]);
});

test('without limits, answers have no rate limit headers', async (t) => {
  const { api } = await started(t, {});
  const { headers } = await api.call('GET', '/licenses');
  assert.deepEqual([headers.get('ratelimit'), headers.get('ratelimit-policy')], [null, null]);
});

test('the log warns once about an untrusted proxy', async (t) => {
  const { api } = await started(t, { trustProxy: false });
  const warnings = () => api.logs.filter((line) => line.includes('untrusted_proxy'));
  await api.ok('GET', '/licenses');
  assert.equal(warnings().length, 0);
  for (let i = 0; i < 3; i++) await api.ok('GET', '/licenses', from('192.0.2.1'));
  assert.equal(warnings().length, 1);
  assert.match(warnings()[0] ?? '', /LATCHKEY_TRUST_PROXY/);
  const trusting = await started(t, { trustProxy: '127.0.0.1' });
  await trusting.api.ok('GET', '/licenses', from('192.0.2.1'));
  assert.ok(trusting.api.logs.every((line) => !line.includes('untrusted_proxy')));
});
