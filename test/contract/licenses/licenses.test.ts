import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { DEFAULT_TERMS, newKey } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const hashed = (key: string) => `hashed-${api.service.store.read.licenses.hashOf(key)}`;

suite('create', () => {
  test('answers with every field, each in its documented initial state', async () => {
    const license_key = newKey();
    const json = {
      license_key,
      valid_for: 30,
      status: 2,
      activations_limit: 5,
      order_id: 11,
      product_id: 12,
      user_id: 13,
    };
    const { id, ...license } = await api.ok('POST', '/licenses', { json });
    assert.ok(Number.isInteger(id));
    assert.deepEqual(license, {
      order_id: 11,
      product_id: 12,
      user_id: 13,
      license_key,
      expires_at: '2030-07-01 12:00:00',
      valid_for: 30,
      source: 3,
      status: 2,
      times_activated: 0,
      activations_limit: 5,
      is_expired: false,
      created_at: '2030-06-01 12:00:00',
      created_by: 1,
      updated_at: null,
      updated_by: null,
      ...DEFAULT_TERMS,
    });
  });
  test('leaves optional references null if they are not sent', async () => {
    const { order_id, product_id, user_id, expires_at } = await api.license();
    assert.deepEqual([order_id, product_id, user_id, expires_at], [null, null, null, null]);
  });
  test('treats reference 0 as a reference, not as "none"', async () => {
    const { order_id, product_id, user_id } = await api.license({ order_id: 0, product_id: '0', user_id: 0 });
    assert.deepEqual([order_id, product_id, user_id], [0, 0, 0]);
  });
  test('answers 409 for an existing key, names it, and leaves the license unchanged', async () => {
    const { license_key } = await api.license({ order_id: 1 });
    const before = await api.ok('GET', `/licenses/${license_key}`);
    const json = { license_key, valid_for: 9, status: 5, activations_limit: 9, order_id: 2 };
    const body = await api.fails(409, 'data_error', 'POST', '/licenses', { json });
    assert.match(body.message, new RegExp(license_key));
    assert.deepEqual(await api.ok('GET', `/licenses/${license_key}`), before);
  });
  test('creates exactly one license under concurrent creates of one key', async () => {
    const license_key = newKey();
    const json = { license_key, valid_for: 0, status: 3, activations_limit: 1 };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => api.call('POST', '/licenses', { json })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [200, ...Array(9).fill(409)]);
  });
});

suite('status', () => {
  const NAMES = ['sold', 'delivered', 'active', 'inactive', 'disabled'];
  for (const [i, name] of NAMES.entries()) {
    for (const sent of [
      i + 1,
      String(i + 1),
      name,
      name.toUpperCase(),
      (name[0] as string).toUpperCase() + name.slice(1),
    ]) {
      test(`${JSON.stringify(sent)} is ${i + 1} on create and update`, async () => {
        assert.equal((await api.license({ status: sent })).status, i + 1);
        const { license_key } = await api.license({ status: i === 0 ? 2 : 1 });
        assert.equal(
          (await api.ok('PUT', `/licenses/${license_key}`, { json: { status: sent } })).status,
          i + 1,
        );
      });
    }
  }
  test('allows every transition', async () => {
    const { license_key } = await api.license();
    for (const from of [1, 2, 3, 4, 5]) {
      for (const to of [1, 2, 3, 4, 5]) {
        await api.ok('PUT', `/licenses/${license_key}`, { json: { status: from } });
        assert.equal((await api.ok('PUT', `/licenses/${license_key}`, { json: { status: to } })).status, to);
      }
    }
  });
});

