import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newKey } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';

let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});

const FORMS: [form: string, sent: string, is: string][] = [
  ['YYYY-MM-DD HH:MM:SS', '2031-02-03 04:05:06', '2031-02-03 04:05:06'],
  ['YYYY-MM-DD (midnight)', '2031-02-03', '2031-02-03 00:00:00'],
  ['RFC 3339 in UTC', '2031-02-03T04:05:06Z', '2031-02-03 04:05:06'],
  ['RFC 3339 in lower case', '2031-02-03t04:05:06z', '2031-02-03 04:05:06'],
  ['RFC 3339 with a fraction', '2031-02-03T04:05:06.789Z', '2031-02-03 04:05:06'],
  ['RFC 3339 with a space, as Python writes it', '2031-02-03 04:05:06.789012+00:00', '2031-02-03 04:05:06'],
  ['RFC 3339 east of Greenwich', '2031-02-03T04:05:06+02:30', '2031-02-03 01:35:06'],
  ['RFC 3339 west of Greenwich', '2031-12-31T23:00:00-08:00', '2032-01-01 07:00:00'],
  ['RFC 3339 with an unknown offset', '2031-02-03T04:05:06-00:00', '2031-02-03 04:05:06'],
  ['the latest second allowed', '9999-12-31 23:59:59', '9999-12-31 23:59:59'],
  ['year 9999 after conversion', '9999-12-31T23:59:59+14:00', '9999-12-31 09:59:59'],
  ['the past', '1970-01-01 00:00:00', '1970-01-01 00:00:00'],
  ['long ago', '0001-01-01', '0001-01-01 00:00:00'],
  ['29 February of a leap year', '2032-02-29', '2032-02-29 00:00:00'],
];
for (const [form, sent, is] of FORMS) {
  test(`accepts a date as ${form}: ${sent}`, async () => {
    assert.equal((await api.license({ expires_at: sent })).expires_at, is);
    const { license_key } = await api.license();
    assert.equal(
      (await api.ok('PUT', `/licenses/${license_key}`, { query: { expires_at: sent } })).expires_at,
      is,
    );
  });
  test(`accepts a date as ${form}, percent-encoded in JSON, a form and a multipart form: ${encodeURIComponent(sent)}`, async () => {
    const expires_at = encodeURIComponent(sent);
    const { license_key } = await api.license();
    for (const kind of ['json', 'form', 'multipart', 'query']) {
      const updated = await api.ok('PUT', `/licenses/${license_key}`, { [kind]: { expires_at } });
      assert.equal(updated.expires_at, is, kind);
      await api.ok('PUT', `/licenses/${license_key}`, { json: { expires_at: null } });
    }
  });
}

test('expires_at is the value sent, even with valid_for', async () => {
  const license = await api.license({ valid_for: 30, expires_at: '2031-02-03' });
  assert.deepEqual([license.expires_at, license.valid_for], ['2031-02-03 00:00:00', 30]);
});

test('without a sent value, expires_at is the creation time plus valid_for days', async () => {
  const license = await api.license({ valid_for: 30 });
  assert.deepEqual([license.created_at, license.expires_at], ['2030-06-01 12:00:00', '2030-07-01 12:00:00']);
});

test('without a sent value and valid_for, expires_at is null', async () => {
  assert.equal((await api.license({ valid_for: 0 })).expires_at, null);
});

test('valid_for can reach the last day of the year 9999', async () => {
  const days = (Date.parse('9999-12-31T12:00:00Z') - now) / 86_400_000;
  assert.equal((await api.license({ valid_for: days })).expires_at, '9999-12-31 12:00:00');
});

for (const past of ['the year 9999', 'any date']) {
  test(`valid_for past ${past} is an invalid value: 422 naming it, nothing created`, async () => {
    const days = (Date.parse('9999-12-31T12:00:00Z') - now) / 86_400_000;
    const license_key = newKey();
    const valid_for = past === 'any date' ? 2 ** 31 - 1 : days + 1;
    const json = { license_key, valid_for, status: 3, activations_limit: 1 };
    const body = await api.fails(422, 'data_error', 'POST', '/licenses', { json });
    assert.deepEqual(Object.keys(body.data.params), ['valid_for']);
    await api.fails(404, 'data_error', 'GET', `/licenses/${license_key}`);
  });
}

test('an update changes expires_at only if it is sent: valid_for does not change it', async () => {
  const { license_key, expires_at } = await api.license({ valid_for: 30 });
  now += 5000;
  const longer = await api.ok('PUT', `/licenses/${license_key}`, { json: { valid_for: 60 } });
  assert.deepEqual([longer.valid_for, longer.expires_at], [60, expires_at]);
  const huge = await api.ok('PUT', `/licenses/${license_key}`, { json: { valid_for: 2 ** 31 - 1 } });
  assert.deepEqual([huge.valid_for, huge.expires_at], [2 ** 31 - 1, expires_at]);
  const sent = await api.ok('PUT', `/licenses/${license_key}`, { json: { expires_at: '2035-05-05' } });
  assert.deepEqual([sent.valid_for, sent.expires_at], [2 ** 31 - 1, '2035-05-05 00:00:00']);
});

test('is_expired is a boolean on every route: true when now is later than expires_at', async () => {
  const { license_key, is_expired } = await api.license({
    expires_at: '2030-06-01 12:00:10',
    product_id: 99,
  });
  const { token } = await api.activation(license_key);
  assert.equal(is_expired, false);
  const everywhere = async () => [
    (await api.ok('GET', `/licenses/${license_key}`)).is_expired,
    (await api.ok('GET', '/licenses', { query: { product_id: 99 } }))[0].is_expired,
    (await api.ok('PUT', `/licenses/${license_key}`, { json: {} })).is_expired,
    (await api.ok('GET', `/licenses/validate/${token}`)).license.is_expired,
  ];
  now = Date.parse('2030-06-01T12:00:10.999Z');
  assert.deepEqual(await everywhere(), [false, false, false, false], 'not yet in the second of expires_at');
  now = Date.parse('2030-06-01T12:00:11Z');
  assert.deepEqual(await everywhere(), [true, true, true, true], 'one second later');
  assert.equal((await api.ok('GET', `/licenses/deactivate/${token}`)).license.is_expired, true);
});

test('without expires_at, is_expired is always false', async () => {
  const { license_key } = await api.license();
  now = Date.parse('9999-12-31T23:59:59Z');
  assert.equal((await api.ok('GET', `/licenses/${license_key}`)).is_expired, false);
});

test('datetimes are UTC as YYYY-MM-DD HH:MM:SS', async () => {
  const license = await api.license();
  const activation = await api.activation(license.license_key);
  const generator = await api.generator();
  for (const at of [license.created_at, activation.created_at, generator.created_at, generator.createdAt]) {
    assert.equal(at, '2030-06-01 12:00:00');
  }
});
