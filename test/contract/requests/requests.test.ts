import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { newKey } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

const api = await startService({ after });
const MIB = 1024 * 1024;

const values = () => ({ license_key: newKey(), valid_for: '0', status: '3', activations_limit: '4' });
const created = (options: object) => api.ok('POST', '/licenses', options);

suite('bodies', () => {
  for (const kind of ['json', 'form', 'multipart', 'query'] as const) {
    test(`parameters may come as ${kind}`, async () => {
      const sent = values();
      const license = await created({ [kind]: sent });
      assert.deepEqual(
        [license.license_key, license.status, license.activations_limit],
        [sent.license_key, 3, 4],
      );
    });
  }

  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'text/plain;charset=UTF-8',
    undefined,
  ]) {
    test(`a body that is a JSON object is read as JSON under ${type ?? 'no content type'}`, async () => {
      const sent = values();
      const raw = { body: `  ${JSON.stringify(sent)}\n`, ...(type && { type }) };
      assert.equal((await created({ raw })).license_key, sent.license_key);
    });
    test(`an empty body counts as none under ${type ?? 'no content type'}`, async () => {
      const { license_key } = await api.license();
      const headers = type ? { 'content-type': type } : {};
      const updated = await api.ok('PUT', `/licenses/${license_key}`, { query: { order_id: 6 }, headers });
      assert.equal(updated.order_id, 6);
    });
  }

  for (const type of ['', ' ', 'json', 'application/', 'x; charset=utf-8']) {
    const headers = { 'content-type': type };
    test(`an empty body counts as none under a malformed content type: "${type}"`, async () => {
      const { license_key } = await api.license();
      const path = `/licenses/${license_key}`;
      assert.equal((await api.ok('PUT', path, { query: { order_id: 6 }, headers })).order_id, 6);
    });
    test(`a body on DELETE is ignored under a malformed content type: "${type}"`, async () => {
      for (const options of [{ headers }, { headers, raw: { body: 'x' } }]) {
        const { license_key } = await api.license();
        assert.deepEqual(await api.ok('DELETE', `/licenses/${license_key}`, options), []);
      }
    });
    test(`an unknown route answers 404 under a malformed content type: "${type}"`, async () => {
      for (const options of [{ headers }, { headers, raw: { body: 'x' } }])
        await api.fails(404, 'rest_no_route', 'POST', '/nothing-here', options);
    });
  }
  test('a blank content type counts as none', async () => {
    for (const type of ['', ' ']) {
      const sent = values();
      const headers = { 'content-type': type };
      const license = await created({ headers, raw: { body: JSON.stringify(sent) } });
      assert.equal(license.license_key, sent.license_key);
      const form = { headers, raw: { body: 'order_id=5' } };
      await api.fails(415, 'rest_unsupported_media_type', 'PUT', `/licenses/${sent.license_key}`, form);
    }
  });

  for (const type of [
    'application/xml',
    'image/png',
    'application/octet-stream',
    'text/html',
    'application/jsonx',
    'nonsense',
    'application/',
    'json; charset=utf-8',
  ]) {
    test(`any other content type answers 415: ${type}`, async () => {
      const raw = { body: JSON.stringify(values()), type };
      await api.fails(415, 'rest_unsupported_media_type', 'POST', '/licenses', { raw });
    });
  }
  test('text/plain that is not a JSON object answers 415', async () => {
    const raw = { body: 'order_id=5', type: 'text/plain' };
    await api.fails(415, 'rest_unsupported_media_type', 'POST', '/licenses', { raw });
  });

  for (const body of [
    '{',
    '{"a":}',
    '{"a":1}}',
    "{'a':1}",
    '[]',
    '[{"a":1}]',
    '"text"',
    '5',
    'null',
    'true',
    'a=b',
    '{"a":1,}',
    '\ufeff{',
    '{"a":"\t"}',
  ]) {
    test(`malformed JSON and JSON that is not an object answer 400 rest_invalid_json: ${JSON.stringify(body)}`, async () => {
      const { license_key } = await api.license();
      const raw = { body, type: 'application/json' };
      await api.fails(400, 'rest_invalid_json', 'PUT', `/licenses/${license_key}`, { raw });
    });
  }
  test('JSON that is not UTF-8 answers 400 rest_invalid_json', async () => {
    const raw = { body: Buffer.from('{"label":"\xff"}', 'latin1'), type: 'application/json' };
    await api.fails(400, 'rest_invalid_json', 'POST', '/licenses', { raw });
  });
  test('JSON may begin with a byte order mark', async () => {
    const sent = values();
    const raw = { body: `\ufeff${JSON.stringify(sent)}`, type: 'application/json' };
    assert.equal((await created({ raw })).license_key, sent.license_key);
  });

  test('a body of 1 MiB is accepted, one byte more answers 413', async () => {
    for (const [type, start, end] of [
      ['application/json', '{"junk":"', '"}'],
      ['application/x-www-form-urlencoded', 'junk=', ''],
    ] as const) {
      const { license_key } = await api.license();
      const body = (size: number) => start + 'x'.repeat(size - start.length - end.length) + end;
      await api.ok('PUT', `/licenses/${license_key}`, { raw: { body: body(MIB), type } });
      const raw = { body: body(MIB + 1), type };
      await api.fails(413, 'rest_content_too_large', 'PUT', `/licenses/${license_key}`, { raw });
    }
  });

  test('a body on DELETE is ignored, whatever it is', async () => {
    for (const [body, type] of [
      [JSON.stringify({ license_key: 'other' }), 'application/json'],
      ['{', 'application/json'],
      ['x', 'image/png'],
      ['a=b', undefined],
    ]) {
      const { license_key } = await api.license();
      const raw = { body: body as string, ...(type && { type }) };
      assert.deepEqual(await api.ok('DELETE', `/licenses/${license_key}`, { raw }), []);
    }
  });
});

