import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { startService } from '../../support/service.ts';
import { asJson, long, NO_INTEGER, NO_TEXT, PAST_COUNT, shown } from './bad-values.ts';

const api = await startService({ after });
const total = async () => (await api.call('GET', '/generators')).headers.get('x-wp-total');
/** The generator that no refused request changes. */
const kept = await api.generator();
const minimal = { name: '"n"', charset: '"AB"', chunks: '2', chunk_length: '3' };

const counts = [...NO_INTEGER, ...PAST_COUNT];
const upTo100 = [...counts, '0', '101', '"0"', '"101"'];
const upTo64 = [...NO_TEXT, long('a', 65), long('😀', 65)];
const BAD: Record<string, string[]> = {
  name: [...NO_TEXT, long('a', 256), long('😀', 256)],
  charset: [...NO_TEXT, long('a', 256), long('😀', 256)],
  chunks: upTo100,
  chunk_length: upTo100,
  activations_limit: counts,
  separator: upTo64,
  prefix: [...upTo64, '"hashed-"', '"hashed-x"'],
  suffix: upTo64,
  expires_in: counts,
};
for (const [field, literals] of Object.entries(BAD)) {
  suite(`${field} of a generator`, () => {
    for (const literal of literals) {
      test(`${shown(literal)} is 422 naming the field: nothing created, nothing changed`, async () => {
        const before = await total();
        const created = await api.fails(
          422,
          'data_error',
          'POST',
          '/generators',
          asJson({ ...minimal, [field]: literal }),
        );
        assert.deepEqual(Object.keys(created.data.params), [field]);
        assert.equal(await total(), before);
        const path = `/generators/${kept.id}`;
        const record = await api.ok('GET', path);
        const sent = { expires_in: '7', [field]: literal };
        const updated = await api.fails(422, 'data_error', 'PUT', path, asJson(sent));
        assert.deepEqual(Object.keys(updated.data.params), [field]);
        assert.deepEqual(await api.ok('GET', path), record);
      });
    }
  });
}

suite('required values', () => {
  for (const field of ['charset', 'chunks', 'chunk_length']) {
    test(`${field} not sent, null or "" on create answers 422 naming it`, async () => {
      const { [field]: _, ...others } = minimal as Record<string, string>;
      for (const sent of [others, { ...others, [field]: 'null' }, { ...others, [field]: '""' }]) {
        const body = await api.fails(422, 'data_error', 'POST', '/generators', asJson(sent));
        assert.deepEqual(Object.keys(body.data.params), [field]);
      }
    });
    test(`${field} null or "" on update answers 422 naming it: it cannot be cleared`, async () => {
      const { id } = await api.generator();
      const before = await api.ok('GET', `/generators/${id}`);
      for (const literal of ['null', '""']) {
        const body = await api.fails(
          422,
          'data_error',
          'PUT',
          `/generators/${id}`,
          asJson({ [field]: literal, name: '"x"' }),
        );
        assert.deepEqual(Object.keys(body.data.params), [field]);
      }
      assert.deepEqual(await api.ok('GET', `/generators/${id}`), before);
    });
  }
});

suite('limits', () => {
  test('each field accepts its maximum length', async () => {
    const emoji = '😀';
    const json = {
      name: emoji.repeat(255),
      charset: emoji.repeat(255),
      chunks: 1,
      chunk_length: 63,
      separator: '',
      prefix: emoji.repeat(64),
      suffix: 'é'.repeat(64),
    };
    const { id } = await api.ok('POST', '/generators', { json });
    const got = await api.ok('GET', `/generators/${id}`);
    assert.deepEqual(
      [got.name, got.charset, got.prefix, got.suffix],
      [json.name, json.charset, json.prefix, json.suffix],
    );
    const separator = {
      ...json,
      prefix: null,
      suffix: null,
      chunks: 2,
      chunk_length: 1,
      separator: emoji.repeat(64),
    };
    assert.equal((await api.ok('POST', '/generators', { json: separator })).separator, separator.separator);
    for (const [chunks, chunk_length] of [
      [100, 1],
      [1, 100],
    ]) {
      await api.ok('POST', '/generators', { json: { name: 'n', charset: 'A', chunks, chunk_length } });
    }
  });
  test('a key has at most 255 characters: 255 are accepted, 256 are 422, on create and update', async () => {
    const json = {
      name: 'n',
      charset: 'AB',
      chunks: 50,
      chunk_length: 4,
      separator: '-',
      prefix: 'ABC',
      suffix: 'XYZ',
    };
    const { id } = await api.ok('POST', '/generators', { json });
    const [key] = await api.ok('POST', `/generators/${id}/generate`, { json: { amount: 1, save: true } });
    assert.equal(key.length, 255);
    const before = await total();
    await api.fails(422, 'data_error', 'POST', '/generators', { json: { ...json, suffix: 'WXYZ' } });
    assert.equal(await total(), before);
    await api.fails(422, 'data_error', 'PUT', `/generators/${id}`, { json: { suffix: 'WXYZ' } });
    assert.equal((await api.ok('GET', `/generators/${id}`)).suffix, 'XYZ');
  });
});
