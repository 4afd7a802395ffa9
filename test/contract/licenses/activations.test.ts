import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { CLIENT_PRESET } from '../../../src/domain/api-key.ts';
import type { Record_ } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';
import { asJson, NO_TEXT } from '../requests/bad-values.ts';

let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const unlimited = await api.license({ activations_limit: 0 });
const path = `/licenses/activate/${unlimited.license_key}`;
const stored = async () => (await api.ok('GET', `/licenses/${unlimited.license_key}`)).activations;

suite('activate', () => {
  for (const method of ['GET', 'POST']) {
    test(`${method} creates an activation and answers with all of its fields and its license`, async () => {
      const license = await api.license();
      const sent = { label: 'My laptop', 'meta[os]': 'linux' };
      const options = {
        [method === 'GET' ? 'query' : 'form']: sent,
        headers: { 'user-agent': 'client/1 (Ж)'.replace('Ж', 'x') },
      };
      const { id, token, ...activation } = await api.ok(
        method,
        `/licenses/activate/${license.license_key}`,
        options,
      );
      assert.ok(Number.isInteger(id));
      assert.match(token, /^[0-9a-f]{40}$/);
      assert.deepEqual(activation, {
        license_id: license.id,
        software_id: null,
        label: 'My laptop',
        source: 2,
        ip_address: '127.0.0.1',
        user_agent: 'client/1 (x)',
        meta_data: { os: 'linux' },
        created_at: '2030-06-01 12:00:00',
        updated_at: null,
        deactivated_at: null,
        seat_expires_at: null,
        last_seen_at: null,
        license: { ...license, times_activated: 1 },
      });
    });
  }
  test('without label and meta, label is null and meta_data is []', async () => {
    const { label, meta_data } = await api.activation(unlimited.license_key);
    assert.deepEqual([label, meta_data], [null, []]);
  });
  for (const literal of ['null', '""']) {
    test(`label, meta and token count as not set if ${literal}`, async () => {
      const { label, meta_data } = await api.ok(
        'POST',
        path,
        asJson({ label: literal, meta: literal, token: literal }),
      );
      assert.deepEqual([label, meta_data], [null, []]);
    });
  }
  test('tokens are unique', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => api.activation(unlimited.license_key)));
    assert.equal(new Set(made.map(({ token }) => token)).size, 50);
  });
  for (const character of ['a', 'é', '😀']) {
    test(`a label is cut to 255 code points: ${character}`, async () => {
      const exact = character.repeat(255);
      for (const label of [exact, `${exact}${character}`, character.repeat(10_000)]) {
        assert.equal((await api.ok('POST', path, { json: { label } })).label, exact);
      }
    });
  }
  for (const literal of NO_TEXT) {
    test(`a label that is not text is 422 naming it, nothing created: ${literal}`, async () => {
      const before = (await stored()).length;
      const body = await api.fails(422, 'data_error', 'POST', path, asJson({ label: literal }));
      assert.deepEqual(Object.keys(body.data.params), ['label']);
      assert.equal((await stored()).length, before);
    });
    test(`a token that is not text is 422 naming it, nothing created: ${literal}`, async () => {
      const before = (await stored()).length;
      const body = await api.fails(422, 'data_error', 'POST', path, asJson({ token: literal }));
      assert.deepEqual(Object.keys(body.data.params), ['token']);
      assert.equal((await stored()).length, before);
    });
  }
  test('an unknown software id is ignored', async () => {
    for (const software of ['999999999', '1', 'abc', ''])
      await api.activation(unlimited.license_key, { software });
  });
  test('user_agent is "" when unknown', async () => {
    assert.equal((await api.ok('GET', path, { headers: { 'user-agent': '' } })).user_agent, '');
  });
  test('an unknown key is 404 and the message names it', async () => {
    const body = await api.fails(404, 'data_error', 'GET', '/licenses/activate/NO-SUCH-KEY');
    assert.match(body.message, /NO-SUCH-KEY/);
    assert.deepEqual(body.data, { status: 404, code: 404 });
  });
});