suite('query string and body', () => {
  test('parameters are the union of both', async () => {
    const { license_key, ...others } = values();
    const license = await created({ query: { license_key, order_id: 3 }, json: others });
    assert.deepEqual([license.license_key, license.order_id, license.activations_limit], [license_key, 3, 4]);
  });
  for (const kind of ['json', 'form', 'multipart'] as const) {
    test(`the body takes precedence: ${kind}`, async () => {
      const { license_key } = await api.license();
      const options = { query: { order_id: 1, user_id: 1 }, [kind]: { order_id: '2' } };
      const license = await api.ok('PUT', `/licenses/${license_key}`, options);
      assert.deepEqual([license.order_id, license.user_id], [2, 1]);
    });
  }
  test('the body takes precedence with null too', async () => {
    const { license_key } = await api.license({ order_id: 9 });
    const options = { query: { order_id: 1 }, json: { order_id: null } };
    assert.equal((await api.ok('PUT', `/licenses/${license_key}`, options)).order_id, null);
  });
  test('the last value of a repeated name counts', async () => {
    const { license_key } = await api.license();
    const license = await api.ok('PUT', `/licenses/${license_key}?order_id=1&order_id=2`);
    assert.equal(license.order_id, 2);
  });
  test('a plus is read as a space, and %2B as a plus', async () => {
    const raw = {
      body: 'license_key=a+b%2Bc%20d&valid_for=0&status=3&activations_limit=0',
      type: 'application/x-www-form-urlencoded',
    };
    assert.equal((await created({ raw })).license_key, 'a b+c d');
  });
  test('consumer_key and consumer_secret are never parameters', async () => {
    const { consumerKey, consumerSecret } = api.credentials;
    const { license_key } = await api.license();
    const query = { consumer_key: consumerKey, consumer_secret: consumerSecret };
    const untouched = await api.ok('PUT', `/licenses/${license_key}`, { query, form: query });
    assert.equal(untouched.updated_at, null);
    const activation = await api.activation(license_key, { ...query, 'meta[a]': 'b' });
    assert.deepEqual(activation.meta_data, { a: 'b' });
  });
});

