import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { DEFAULT_TERMS, newKey } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { asJson } from '../requests/bad-values.ts';

let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const total = async () => (await api.call('GET', '/generators')).headers.get('x-wp-total');
const minimal = { name: '"n"', charset: '"AB"', chunks: '2', chunk_length: '3' };

suite('create', () => {
  for (const path of ['/generators', '/licenses']) {
    test(`${path} answers with the record in camelCase and snake_case names`, async () => {
      const json = {
        name: 'Pro',
        charset: 'AB12',
        chunks: 4,
        chunk_length: '5',
        activations_limit: 3,
        separator: '-',
        prefix: 'P-',
        suffix: '-S',
        expires_in: 366,
      };
      const { id, ...generator } = await api.ok('POST', path, { json });
      assert.ok(Number.isInteger(id));
      assert.deepEqual(generator, {
        ...json,
        chunk_length: 5,
        created_at: '2030-06-01 12:00:00',
        created_by: 1,
        updated_at: null,
        updated_by: null,
        ...DEFAULT_TERMS,
        chunkLength: 5,
        timesActivatedMax: 3,
        expiresIn: 366,
        createdAt: '2030-06-01 12:00:00',
        createdBy: 1,
        updatedAt: null,
        updatedBy: null,
      });
      const {
        chunkLength,
        timesActivatedMax,
        expiresIn,
        createdAt,
        createdBy,
        updatedAt,
        updatedBy,
        ...snake
      } = generator;
      assert.deepEqual(
        await api.ok('GET', `/generators/${id}`),
        { id, ...snake },
        'GET answers with snake_case names only',
      );
      assert.deepEqual((await api.ok('GET', '/generators'))[0], { id, ...snake }, 'the list too');
    });
  }
  test('sets a field that is not sent to 0, "" or null', async () => {
    const { activations_limit, expires_in, separator, prefix, suffix } = await api.ok(
      'POST',
      '/generators',
      asJson(minimal),
    );
    assert.deepEqual([activations_limit, expires_in, separator, prefix, suffix], [0, 0, '', null, null]);
  });
  for (const literal of ['null', '""']) {
    test(`leaves an optional field unset if it is ${literal}`, async () => {
      const sent = {
        ...minimal,
        activations_limit: literal,
        expires_in: literal,
        separator: literal,
        prefix: literal,
        suffix: literal,
      };
      const { activations_limit, expires_in, separator, prefix, suffix } = await api.ok(
        'POST',
        '/generators',
        asJson(sent),
      );
      assert.deepEqual([activations_limit, expires_in, separator, prefix, suffix], [0, 0, '', null, null]);
    });
  }
  test('POST /licenses with a license_key creates a license, with or without a charset', async () => {
    const license_key = newKey();
    const json = { license_key, charset: 'AB', valid_for: 0, status: 3, activations_limit: 1 };
    assert.equal((await api.ok('POST', '/licenses', { json })).license_key, license_key);
  });
  test('POST /licenses with a charset and no name answers with the error of a generator', async () => {
    await api.fails(404, 'rest_data_error', 'POST', '/licenses', { json: { charset: 'AB' } });
  });
});

suite('a missing name answers 404 rest_data_error', () => {
  for (const [what, name] of [
    ['not sent', {}],
    ['null', { name: 'null' }],
    ['""', { name: '""' }],
  ] as const) {
    test(`${what} on create, even with other invalid values; nothing created`, async () => {
      const before = await total();
      const { name: _, ...others } = minimal;
      for (const sent of [
        { ...others, ...name },
        { chunks: '0', ...name },
      ]) {
        const body = await api.fails(404, 'rest_data_error', 'POST', '/generators', asJson(sent));
        assert.deepEqual(body.data, { status: 404 });
      }
      assert.equal(await total(), before);
    });
    if (what === 'not sent') continue;
    test(`${what} on update; nothing changed`, async () => {
      const { id } = await api.generator();
      const before = await api.ok('GET', `/generators/${id}`);
      for (const method of ['PUT', 'PATCH', 'POST']) {
        const options = asJson({ ...name, chunks: '9' } as Record<string, string>);
        await api.fails(404, 'rest_data_error', method, `/generators/${id}`, options);
      }
      assert.deepEqual(await api.ok('GET', `/generators/${id}`), before);
    });
  }
});

suite('update', () => {
  for (const method of ['PUT', 'PATCH', 'POST']) {
    test(`${method} changes only the fields that are sent, and answers in both forms`, async () => {
      const created = await api.generator({ prefix: 'P', suffix: 'S', activations_limit: 1, expires_in: 2 });
      now += 1000;
      const at = '2030-06-01 12:00:01';
      const updated = await api.ok(method, `/generators/${created.id}`, {
        json: { name: 'New', chunk_length: '12' },
      });
      const changed = {
        name: 'New',
        chunk_length: 12,
        chunkLength: 12,
        updated_at: at,
        updatedAt: at,
        updated_by: 1,
        updatedBy: 1,
      };
      assert.deepEqual(updated, { ...created, ...changed });
    });
    test(`${method} of an unknown id is 404 with data.code`, async () => {
      const body = await api.fails(404, 'data_error', method, '/generators/999999999', {
        json: { name: 'x' },
      });
      assert.deepEqual(body.data, { status: 404, code: 404 });
    });
  }
  for (const literal of ['null', '""']) {
    test(`${literal} clears optional fields`, async () => {
      const { id } = await api.generator({
        prefix: 'P',
        suffix: 'S',
        activations_limit: 1,
        expires_in: 2,
        separator: '-',
      });
      for (const [field, cleared] of Object.entries({
        prefix: null,
        suffix: null,
        activations_limit: 0,
        expires_in: 0,
        separator: '',
      })) {
        assert.equal(
          (await api.ok('PUT', `/generators/${id}`, asJson({ [field]: literal })))[field],
          cleared,
        );
        assert.equal((await api.ok('GET', `/generators/${id}`))[field], cleared);
      }
    });
  }
  test('an update without a known field answers 200 and changes nothing: camelCase names are not parameters', async () => {
    const created = await api.generator();
    const json = {
      id: 1,
      chunkLength: 9,
      timesActivatedMax: 9,
      expiresIn: 9,
      created_by: 9,
      updatedBy: 9,
      nonsense: 1,
    };
    now += 1000;
    for (const sent of [{}, json]) {
      assert.deepEqual(await api.ok('PUT', `/generators/${created.id}`, { json: sent }), created);
    }
  });
  test('an update accepts a whole record as the API returned it', async () => {
    const created = await api.generator();
    const { updated_at, updatedAt, updated_by, updatedBy, ...updated } = await api.ok(
      'PUT',
      `/generators/${created.id}`,
      { json: created },
    );
    assert.deepEqual(
      [updated_at, updatedAt, updated_by, updatedBy],
      ['2030-06-01 12:00:00', '2030-06-01 12:00:00', 1, 1],
    );
    assert.deepEqual({ ...created, ...updated }, created);
  });
});

suite('delete', () => {
  test('answers [] and deletes the generator, but not its licenses', async () => {
    const { id } = await api.generator();
    const [key] = await api.ok('POST', `/generators/${id}/generate`, { json: { amount: 1, save: true } });
    assert.deepEqual(await api.ok('DELETE', `/generators/${id}`), []);
    for (const method of ['GET', 'DELETE']) {
      assert.deepEqual((await api.fails(404, 'data_error', method, `/generators/${id}`)).data, {
        status: 404,
        code: 404,
      });
    }
    await api.ok('GET', `/licenses/${key}`);
  });
});