suite('read', () => {
  test('adds the active activations, newest first; times_activated counts them', async () => {
    const { license_key } = await api.license({ activations_limit: 5 });
    const tokens: string[] = [];
    for (const label of ['a', 'b', 'c', 'd'])
      tokens.push((await api.activation(license_key, { label })).token);
    await api.ok('GET', `/licenses/deactivate/${tokens[1]}`);
    const license = await api.ok('GET', `/licenses/${license_key}`);
    assert.deepEqual(
      license.activations.map(({ label }: { label: string }) => label),
      ['d', 'c', 'a'],
    );
    assert.equal(license.times_activated, 3);
  });
  test('answers with an empty list of activations if there are none', async () => {
    assert.deepEqual((await api.ok('GET', `/licenses/${(await api.license()).license_key}`)).activations, []);
  });
  test('answers 404 for an unknown key and names it', async () => {
    const body = await api.fails(404, 'data_error', 'GET', '/licenses/NO-SUCH-KEY');
    assert.match(body.message, /NO-SUCH-KEY/);
  });
  test('answers with activations; create, update and lists do not', async () => {
    const license = await api.license({ order_id: 77 });
    const updated = await api.ok('PUT', `/licenses/${license.license_key}`, { json: {} });
    const [listed] = await api.ok('GET', '/licenses', { query: { order_id: 77 } });
    for (const one of [license, updated, listed]) assert.ok(!('activations' in one));
  });
});

suite('update', () => {
  for (const method of ['PUT', 'PATCH', 'POST']) {
    test(`${method} changes only the fields that are sent`, async () => {
      const { license_key, ...before } = await api.license({
        order_id: 1,
        product_id: 2,
        user_id: 3,
        valid_for: 4,
      });
      now += 60_000;
      const updated = await api.ok(method, `/licenses/${license_key}`, { json: { order_id: 9 } });
      const is = { ...before, license_key, order_id: 9, updated_at: '2030-06-01 12:01:00', updated_by: 1 };
      assert.deepEqual(updated, is);
      assert.deepEqual(await api.ok('GET', `/licenses/${license_key}`), { ...is, activations: [] });
    });
    test(`${method} of an unknown key answers 404`, async () => {
      await api.fails(404, 'data_error', method, '/licenses/NO-SUCH', { json: { order_id: 1 } });
      await api.fails(404, 'data_error', method, '/licenses/NO-SUCH', { json: {} });
    });
  }
  test('every update that sends a field sets updated_at, even if no value changes', async () => {
    const { license_key } = await api.license({ order_id: 1 });
    now += 1000;
    assert.equal(
      (await api.ok('PUT', `/licenses/${license_key}`, { json: { order_id: 1 } })).updated_at,
      '2030-06-01 12:00:01',
    );
    now += 1000;
    assert.equal(
      (await api.ok('PUT', `/licenses/${license_key}`, { json: { order_id: 1 } })).updated_at,
      '2030-06-01 12:00:02',
    );
  });
  for (const [what, options] of [
    ['nothing', {}],
    ['an empty object', { json: {} }],
    ['unknown and read-only fields', { json: { nonsense: 1, id: 5, times_activated: 3, software: 1 } }],
  ] as const) {
    test(`an update that sends ${what} answers 200 and changes nothing`, async () => {
      const { license_key } = await api.license();
      const before = await api.ok('GET', `/licenses/${license_key}`);
      now += 1000;
      const { activations, ...license } = before;
      assert.deepEqual(activations, []);
      assert.deepEqual(await api.ok('PUT', `/licenses/${license_key}`, options), license);
      assert.deepEqual(await api.ok('GET', `/licenses/${license_key}`), before);
    });
  }
  test('activating does not change updated_at of the license', async () => {
    const { license_key } = await api.license();
    const { token } = await api.activation(license_key);
    await api.ok('GET', `/licenses/deactivate/${token}`);
    const { updated_at, updated_by } = await api.ok('GET', `/licenses/${license_key}`);
    assert.deepEqual([updated_at, updated_by], [null, null]);
  });
});

