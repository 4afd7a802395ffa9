import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../support/service.ts';

const api = await startService({ after: (await import('node:test')).after });
const PATH = '/licenses/activate/none';
const multipart = 'multipart/form-data; boundary=B';

test('a multipart body that ends inside a file is refused, and the service lives on', async () => {
  const body = '--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nabc';
  await api.fails(400, 'rest_invalid_body', 'POST', PATH, { raw: { body, type: multipart } });
  await api.ok('GET', '/licenses');
});

test('a megabyte of numbers with fractions does not stall the process', {
  timeout: 60_000,
}, async () => {
  const { license_key } = await api.license();
  const body = `{"meta":[${Array.from({ length: 200_000 }, () => '1.0').join(',')}]}`;
  await api.ok('POST', `/licenses/activate/${license_key}`, { raw: { body, type: 'application/json' } });
});

test('a form that nests too deeply or has too many parameters is refused, not cut', async () => {
  const deep = `meta${'[a]'.repeat(100)}=1`;
  const many = Array.from({ length: 10_001 }, (_, i) => `p${i}=1`).join('&');
  const longList = Array.from({ length: 1_001 }, () => 'meta[]=1').join('&');
  const { license_key } = await api.license();
  for (const body of [deep, many, longList]) {
    const type = 'application/x-www-form-urlencoded';
    await api.fails(400, 'rest_bad_request', 'POST', `/licenses/activate/${license_key}`, {
      raw: { body, type },
    });
  }
  assert.equal((await api.ok('GET', `/licenses/${license_key}`)).times_activated, 0);
  const kept = `meta${'[a]'.repeat(30)}=1`;
  const made = await api.ok('POST', `/licenses/activate/${license_key}`, {
    raw: { body: kept, type: 'application/x-www-form-urlencoded' },
  });
  assert.equal(JSON.stringify(made.meta_data), `${'{"a":'.repeat(30)}"1"${'}'.repeat(30)}`);
});

test('a query string that passes the limits is refused too', async () => {
  await api.fails(400, 'rest_bad_request', 'GET', `/licenses?x${'[a]'.repeat(100)}=1`);
});

test('16 KiB of metadata arrive in a query string', async () => {
  const { license_key } = await api.license();
  const value = 'ä'.repeat(8_000);
  const made = await api.activation(license_key, { 'meta[a]': value });
  assert.deepEqual(made.meta_data, { a: value });
});

test('keys generated at once are limited by memory: beyond, 503 with Retry-After', async () => {
  const { id } = await api.generator();
  const ask = () => api.call('POST', `/generators/${id}/generate`, { json: { amount: 100_000 } });
  const answers = await Promise.all([ask(), ask(), ask()]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 503]);
  assert.ok(answers.find(({ status }) => status === 503)?.headers.get('retry-after'));
});