suite('PHP-style brackets', () => {
  const metaOf = async (options: object) => {
    const { license_key } = await api.license();
    return (await api.ok('POST', `/licenses/activate/${license_key}`, options)).meta_data;
  };
  test('meta[os]=linux gives {"os": "linux"}, and values stay strings', async () => {
    const sent = { 'meta[os]': 'linux', 'meta[n]': '6', 'meta[t]': 'true', 'meta[f]': '1.50' };
    const is = { os: 'linux', n: '6', t: 'true', f: '1.50' };
    for (const kind of ['query', 'form', 'multipart'])
      assert.deepEqual(await metaOf({ [kind]: sent }), is, kind);
  });
  test('meta[a][b]=c nests deeper', async () => {
    assert.deepEqual(await metaOf({ query: { 'meta[a][b]': 'c' } }), { a: { b: 'c' } });
  });
  test('meta[list][]=1&meta[list][]=2 gives a list', async () => {
    const { license_key } = await api.license();
    const target = `/licenses/activate/${license_key}?meta[list][]=1&meta[list][]=2`;
    assert.deepEqual((await api.ok('GET', target)).meta_data, { list: ['1', '2'] });
  });
  test('a list can be long', async () => {
    const { license_key } = await api.license();
    const list = Array.from({ length: 50 }, (_, i) => `${i}`);
    for (const name of ['meta[list][]', undefined]) {
      const pairs = list.map((one, i) => `${name ?? `meta[list][${i}]`}=${one}`);
      const { meta_data } = await api.ok('GET', `/licenses/activate/${license_key}?${pairs.join('&')}`);
      assert.deepEqual(meta_data, { list });
    }
  });
  test('a number of 1000 or more is a name, and lists beside it stay lists', async () => {
    const sent = { 'meta[1234]': 'x', 'meta[list][]': 'y', 'meta[deep][0]': 'z' };
    const is = { 1234: 'x', list: ['y'], deep: ['z'] };
    for (const kind of ['query', 'form', 'multipart'])
      assert.deepEqual(await metaOf({ [kind]: sent }), is, kind);
    assert.deepEqual(await metaOf({ query: { 'meta[5]': 'a', 'meta[1000]': 'b' } }), { 5: 'a', 1000: 'b' });
  });
  test('a list of more than 1000 is refused, also beside such a number', async () => {
    const { license_key } = await api.license();
    const body = `meta[1234]=x&${Array.from({ length: 1_001 }, () => 'meta[list][]=1').join('&')}`;
    const raw = { body, type: 'application/x-www-form-urlencoded' };
    await api.fails(400, 'rest_bad_request', 'POST', `/licenses/activate/${license_key}`, { raw });
  });
  test('a long name is read in a multipart form as in a form', async () => {
    const name = `meta[${'k'.repeat(150)}]`;
    for (const kind of ['form', 'multipart'])
      assert.deepEqual(await metaOf({ [kind]: { [name]: 'v' } }), { ['k'.repeat(150)]: 'v' }, kind);
  });
  test('percent-encoded brackets nest too', async () => {
    const { license_key } = await api.license();
    const { meta_data } = await api.ok('GET', `/licenses/activate/${license_key}?meta%5Bphp_version%5D=8.2`);
    assert.deepEqual(meta_data, { php_version: '8.2' });
  });
  test('names of prototypes are ordinary names', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const { license_key } = await api.license();
      const target = `/licenses/activate/${license_key}?${name}[x]=1&${name}=2&meta[${name}]=3&meta[a]=4&label=${name}`;
      const activation = await api.ok('GET', target);
      assert.equal(activation.label, name);
      assert.equal(activation.meta_data.a, '4');
    }
    assert.equal(({} as { x?: unknown }).x, undefined);
  });
});