suite('renaming', () => {
  test('keeps the id and activations, and only the new key works', async () => {
    const { license_key, id } = await api.license();
    const { token } = await api.activation(license_key);
    const renamed = newKey();
    assert.equal(
      (await api.ok('PUT', `/licenses/${license_key}`, { json: { license_key: renamed } })).license_key,
      renamed,
    );
    await api.fails(404, 'data_error', 'GET', `/licenses/${license_key}`);
    await api.fails(404, 'data_error', 'GET', `/licenses/${hashed(license_key)}`);
    const license = await api.ok('GET', `/licenses/${renamed}`);
    assert.deepEqual([license.id, license.activations[0].token], [id, token]);
    assert.equal((await api.ok('GET', `/licenses/validate/${token}`)).license.license_key, renamed);
  });
  test('answers 409 for the key of another license and changes neither', async () => {
    const [one, other] = [await api.license(), await api.license()];
    const json = { license_key: other.license_key, order_id: 5 };
    await api.fails(409, 'data_error', 'PUT', `/licenses/${one.license_key}`, { json });
    for (const license of [one, other]) {
      assert.deepEqual(await api.ok('GET', `/licenses/${license.license_key}`), {
        ...license,
        activations: [],
      });
    }
  });
  test('to its own key is an ordinary update', async () => {
    const { license_key } = await api.license();
    assert.ok((await api.ok('PUT', `/licenses/${license_key}`, { json: { license_key } })).updated_at);
  });
  test('frees the old key', async () => {
    const { license_key } = await api.license();
    await api.ok('PUT', `/licenses/${license_key}`, { json: { license_key: newKey() } });
    await api.license({ license_key });
  });
});

suite('hashed-{hash} in place of the key', () => {
  test('the hash is hex HMAC-SHA-256 and appears in no answer', async () => {
    const license = await api.license();
    assert.match(hashed(license.license_key), /^hashed-[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify(license).includes(hashed(license.license_key).slice(7)));
  });
  for (const method of ['GET', 'PUT', 'PATCH', 'POST', 'DELETE']) {
    test(`addresses the license: ${method} /licenses/{license_key}`, async () => {
      const { license_key, id } = await api.license();
      const data = await api.ok(
        method,
        `/licenses/${hashed(license_key)}`,
        method.startsWith('P') ? { json: {} } : {},
      );
      if (method === 'DELETE') await api.fails(404, 'data_error', 'GET', `/licenses/${license_key}`);
      else assert.deepEqual([data.id, data.license_key], [id, license_key]);
    });
  }
  for (const method of ['GET', 'POST']) {
    test(`addresses the license: ${method} /licenses/activate/{license_key}`, async () => {
      const { license_key, id } = await api.license();
      assert.equal((await api.ok(method, `/licenses/activate/${hashed(license_key)}`)).license_id, id);
    });
  }
  test('filters the list', async () => {
    const { license_key, id } = await api.license();
    const [found, ...others] = await api.ok('GET', '/licenses', {
      query: { license_key: hashed(license_key) },
    });
    assert.deepEqual([found.id, others], [id, []]);
  });
  for (const hash of ['0'.repeat(64), 'f'.repeat(63), 'nothing', '']) {
    test(`an unknown hash answers 404: hashed-${hash.slice(0, 8)}`, async () => {
      for (const method of ['GET', 'PUT', 'PATCH', 'POST', 'DELETE']) {
        await api.fails(404, 'data_error', method, `/licenses/hashed-${hash}`);
      }
      await api.fails(404, 'data_error', 'GET', `/licenses/activate/hashed-${hash}`);
      assert.deepEqual(await api.ok('GET', '/licenses', { query: { license_key: `hashed-${hash}` } }), []);
    });
  }
});

suite('delete', () => {
  test('answers [] and deletes the activations too', async () => {
    const { license_key } = await api.license();
    const { token } = await api.activation(license_key);
    assert.deepEqual(await api.ok('DELETE', `/licenses/${license_key}`), []);
    await api.fails(404, 'data_error', 'GET', `/licenses/${license_key}`);
    await api.fails(404, 'data_error', 'GET', `/licenses/validate/${token}`);
    await api.fails(404, 'data_error', 'GET', `/licenses/deactivate/${token}`);
  });
  test('answers 404 for an unknown key, and the second time', async () => {
    const { license_key } = await api.license();
    await api.ok('DELETE', `/licenses/${license_key}`);
    await api.fails(404, 'data_error', 'DELETE', `/licenses/${license_key}`);
  });
  test('frees the key: a new license with that key has no activations', async () => {
    const { license_key, id } = await api.license();
    await api.activation(license_key);
    await api.ok('DELETE', `/licenses/${license_key}`);
    assert.notEqual((await api.license({ license_key })).id, id);
    assert.deepEqual((await api.ok('GET', `/licenses/${license_key}`)).activations, []);
  });
});
