import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { newKey } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import {
  asJson,
  long,
  NO_DATE,
  NO_INTEGER,
  NO_STATUS,
  NO_TEXT,
  PAST_COUNT,
  PAST_REFERENCE,
  shown,
} from './bad-values.ts';

const api = await startService({ after });

const NO_KEY = [
  ...NO_TEXT,
  '" "',
  '"\\t\\n "',
  '"\\u00a0\\u3000"',
  '"hashed-"',
  '"hashed-abc"',
  long('a', 256),
  long('é', 256),
  long('😀', 256),
];
const BAD: Record<string, string[]> = {
  license_key: NO_KEY,
  valid_for: [...NO_INTEGER, ...PAST_COUNT],
  status: NO_STATUS,
  activations_limit: [...NO_INTEGER, ...PAST_COUNT],
  order_id: [...NO_INTEGER, ...PAST_REFERENCE],
  product_id: [...NO_INTEGER, ...PAST_REFERENCE],
  user_id: [...NO_INTEGER, ...PAST_REFERENCE],
  expires_at: NO_DATE,
  entitlements: [
    ...['5', '{"a":"b"}', '[null]', '["a",5]', '"a b"', '"é"', '"a,,b"', '["a/b"]', long('a', 65)],
    JSON.stringify(Array.from({ length: 33 }, (_, i) => `f${i}`)),
  ],
  lease_refresh_hours: ['0', '8785', '"1.5"'],
  lease_days: ['0', '3661'],
  lease_grace_days: ['-1', '367'],
  offline_lease_days: ['0', '3661'],
};
const good = () => ({
  license_key: JSON.stringify(newKey()),
  valid_for: '0',
  status: '3',
  activations_limit: '1',
});
/** The license that no refused request changes. */
const kept = await api.license({ order_id: 4, expires_at: '2040-01-01', valid_for: 2 });
const total = async () =>
  (await api.call('GET', '/licenses', { query: { per_page: 1 } })).headers.get('x-wp-total');

for (const [field, literals] of Object.entries(BAD)) {
  suite(`${field} of a license`, () => {
    for (const literal of literals) {
      test(`create with ${shown(literal)} answers 422 naming it, nothing created`, async () => {
        const sent = { ...good(), [field]: literal };
        const before = await total();
        const body = await api.fails(422, 'data_error', 'POST', '/licenses', asJson(sent));
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.equal(await total(), before);
      });
      test(`update with ${shown(literal)} answers 422 naming it, nothing changed`, async () => {
        const path = `/licenses/${kept.license_key}`;
        const before = await api.ok('GET', path);
        const sent = { user_id: '77', order_id: '78', [field]: literal };
        const body = await api.fails(422, 'data_error', 'PUT', path, asJson(sent));
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.deepEqual(await api.ok('GET', path), before);
      });
    }
  });
}

suite('invalid values in a query string or form', () => {
  const IN_A_FORM = [
    'abc',
    '1.5',
    '1e3',
    '-1',
    ' 5',
    '5 ',
    '+5',
    '٣',
    '0x10',
    'true',
    'null',
    '[1]',
    '12345678901234567890',
  ];
  for (const field of ['valid_for', 'activations_limit', 'order_id', 'product_id', 'user_id', 'status']) {
    for (const value of IN_A_FORM) {
      test(`${field}=${value} answers 422 naming it, in a query, a form and a multipart form`, async () => {
        const { license_key } = await api.license();
        for (const kind of ['query', 'form', 'multipart']) {
          const options = { [kind]: { [field]: value } };
          const body = await api.fails(422, 'data_error', 'PUT', `/licenses/${license_key}`, options);
          assert.deepEqual(Object.keys(body.data.params), [field]);
        }
      });
    }
    test(`${field}[]=1 is not an integer: 422 naming it`, async () => {
      const { license_key } = await api.license();
      for (const brackets of ['[]', '[0]', '[a]']) {
        const options = { query: { [field + brackets]: '1' } };
        const body = await api.fails(422, 'data_error', 'PUT', `/licenses/${license_key}`, options);
        assert.deepEqual(Object.keys(body.data.params), [field]);
      }
    });
  }
});

suite('one answer names all errors', () => {
  test('names the missing values of a create', async () => {
    const body = await api.fails(422, 'data_error', 'POST', '/licenses', { json: {} });
    const names = ['license_key', 'valid_for', 'status', 'activations_limit'];
    assert.deepEqual(Object.keys(body.data.params), names);
    for (const name of names) assert.match(body.message, new RegExp(`\\b${name}\\b`));
    for (const reason of Object.values(body.data.params))
      assert.ok(typeof reason === 'string' && reason !== '');
  });
  test('names the invalid values of an update', async () => {
    const { license_key } = await api.license();
    const json = Object.fromEntries(Object.keys(BAD).map((name) => [name, { no: 'value' }]));
    const body = await api.fails(422, 'data_error', 'PUT', `/licenses/${license_key}`, { json });
    assert.deepEqual(Object.keys(body.data.params).sort(), Object.keys(BAD).sort());
  });
});

suite('required values on create', () => {
  for (const field of ['license_key', 'valid_for', 'status', 'activations_limit']) {
    for (const [what, literal] of [
      ['not sent', undefined],
      ['null', 'null'],
      ['""', '""'],
    ] as const) {
      test(`${field} ${what} answers 422 naming it`, async () => {
        const { [field]: _, ...others } = good() as Record<string, string>;
        const sent = literal === undefined ? others : { ...others, [field]: literal };
        const body = await api.fails(422, 'data_error', 'POST', '/licenses', asJson(sent));
        assert.deepEqual(Object.keys(body.data.params), [field]);
      });
    }
  }
});

