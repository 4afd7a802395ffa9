import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { DEFAULT_TERMS, newName } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import {
  asJson,
  NO_FLAG,
  NO_INTEGER,
  NO_STATUS,
  PAST_COUNT,
  PAST_REFERENCE,
} from '../requests/bad-values.ts';

const clock = () => Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock });
const generate = (id: number, json: object): Promise<string[]> =>
  api.ok('POST', `/generators/${id}/generate`, { json });
/** Creates a generator of eight possible keys, with a unique prefix. */
const small = (values = {}) =>
  api.generator({ charset: 'AABB', chunks: 1, chunk_length: 3, separator: '', prefix: newName(), ...values });
const total = async () =>
  (await api.call('GET', '/licenses', { query: { per_page: 1 } })).headers.get('x-wp-total');

const { id: some } = await api.generator();

suite('generated keys', () => {
  test('consist of prefix, chunks joined by the separator, and suffix', async () => {
    const { id } = await api.generator({
      charset: 'ABC',
      chunks: 3,
      chunk_length: 2,
      separator: '::',
      prefix: 'P-',
      suffix: '-S',
    });
    for (const key of await generate(id, { amount: 20 })) assert.match(key, /^P-[ABC]{2}(::[ABC]{2}){2}-S$/);
  });
  test('consist of code points: emoji and letters of any script work', async () => {
    const { id } = await api.generator({ charset: '😀🔑Жé', chunks: 2, chunk_length: 5, separator: '–' });
    for (const key of await generate(id, { amount: 20 })) assert.match(key, /^[😀🔑Жé]{5}–[😀🔑Жé]{5}$/u);
  });
  test('use every character of the charset; a repeated character counts once', async () => {
    const { id } = await api.generator({ charset: 'AAAAAAAAAB', chunks: 1, chunk_length: 100 });
    const drawn = (await generate(id, { amount: 100 })).join('');
    const share = [...drawn].filter((character) => character === 'B').length / drawn.length;
    // 10,000 fair draws leave this range once in 10^22 runs.
    assert.ok(share > 0.45 && share < 0.55, `${share}`);
  });
  test('are distinct and as many as requested', async () => {
    const { id } = await api.generator({
      charset: '0123456789',
      chunks: 1,
      chunk_length: 4,
      prefix: newName(),
    });
    const keys = await generate(id, { amount: 9_999 });
    assert.deepEqual([keys.length, new Set(keys).size], [9_999, 9_999]);
  });
  test('are not stored unless save is sent', async () => {
    const { id } = await api.generator();
    const before = await total();
    for (const save of [undefined, null, '', false, 0, '0', 'false', 'no'])
      await generate(id, { amount: 2, save });
    assert.equal(await total(), before);
  });
});

suite('saved keys', () => {
  test('have the limit and days of the generator, and the values of the request', async () => {
    const { id } = await api.generator({ activations_limit: 7, expires_in: 10 });
    const json = { amount: 3, save: true, status: 'active', order_id: 5, product_id: 4, user_id: 6 };
    for (const license_key of await generate(id, json)) {
      const { id: _, ...license } = await api.ok('GET', `/licenses/${license_key}`);
      assert.deepEqual(license, {
        license_key,
        order_id: 5,
        product_id: 4,
        user_id: 6,
        expires_at: '2030-06-11 12:00:00',
        valid_for: 10,
        source: 3,
        status: 3,
        times_activated: 0,
        activations_limit: 7,
        is_expired: false,
        created_at: '2030-06-01 12:00:00',
        created_by: 1,
        updated_at: null,
        updated_by: null,
        ...DEFAULT_TERMS,
        activations: [],
      });
    }
  });
  test('have the current terms of the generator, and keep them when it changes', async () => {
    const terms = {
      seat_ttl: 600,
      reclaim_after_days: 30,
      match: 'label',
      borrow_max_hours: 48,
      takeovers_per_month: 2,
      entitlements: ['pro', 'sync'],
      lease_refresh_hours: 1,
      lease_days: 30,
      lease_grace_days: 0,
      offline_lease_days: 366,
    };
    const { id } = await api.generator(terms);
    const [key] = await generate(id, { amount: 1, save: true });
    await api.ok('PUT', `/generators/${id}`, {
      json: { seat_ttl: 0, match: 'fingerprint', entitlements: 'team,pro' },
    });
    const [later] = await generate(id, { amount: 1, save: true });
    const termsOf = async (key = '') => {
      const license = await api.ok('GET', `/licenses/${key}`);
      return Object.fromEntries(Object.keys(terms).map((name) => [name, license[name]]));
    };
    assert.deepEqual(await termsOf(key), terms);
    assert.deepEqual(await termsOf(later), {
      ...terms,
      seat_ttl: 0,
      match: 'fingerprint',
      entitlements: ['team', 'pro'],
    });
  });
  test('have status 4 if none is sent, and no other value', async () => {
    const { id } = await api.generator();
    const [key] = await generate(id, { amount: 1, save: true });
    const { status, order_id, product_id, user_id, expires_at, valid_for, activations_limit } = await api.ok(
      'GET',
      `/licenses/${key}`,
    );
    assert.deepEqual(
      [status, order_id, product_id, user_id, expires_at, valid_for, activations_limit],
      [4, null, null, null, null, 0, 0],
    );
  });
  for (const save of [true, 1, '1', 'true', 'yes']) {
    test(`are stored with save ${JSON.stringify(save)}`, async () => {
      const { id } = await api.generator();
      const [key] = await generate(id, { amount: 1, save });
      await api.ok('GET', `/licenses/${key}`);
    });
  }
  test('can be activated', async () => {
    const { id } = await api.generator({ activations_limit: 1 });
    const [key = ''] = await generate(id, { amount: 1, save: true });
    await api.activation(key);
    await api.fails(404, 'license_activation_limit_reached', 'GET', `/licenses/activate/${key}`);
  });
  test('are refused with 422 if they would expire after the year 9999; nothing is saved', async () => {
    const { id } = await api.generator({ expires_in: 2 ** 31 - 1 });
    const before = await total();
    const options = { json: { amount: 1, save: true } };
    await api.fails(422, 'data_error', 'POST', `/generators/${id}/generate`, options);
    assert.equal(await total(), before);
  });
});

