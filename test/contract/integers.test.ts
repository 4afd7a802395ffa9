import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../support/service.ts';
import { asJson } from './requests/bad-values.ts';

const api = await startService({ after });

suite('integer values', () => {
  const GOOD: [literal: string, is: number][] = [
    ['0', 0],
    ['-0', 0],
    ['7', 7],
    ['"7"', 7],
    ['"0"', 0],
    ['"007"', 7],
    ['2147483647', 2147483647],
    ['"2147483647"', 2147483647],
  ];
  for (const field of ['order_id', 'product_id', 'user_id', 'valid_for', 'activations_limit']) {
    for (const [literal, is] of GOOD) {
      test(`${field} accepts ${literal} as ${is}`, async () => {
        const { license_key } = await api.license();
        assert.equal(
          (await api.ok('PUT', `/licenses/${license_key}`, asJson({ [field]: literal })))[field],
          is,
        );
        assert.ok(Object.is((await api.ok('GET', `/licenses/${license_key}`))[field], is));
      });
    }
  }
  for (const field of ['order_id', 'product_id', 'user_id']) {
    for (const literal of ['9007199254740991', '"9007199254740991"']) {
      test(`${field} accepts values up to 2^53-1: ${literal}`, async () => {
        const { license_key } = await api.license();
        const updated = await api.ok('PUT', `/licenses/${license_key}`, asJson({ [field]: literal }));
        assert.equal(updated[field], 9007199254740991);
        const listed = await api.ok('GET', '/licenses', { query: { [field]: '9007199254740991' } });
        assert.ok(listed.some((one: { license_key: string }) => one.license_key === license_key));
      });
    }
  }
});

suite('integers in a path', () => {
  for (const id of [
    'abc',
    '0',
    '-1',
    '1.0',
    '1e0',
    '+1',
    '%201',
    '1%20',
    '%D9%A1',
    '0x1',
    '9007199254740992',
    '99999999999999999999',
    'null',
    '%00',
  ]) {
    test(`an id that is not an integer or is out of range answers 404: /generators/${id}`, async () => {
      const { id: first } = await api.generator();
      assert.ok(first >= 1);
      for (const [method, path] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['POST', '/generate'],
      ] as const) {
        const options = method === 'PUT' || method === 'POST' ? { json: { amount: 1 } } : {};
        const body = await api.fails(404, 'data_error', method, `/generators/${id}${path}`, options);
        assert.equal(body.data.code, 404);
      }
    });
  }
});

suite('text in a path', () => {
  const NAMES = [
    '%00',
    'a%00b',
    '%ED%A0%80',
    '%FF',
    'a%C3',
    '%C0%AF',
    '%F5%80%80%80',
    'k'.repeat(256),
    'k'.repeat(8000),
    '%20',
    'hashed-',
    'hashed-xyz',
  ];
  for (const name of NAMES) {
    test(`NUL, invalid UTF-8 and text that cannot be a key answer 404: ${name.slice(0, 20)}`, async () => {
      const update = { json: { order_id: 1 } };
      await api.fails(404, 'data_error', 'GET', `/licenses/${name}`);
      await api.fails(404, 'data_error', 'PUT', `/licenses/${name}`, update);
      await api.fails(404, 'data_error', 'DELETE', `/licenses/${name}`);
      await api.fails(404, 'data_error', 'GET', `/licenses/activate/${name}`);
      await api.fails(404, 'data_error', 'GET', `/licenses/validate/${name}`);
      await api.fails(404, 'data_error', 'GET', `/licenses/deactivate/${name}`);
    });
  }
});

suite('text', () => {
  const LONGEST = [
    'k'.repeat(255),
    'é'.repeat(255),
    'Ж'.repeat(255),
    '😀'.repeat(255),
    `${'e\u0301'.repeat(127)}e`,
  ];
  for (const key of LONGEST) {
    test(`lengths count code points: a key of 255 × ${key.slice(0, 2)} is stored as sent and found`, async () => {
      const unique = `${Math.random().toString(36).slice(2, 8)}${[...key].slice(6).join('')}`;
      const license_key = [...unique].slice(0, 255).join('');
      assert.equal([...license_key].length, 255);
      assert.equal((await api.license({ license_key })).license_key, license_key);
      assert.equal(
        (await api.ok('GET', `/licenses/${encodeURIComponent(license_key)}`)).license_key,
        license_key,
      );
    });
  }
  for (const key of [
    ' padded ',
    '\ttab',
    'new\nline',
    'Ключ ☂/x',
    '\u0001',
    '\ufffe',
    '\u{10ffff}',
    '\u200b',
    '"quoted"',
    "o'k",
    '<script>',
    '%41',
  ]) {
    test(`a key is stored as sent: ${JSON.stringify(key)}`, async () => {
      assert.equal((await api.license({ license_key: key })).license_key, key);
      assert.equal((await api.ok('GET', `/licenses/${encodeURIComponent(key)}`)).license_key, key);
    });
  }
  for (const kind of ['query', 'form', 'multipart'] as const) {
    test(`text with NUL is an invalid value in a ${kind}`, async () => {
      const { license_key } = await api.license();
      const options = { [kind]: { license_key: 'a\0b' } };
      const body = await api.fails(422, 'data_error', 'PUT', `/licenses/${license_key}`, options);
      assert.deepEqual(Object.keys(body.data.params), ['license_key']);
    });
  }
  for (const bytes of ['%FF', '%ED%A0%80', 'a%C3', '%C0%AF']) {
    test(`invalid UTF-8 is an invalid value in a query and a form: ${bytes}`, async () => {
      const { license_key } = await api.license();
      const path = `/licenses/${license_key}`;
      const raw = { body: `license_key=${bytes}`, type: 'application/x-www-form-urlencoded' };
      await api.fails(422, 'data_error', 'PUT', path, { raw });
      await api.fails(422, 'data_error', 'PUT', `${path}?license_key=${bytes}`);
    });
  }
  test('invalid UTF-8 is an invalid value as raw bytes of a form and a multipart form', async () => {
    const { license_key } = await api.license();
    const form = {
      body: Buffer.from('license_key=a\xffb', 'latin1'),
      type: 'application/x-www-form-urlencoded',
    };
    const part = '--x\r\ncontent-disposition: form-data; name="license_key"\r\n\r\na\xffb\r\n--x--\r\n';
    const multipart = { body: Buffer.from(part, 'latin1'), type: 'multipart/form-data; boundary=x' };
    for (const raw of [form, multipart]) {
      await api.fails(422, 'data_error', 'PUT', `/licenses/${license_key}`, { raw });
    }
  });
});