suite('meta', () => {
  const metaOf = async (literal: string) => (await api.ok('POST', path, asJson({ meta: literal }))).meta_data;
  const ofBytes = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

  test('is stored as sent, with its numbers, lists and objects', async () => {
    const meta = {
      n: 1,
      f: 1.5,
      big: 1e3,
      t: true,
      nil: null,
      list: [1, 'two', [3]],
      deep: { er: {} },
      Ключ: '☂',
      path: String.raw`C:\u0000\ud800`,
      '': 'empty',
    };
    assert.deepEqual(await metaOf(JSON.stringify(meta)), meta);
    assert.deepEqual((await stored())[0].meta_data, meta);
  });
  test('has its numbers parsed as JSON numbers', async () => {
    assert.deepEqual(await metaOf('{"a":1.0,"b":1e3,"c":[2.0]}'), { a: 1, b: 1000, c: [2] });
  });
  test('keeps integers beyond 2^53 as text', async () => {
    const sent = '{"a":9007199254740991,"b":76561198000000001,"c":[-9007199254740993,{"d":1e400}],"e":1e20}';
    const is = { a: 2 ** 53 - 1, b: '76561198000000001', c: ['-9007199254740993', { d: null }], e: 1e20 };
    assert.deepEqual(await metaOf(sent), is);
    assert.deepEqual((await stored())[0].meta_data, is);
  });
  for (const literal of ['{"a":"\\u0000"}', '{"a":["\\ud800"]}', '{"\\u0000":"a"}', '{"a":{"\\udc00":1}}']) {
    test(`is ignored with NUL or a lone surrogate: ${literal}`, async () => {
      assert.deepEqual(await metaOf(literal), []);
    });
  }
  test('is ignored with bytes of a query string that are not UTF-8', async () => {
    for (const query of ['meta[pc]=M%FCller-PC', 'meta[%00]=1', 'meta[%FC]=1']) {
      assert.deepEqual((await api.ok('GET', `${path}?${query}`)).meta_data, [], query);
    }
  });
  for (const literal of ['{}', '[]', '[1,2]', '"text"', '5', 'true', 'false', '0']) {
    test(`is ignored if it is not an object: ${literal}`, async () => {
      assert.deepEqual(await metaOf(literal), []);
    });
  }
  test('is stored up to 16 KiB of JSON and ignored beyond', async () => {
    const longest = ofBytes(16_384);
    assert.deepEqual(await metaOf(longest), JSON.parse(longest));
    assert.deepEqual(await metaOf(ofBytes(16_385)), []);
  });
  test('is stored up to 2 KiB and ignored beyond with an API key of the preset client', async () => {
    const { ok } = await withApiKey(api, CLIENT_PRESET);
    const sent = async (bytes: number) =>
      (await ok('POST', path, asJson({ meta: ofBytes(bytes) }))).meta_data;
    assert.deepEqual(await sent(2_048), JSON.parse(ofBytes(2_048)));
    assert.deepEqual(await sent(2_049), []);
    const reading = await withApiKey(api, { permission: 'read' });
    const { meta_data } = await reading.ok('POST', path, asJson({ meta: ofBytes(2_049) }));
    assert.deepEqual(meta_data, JSON.parse(ofBytes(2_049)));
  });
  test('is measured in bytes', async () => {
    assert.deepEqual(await metaOf(`{"a":"${'é'.repeat(8_200)}"}`), []);
  });
});

suite('the activation limit', () => {
  test('is never exceeded and answers 404 license_activation_limit_reached', async () => {
    const { license_key } = await api.license({ activations_limit: 2 });
    for (const _ of [1, 2]) await api.activation(license_key);
    await api.fails(404, 'license_activation_limit_reached', 'GET', `/licenses/activate/${license_key}`);
    await api.fails(404, 'license_activation_limit_reached', 'POST', `/licenses/activate/${license_key}`);
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).activations.length, 2);
  });
  test('0 means no limit', async () => {
    const { license_key } = await api.license({ activations_limit: 0 });
    for (const _ of [1, 2, 3]) await api.activation(license_key);
  });
  test('holds under concurrent requests: five seats, forty requests', async () => {
    const { license_key } = await api.license({ activations_limit: 5 });
    const activate = () => api.call('GET', `/licenses/activate/${license_key}`);
    const answers = await Promise.all(Array.from({ length: 40 }, activate));
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    const license = await api.ok('GET', `/licenses/${license_key}`);
    assert.deepEqual([license.times_activated, license.activations.length], [5, 5]);
  });
  test('ends no activation when lowered, and refuses new ones until enough have ended', async () => {
    const { license_key } = await api.license({ activations_limit: 3 });
    const made: Record_[] = [];
    for (const _ of [1, 2, 3]) made.push(await api.activation(license_key));
    await api.ok('PUT', `/licenses/${license_key}`, { json: { activations_limit: 1 } });
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).times_activated, 3);
    for (const { token } of made) {
      await api.fails(404, 'license_activation_limit_reached', 'GET', `/licenses/activate/${license_key}`);
      await api.ok('GET', `/licenses/deactivate/${token}`);
    }
    await api.activation(license_key);
  });
});

