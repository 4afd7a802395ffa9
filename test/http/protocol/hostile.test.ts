import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../../support/service.ts';

const api = await startService({ after: (await import('node:test')).after });
const PATH = '/licenses/activate/none';
const multipart = 'multipart/form-data; boundary=B';

test('a multipart body that ends inside a file is refused, and the service keeps running', async () => {
  const body = '--B\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nabc';
  await api.fails(400, 'rest_invalid_body', 'POST', PATH, { raw: { body, type: multipart } });
  await api.ok('GET', '/licenses');
});

test('a JSON body with too many values is refused; a string counts as one value', async () => {
  const { license_key } = await api.license({ activations_limit: 3 });
  const path = `/licenses/activate/${license_key}`;
  const meta: [number, string][] = [
    [60_000, `${'['.repeat(60_000)}${']'.repeat(60_000)}`],
    [20_000, `[${'1.0,'.repeat(20_000)}1]`],
    [60_000, `{"\\"":1,${'"a":{},'.repeat(30_000)}"a":1}`],
  ];
  for (const [most, value] of meta) {
    const raw = { body: `{"meta":${value}}`, type: 'application/json' };
    const { message } = await api.fails(400, 'rest_bad_request', 'POST', path, { raw });
    assert.equal(message, `The JSON body has more than ${most} values.`);
  }
  for (const value of [
    `[${'1,'.repeat(59_990)}1]`,
    `[${'1.0,'.repeat(19_990)}1]`,
    `{"a":"\\"${',[{'.repeat(100_000)}"}`,
  ]) {
    const made = await api.ok('POST', path, {
      raw: { body: `{"meta":${value}}`, type: 'application/json' },
    });
    assert.deepEqual(made.meta_data, []);
  }
});

test('a license with so many activations that it has almost 1 MiB can be sent back', async () => {
  const { license_key } = await api.license();
  const one = { ...(await api.activation(license_key)), license: undefined };
  const activations = Array(Math.floor(1_040_000 / (JSON.stringify(one).length + 1))).fill(one);
  const license = await api.ok('GET', `/licenses/${license_key}`);
  const json = { ...license, activations, order_id: 5 };
  assert.equal((await api.ok('PUT', `/licenses/${license_key}`, { json })).order_id, 5);
});

test('a form with too much nesting or too many parameters is refused, not truncated', async () => {
  const deep = `meta${'[a]'.repeat(100)}=1`;
  const many = Array.from({ length: 10_001 }, (_, i) => `p${i}=1`).join('&');
  const longList = Array.from({ length: 1_001 }, () => 'meta[]=1').join('&');
  const { license_key } = await api.license();
  const manyDeep = Array.from({ length: 400 }, (_, i) => `meta[${i}]${'%5Ba%5D'.repeat(50)}=1`).join('&');
  // Each index is allowed by itself, and takes the memory of a list of 999 values.
  const empty = Array.from({ length: 1_900 }, (_, i) => `meta[${i}a]${'[%3998]'.repeat(4)}=1`).join('&');
  // These numbers are names, but V8 makes a list for each of them.
  const named = Array.from({ length: 1_000 }, (_, i) => `meta[${i}a][1023]=1`).join('&');
  for (const body of [deep, many, longList, manyDeep, empty, named]) {
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

test('a form is read as UTF-8, percent-encoded or not; other bytes are refused', async () => {
  const { license_key } = await api.license();
  const send = (body: Buffer) => ({ raw: { body, type: 'application/x-www-form-urlencoded' } });
  const path = `/licenses/activate/${license_key}`;
  const made = await api.ok('POST', path, send(Buffer.from('label=ä+%C3%A4++%2B')));
  assert.equal(made.label, 'ä ä  +');
  // The two bytes of "ä", one of them percent-encoded.
  const mixed = await api.ok('POST', path, send(Buffer.from('label=%C3\xa4', 'latin1')));
  assert.equal(mixed.label, 'ä');
  await api
    .call('POST', path, send(Buffer.from('label=\xff+', 'latin1')))
    .then(({ status }) => assert.equal(status, 422));
});

test('a query string that exceeds the limits is refused too', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, i) => `a${i}=1`).join('&');
  const nested = (count: number) => Array.from({ length: count }, (_, i) => `a${i}[b]=1`).join('&');
  const lists = Array.from({ length: 30 }, (_, i) => `a${i}[900]=1`).join('&');
  for (const query of [`x${'[a]'.repeat(100)}=1`, many(2_001), nested(1_001), lists])
    assert.match(
      (await api.fails(400, 'rest_bad_request', 'GET', `/licenses?${query}`)).message,
      /and 1000 levels of all/,
    );
  for (const query of [many(2_000), nested(1_000)]) await api.ok('GET', `/licenses?${query}`);
});

test('the limits of names do not count what values contain', async () => {
  const { license_key } = await api.license();
  const log = JSON.stringify(Array.from({ length: 500 }, () => [4_096]));
  const made = await api.activation(license_key, { 'meta[log]': log, label: '[4999]]=[4999]'.repeat(9) });
  assert.deepEqual(made.meta_data, { log });
  // As in PHP, a name ends at the first "]=", even after another "=".
  const late = `x=${'[1023]'.repeat(30)}=1`;
  await api.fails(400, 'rest_bad_request', 'GET', `/licenses?${late}`);
});

test('16 KiB of metadata fit in a query string', async () => {
  const { license_key } = await api.license();
  const value = 'ä'.repeat(8_000);
  const made = await api.activation(license_key, { 'meta[a]': value });
  assert.deepEqual(made.meta_data, { a: value });
});

test('concurrently generated keys are limited by memory: more get 503 with Retry-After', async () => {
  const { id } = await api.generator();
  const ask = () => api.call('POST', `/generators/${id}/generate`, { json: { amount: 100_000 } });
  const answers = await Promise.all([ask(), ask(), ask()]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 503]);
  assert.ok(answers.find(({ status }) => status === 503)?.headers.get('retry-after'));
});