suite('null and "" for an optional field mean "not set" on create', () => {
  for (const field of ['order_id', 'product_id', 'user_id', 'expires_at']) {
    for (const literal of ['null', '""']) {
      test(`${field} ${literal}`, async () => {
        const created = await api.ok('POST', '/licenses', asJson({ ...good(), [field]: literal }));
        assert.equal(created[field], null);
      });
    }
  }
  test('expires_at "" leaves the expiry to valid_for', async () => {
    const created = await api.ok(
      'POST',
      '/licenses',
      asJson({ ...good(), valid_for: '1', expires_at: '""' }),
    );
    assert.match(created.expires_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });
});

suite('null and "" mean "clear" on update', () => {
  const CLEARED = {
    order_id: null,
    product_id: null,
    user_id: null,
    expires_at: null,
    valid_for: 0,
    activations_limit: 0,
  };
  for (const [field, cleared] of Object.entries(CLEARED)) {
    for (const literal of ['null', '""']) {
      test(`${field} ${literal} becomes ${cleared}, nothing else changes`, async () => {
        const full = {
          order_id: 1,
          product_id: 2,
          user_id: 3,
          valid_for: 4,
          activations_limit: 5,
          expires_at: '2040-01-01',
        };
        const { license_key, ...before } = await api.license(full);
        const { updated_at, updated_by, ...after_ } = await api.ok(
          'PUT',
          `/licenses/${license_key}`,
          asJson({ [field]: literal }),
        );
        assert.ok(updated_at);
        assert.equal(updated_by, 1);
        assert.deepEqual(
          { ...after_, updated_at: null, updated_by: null },
          { ...before, license_key, [field]: cleared },
        );
        const read = await api.ok('GET', `/licenses/${license_key}`);
        assert.equal(read[field], cleared);
      });
    }
  }
  for (const field of ['license_key', 'status']) {
    for (const literal of ['null', '""']) {
      test(`${field} cannot be cleared: ${literal} answers 422 naming it, nothing changed`, async () => {
        const { license_key } = await api.license();
        const before = await api.ok('GET', `/licenses/${license_key}`);
        const options = asJson({ [field]: literal, order_id: '9' });
        const body = await api.fails(422, 'data_error', 'PUT', `/licenses/${license_key}`, options);
        assert.deepEqual(Object.keys(body.data.params), [field]);
        assert.deepEqual(await api.ok('GET', `/licenses/${license_key}`), before);
      });
    }
  }
});

test('entitlements accept a list or comma-separated text, keep the order, drop duplicates and can be cleared', async () => {
  const { license_key: key, ...made } = await api.license({
    entitlements: ['sync', 'Pro.2', 'sync', 'a:b_c-d'],
  });
  assert.deepEqual(made.entitlements, ['sync', 'Pro.2', 'a:b_c-d']);
  const most = Array.from({ length: 32 }, (_, i) => `${i}`.padStart(64, 'x'));
  const path = `/licenses/${key}`;
  const set = async (options: object) => (await api.ok('PUT', path, options)).entitlements;
  assert.deepEqual(await set({ json: { entitlements: most } }), most);
  assert.deepEqual(await set({ form: { entitlements: 'pro, team,pro' } }), ['pro', 'team']);
  assert.deepEqual(await set({ form: { 'entitlements[]': 'one' } }), ['one']);
  assert.deepEqual(await set({ query: { entitlements: 'x,y' } }), ['x', 'y']);
  for (const none of [[], null, '']) {
    await set({ json: { entitlements: 'pro', lease_grace_days: 0 } });
    assert.deepEqual(await set({ json: { entitlements: none } }), []);
  }
  const { lease_grace_days } = await api.ok('PUT', path, { json: { lease_grace_days: null } });
  assert.equal(lease_grace_days, 7);
});

suite('unknown and read-only parameters', () => {
  test('are ignored on update, even in whole records sent back', async () => {
    const license = await api.license({ order_id: 5 });
    await api.activation(license.license_key);
    const whole = await api.ok('GET', `/licenses/${license.license_key}`);
    const json = {
      ...whole,
      id: 1,
      source: 1,
      times_activated: 99,
      is_expired: true,
      created_at: '2000-01-01',
      created_by: 9,
      updated_by: 9,
      nonsense: {},
    };
    const { updated_at, updated_by, ...updated } = await api.ok('PUT', `/licenses/${license.license_key}`, {
      json,
    });
    const { activations, updated_at: never, updated_by: nobody, ...before } = whole;
    assert.deepEqual([activations.length, never, nobody, updated_by], [1, null, null, 1]);
    assert.ok(updated_at);
    assert.deepEqual(updated, before);
  });
  test('are ignored on create if they are read-only', async () => {
    const json = {
      id: 1,
      source: 1,
      times_activated: 9,
      created_by: 9,
      updated_at: '2000-01-01',
      hash: 'x',
      is_expired: true,
    };
    const license = await api.license(json);
    assert.notEqual(license.id, 1);
    const { source, times_activated, created_by, updated_at, is_expired } = license;
    assert.deepEqual([source, times_activated, created_by, updated_at, is_expired], [3, 0, 1, null, false]);
    assert.ok(!('hash' in license));
  });
  test('include software on deactivate, which is ignored', async () => {
    const { token } = await api.activation((await api.license()).license_key);
    assert.ok(
      (await api.ok('GET', `/licenses/deactivate/${token}`, { query: { software: 5 } })).deactivated_at,
    );
  });
});