suite('an exhausted template', () => {
  test('gives every key of a small template; one key more is 422 naming the amount', async () => {
    const { id } = await small();
    assert.equal(new Set(await generate(id, { amount: 8 })).size, 8);
    const body = await api.fails(422, 'data_error', 'POST', `/generators/${id}/generate`, {
      json: { amount: 9 },
    });
    assert.deepEqual(Object.keys(body.data.params), ['amount']);
  });
  test('never gives the key of a stored license again, saved or not', async () => {
    const { id } = await small();
    const stored = await generate(id, { amount: 5, save: true });
    for (const save of [false, true]) {
      const before = await total();
      const options = { json: { amount: 4, save } };
      const body = await api.fails(422, 'data_error', 'POST', `/generators/${id}/generate`, options);
      assert.deepEqual(Object.keys(body.data.params), ['amount']);
      assert.equal(await total(), before, 'nothing saved');
    }
    const rest = await generate(id, { amount: 3 });
    assert.equal(new Set([...stored, ...rest]).size, 8);
    assert.equal(new Set([...stored, ...(await generate(id, { amount: 3, save: true }))]).size, 8);
    await api.fails(422, 'data_error', 'POST', `/generators/${id}/generate`, { json: { amount: 1 } });
  });
  test('gives the key of a deleted license again', async () => {
    const { id } = await small();
    const [first] = await generate(id, { amount: 8, save: true });
    await api.ok('DELETE', `/licenses/${first}`);
    assert.deepEqual(await generate(id, { amount: 1 }), [first]);
  });
  test('gives the last free key of a small template, and then none', async () => {
    const { id } = await api.generator({
      charset: '0123456789',
      chunks: 1,
      chunk_length: 1,
      prefix: newName(),
      separator: '',
    });
    assert.equal(new Set(await generate(id, { amount: 10, save: true })).size, 10);
    await api.fails(422, 'data_error', 'POST', `/generators/${id}/generate`, {
      json: { amount: 1, save: true },
    });
  });
  test('gives no key that a license cannot have', async () => {
    const { id } = await api.generator({ charset: ' ', chunks: 1, chunk_length: 3, separator: '' });
    await api.fails(422, 'data_error', 'POST', `/generators/${id}/generate`, { json: { amount: 1 } });
    const hashed = await api.generator({
      charset: 'h',
      prefix: null,
      chunks: 1,
      chunk_length: 1,
      suffix: 'ashed-',
      separator: '',
    });
    await api.fails(422, 'data_error', 'POST', `/generators/${hashed.id}/generate`, { json: { amount: 1 } });
  });
  test('saves each key once under concurrent requests', async () => {
    const { id } = await small();
    const options = { json: { amount: 2, save: true } };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => api.call('POST', `/generators/${id}/generate`, options)),
    );
    const keys = answers.filter(({ status }) => status === 200).flatMap(({ body }) => body.data as string[]);
    assert.ok(
      answers.every(({ status }) => [200, 409, 422].includes(status)),
      JSON.stringify(answers.map(({ status }) => status)),
    );
    assert.equal(new Set(keys).size, keys.length);
    for (const key of keys) await api.ok('GET', `/licenses/${key}`);
  });
});

const BAD: Record<string, string[]> = {
  amount: [...NO_INTEGER, ...PAST_COUNT, '0', '"0"', '100001', '"100001"', 'null', '""'],
  save: NO_FLAG,
  status: NO_STATUS,
  order_id: [...NO_INTEGER, ...PAST_REFERENCE],
  product_id: [...NO_INTEGER, ...PAST_REFERENCE],
  user_id: [...NO_INTEGER, ...PAST_REFERENCE],
};
for (const [field, literals] of Object.entries(BAD)) {
  suite(`${field} of generate`, () => {
    for (const literal of literals) {
      test(`${literal} is 422 naming the field, nothing saved`, async () => {
        const before = await total();
        const sent = { amount: '1', save: 'true', [field]: literal };
        const body = await api.fails(422, 'data_error', 'POST', `/generators/${some}/generate`, asJson(sent));
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.equal(await total(), before);
      });
    }
  });
}

test('amount is required', async () => {
  const body = await api.fails(422, 'data_error', 'POST', `/generators/${some}/generate`, { json: {} });
  assert.deepEqual(Object.keys(body.data.params), ['amount']);
});

test('an unknown generator is 404 with data.code', async () => {
  const body = await api.fails(404, 'data_error', 'POST', '/generators/999/generate', {
    json: { amount: 1 },
  });
  assert.deepEqual(body.data, { status: 404, code: 404 });
});