suite('validate', () => {
  test('answers with the activation and its license, and changes nothing', async () => {
    const { license_key } = await api.license();
    const activation = await api.activation(license_key, { label: 'v' });
    now += 5000;
    assert.deepEqual(await api.ok('GET', `/licenses/validate/${activation.token}`), activation);
    assert.deepEqual(await api.ok('GET', `/licenses/validate/${activation.token}/`), activation);
  });
  for (const [what, change, field, is] of [
    ['an expired', { expires_at: '2020-01-01' }, 'is_expired', true],
    ['a disabled', { status: 5 }, 'status', 5],
  ] as const) {
    test(`answers for ${what} license too`, async () => {
      const { license_key } = await api.license();
      const { token } = await api.activation(license_key);
      await api.ok('PUT', `/licenses/${license_key}`, { json: change });
      assert.equal((await api.ok('GET', `/licenses/validate/${token}`)).license[field], is);
    });
  }
  test('answers 404 for a deactivated activation, and the message says so', async () => {
    const { token } = await api.activation((await api.license()).license_key);
    await api.ok('GET', `/licenses/deactivate/${token}`);
    const body = await api.fails(404, 'data_error', 'GET', `/licenses/validate/${token}`);
    assert.match(body.message, /deactivated/);
  });
  for (const token of ['0'.repeat(40), 'x', 'F'.repeat(40), '%00', 'a%2Fb']) {
    test(`answers 404 for an unknown token: ${token}`, async () => {
      await api.fails(404, 'data_error', 'GET', `/licenses/validate/${token}`);
      await api.fails(404, 'data_error', 'GET', `/licenses/deactivate/${token}`);
    });
  }
});

suite('deactivate', () => {
  test('sets deactivated_at and updated_at, frees the seat and answers with the license', async () => {
    const license = await api.license({ activations_limit: 1 });
    const activation = await api.activation(license.license_key, { label: 'd', 'meta[a]': 'b' });
    now += 90_000;
    const at = '2030-06-01 12:01:30';
    const is = { ...activation, updated_at: at, deactivated_at: at, license };
    assert.deepEqual(await api.ok('GET', `/licenses/deactivate/${activation.token}`), is);
    await api.activation(license.license_key);
  });
  for (const [what, change] of [
    ['expired', { expires_at: '2020-01-01' }],
    ['disabled', { status: 5 }],
  ] as const) {
    test(`works for ${what} licenses too`, async () => {
      const { license_key } = await api.license();
      const { token } = await api.activation(license_key);
      await api.ok('PUT', `/licenses/${license_key}`, { json: change });
      assert.ok((await api.ok('GET', `/licenses/deactivate/${token}`)).deactivated_at);
    });
  }
  test('answers 404 the second time and changes nothing', async () => {
    const { license_key } = await api.license({ activations_limit: 0 });
    const { token } = await api.activation(license_key);
    await api.activation(license_key);
    await api.ok('GET', `/licenses/deactivate/${token}`);
    const body = await api.fails(404, 'data_error', 'GET', `/licenses/deactivate/${token}`);
    assert.match(body.message, /already deactivated/);
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).times_activated, 1);
  });
  test('frees only one seat under concurrent requests', async () => {
    const { license_key } = await api.license({ activations_limit: 0 });
    const [{ token }] = await Promise.all([1, 2, 3].map(() => api.activation(license_key)));
    const deactivate = () => api.call('GET', `/licenses/deactivate/${token}`);
    const answers = await Promise.all(Array.from({ length: 10 }, deactivate));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal((await api.ok('GET', `/licenses/${license_key}`)).times_activated, 2);
  });
});

test('a device that names other software has that software, and its download', async () => {
  const [first, other] = [await api.software(), await api.software()];
  await api.release(other.id, { file: new File(['other'], 'x.zip') });
  const { license_key: key } = await api.license();
  const activate = (query: object) => api.activation(key, { fingerprint: 'machine', ...query });
  const { id, token } = await activate({ software: first.id });
  const again = await activate({ software: other.id });
  assert.deepEqual([again.id, again.software_id], [id, other.id]);
  assert.equal((await activate({})).software_id, other.id);
  assert.equal((await api.ok('GET', `/licenses/${key}`)).activations[0].software_id, other.id);
  const { status, body } = await api.call('GET', `/software/download/${token}`);
  assert.deepEqual([status, body], [200, 'other']);
});
