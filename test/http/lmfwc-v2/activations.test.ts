import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { CLIENT_PRESET } from '../../../src/domain/api-key.ts';
import { ACTIVATIONS_AT_ONCE } from '../../../src/store/store.ts';
import { numberOf, rowsOf } from '../../support/engine.ts';
import { type Api, newKey, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { lmfwc, refusedInside, seatsOf, stateIn, to } from './lmfwc.ts';

const KEPT = 50;
let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now, server: { historyKeep: KEPT } });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const v2 = await lmfwc(api, 2);
const v3 = await lmfwc(api, 3);
const shipped = await lmfwc(api, 3, CLIENT_PRESET);
const stateOf = stateIn(api);
/** In the plugin, a change of activations is an update of the license. */
const UPDATED = { updatedAt: '2030-06-01 12:00:00', updatedBy: 1 };
const withSeats = seatsOf(api);

suite('version 2', () => {
  test('counts activations in activate, validate and deactivate', async () => {
    const { key } = await withSeats(2);
    const activated = await v2.ok('GET', to('activate', key));
    assert.deepEqual([activated.timesActivated, activated.timesActivatedMax], [1, 2]);
    assert.deepEqual(activated, { ...(await v2.ok('GET', `/licenses/${key}`)), ...UPDATED });
    assert.deepEqual(await v2.ok('GET', to('validate', key)), {
      timesActivated: 1,
      timesActivatedMax: 2,
      remainingActivations: 1,
    });
    const deactivated = await v2.ok('GET', to('deactivate', key));
    assert.deepEqual(deactivated, { ...activated, timesActivated: 0 });
  });
  test('deactivates the newest valid activation only, and ignores a token', async () => {
    const { key, tokens } = await withSeats(3, ['a', 'b', 'c']);
    await api.ok('GET', `/licenses/deactivate/${tokens[2]}`);
    const { timesActivated } = await v2.ok('GET', to('deactivate', key, tokens[0]));
    assert.equal(timesActivated, 1);
    assert.deepEqual(await stateOf(key), [1, ['a']]);
  });
  test('ignores a token in activate and validate', async () => {
    const { key, tokens } = await withSeats(2, ['a']);
    await api.ok('GET', `/licenses/deactivate/${tokens[0]}`);
    assert.equal((await v2.ok('GET', to('activate', key, tokens[0]))).timesActivated, 1);
    assert.deepEqual(await stateOf(key), [1, [null]]);
    await v2.ok('GET', to('validate', key, 'unknown'));
  });
  test('counts down from 0 without a maximum, as the plugin does', async () => {
    const { key } = await withSeats(0);
    assert.equal((await v2.ok('GET', to('activate', key))).timesActivatedMax, null);
    assert.deepEqual(await v2.ok('GET', to('validate', key)), {
      timesActivated: 1,
      timesActivatedMax: 0,
      remainingActivations: -1,
    });
  });
});

suite('version 3', () => {
  test('a floating seat lapses; validate with its token takes the seat again and counts it', async () => {
    const { license_key: key } = await api.license({ activations_limit: 1, seat_ttl: 600 });
    const { token } = (await v3.ok('GET', to('activate', key))).activationData;
    now += 600_000;
    const counts = async (path: string) => {
      const { timesActivated, remainingActivations } = await v3.ok('GET', path);
      return [timesActivated, remainingActivations];
    };
    assert.deepEqual(await counts(to('validate', key)), [0, 1]);
    assert.deepEqual(await counts(to('validate', key, token)), [1, 0]);
    assert.deepEqual(await stateOf(key), [1, [null]]);
  });
  test('an API key without licenses.inspect gets a token only by activating or by sending it', async () => {
    const { key, id } = await withSeats(2);
    const headers = { 'user-agent': 'Acme/1' };
    const { activationData, ...license } = await shipped.ok('GET', to('activate', key), {
      query: { label: 'Mine', 'meta[os]': 'linux' },
      headers,
    });
    assert.match(activationData.token, /^[0-9a-f]{40}$/);
    assert.deepEqual(activationData, {
      id: activationData.id,
      token: activationData.token,
      license_id: id,
      label: 'Mine',
      source: 2,
      ip_address: '127.0.0.1',
      user_agent: 'Acme/1',
      meta_data: { os: 'linux' },
      created_at: '2030-06-01 12:00:00',
      updated_at: null,
      deactivated_at: null,
    });
    const whole = { ...license, activationData: [activationData] };
    assert.deepEqual({ ...(await v3.ok('GET', `/licenses/${key}`)), ...UPDATED }, whole);
    const counts = { timesActivated: 1, timesActivatedMax: 2, remainingActivations: 1 };
    assert.deepEqual(await v3.ok('GET', to('validate', key)), {
      ...counts,
      activationData: [activationData],
    });
    const other = { token: '', ip_address: null, user_agent: null, meta_data: null };
    const hidden = [{ ...activationData, ...other }];
    for (const path of [`/licenses/${key}`, to('validate', key)])
      assert.deepEqual((await shipped.ok('GET', path)).activationData, hidden);
    const own = await shipped.ok('GET', to('validate', key, activationData.token));
    assert.deepEqual(own, { ...counts, activationData: [activationData] });
  });
  test('an API key without licenses.inspect sees its own user agent, by which a WordPress plugin knows that it is activated', async () => {
    const { key } = await withSeats(3);
    const headers = { 'user-agent': 'WordPress/6.8; https://b.example' };
    await shipped.ok('GET', to('activate', key), { headers });
    await shipped.ok('GET', to('activate', key), { headers: { 'user-agent': 'WordPress/6.8; https://c' } });
    for (const path of [`/licenses/${key}`, to('validate', key)]) {
      const { activationData } = await shipped.ok('GET', path, { headers });
      const seen = activationData.map((one: Record_) => [one.user_agent, one.token, one.ip_address]);
      assert.deepEqual(seen, [
        [headers['user-agent'], '', null],
        [null, '', null],
      ]);
    }
  });
  test('a token ends its activation and reactivates it', async () => {
    const { key, tokens } = await withSeats(2, ['a', 'b']);
    now += 60_000;
    const ended = await shipped.ok('GET', to('deactivate', key, tokens[0]));
    const { token, deactivated_at } = ended.activationData;
    assert.deepEqual([ended.timesActivated, token, deactivated_at], [1, tokens[0], '2030-06-01 12:01:00']);
    assert.deepEqual(await stateOf(key), [1, ['b']]);
    for (const path of [`/licenses/${key}`, to('validate', key)]) {
      const { activationData } = await v3.ok('GET', path);
      assert.deepEqual(
        activationData.map((one: Record_) => [one.token, one.deactivated_at]),
        [
          [tokens[0], '2030-06-01 12:01:00'],
          [tokens[1], null],
        ],
      );
    }
    const again = await shipped.ok('GET', to('activate', key, tokens[0]));
    assert.deepEqual([again.timesActivated, again.activationData.token], [2, tokens[0]]);
    assert.equal(again.activationData.deactivated_at, null);
    assert.deepEqual(await stateOf(key), [2, ['a', 'b']]);
  });
  test('an API key without licenses.inspect sees only the first letters of a label that identifies its device', async () => {
    const { license_key: key } = await api.license({ match: 'label' });
    const own = await shipped.ok('GET', to('activate', key), { query: { label: 'https://shop.example' } });
    assert.equal(own.activationData.label, 'https://shop.example');
    const [shown] = (await shipped.ok('GET', `/licenses/${key}`)).activationData;
    assert.equal(shown.label, 'htt…');
  });
  test('deactivating without a token ends all activations, and does not reveal tokens of other devices', async () => {
    const { key, tokens } = await withSeats(3, ['a', 'b', 'c']);
    await api.ok('GET', `/licenses/deactivate/${tokens[1]}`);
    const { timesActivated, activationData } = await shipped.ok('GET', to('deactivate', key, ''));
    assert.equal(timesActivated, 0);
    const shown = ({ label, token, deactivated_at }: Record_) => [label, token, deactivated_at];
    const at = '2030-06-01 12:00:00';
    assert.deepEqual(activationData.map(shown).sort(), [
      ['a', '', at],
      ['c', '', at],
    ]);
    assert.deepEqual(await stateOf(key), [0, []]);
    const one = await withSeats(1, ['a']);
    const known = await v3.ok('GET', to('deactivate', one.key));
    assert.deepEqual(known.activationData.map(shown), [['a', one.tokens[0], at]]);
  });
  test('all activations end even if one step cannot hold them, and the history stays bounded', async () => {
    const { key, id } = await withSeats(0);
    const more = ACTIVATIONS_AT_ONCE + 5;
    await Promise.all(Array.from({ length: more }, () => api.activation(key)));
    const { timesActivated, activationData } = await v3.ok('GET', to('deactivate', key));
    assert.deepEqual([timesActivated, activationData.length], [0, ACTIVATIONS_AT_ONCE]);
    assert.deepEqual(await stateOf(key), [0, []]);
    const [{ kept, valid } = {}] = await rowsOf(
      api.dataDir,
      `select count(*) as kept, sum(case when deactivated_at is null then 1 else 0 end) as valid
       from activations where license_id = ${id}`,
    );
    assert.deepEqual([Number(kept), Number(valid)], [KEPT, 0]);
  });
  for (const token of ['token[]=x', `token=${'x'.repeat(256)}`]) {
    test(`a malformed token is refused and ends nothing: ${token.slice(0, 12)}`, async () => {
      const { key } = await withSeats(1, ['a']);
      for (const verb of ['deactivate', 'validate', 'activate']) {
        const { message } = await v3.fails(
          404,
          'lmfwc_rest_data_error',
          'GET',
          `/licenses/${verb}/${key}?${token}`,
        );
        assert.match(message, /^token must /);
      }
      assert.deepEqual(await stateOf(key), [1, ['a']]);
    });
  }
});

suite('concurrent requests', () => {
  const granted = async (clients: Api[], path: string) => {
    const answers = await Promise.all(clients.map((client) => client.call('GET', path)));
    return answers.filter(({ status, body }) => status === 200 && !body.data.errors).length;
  };
  const times = (count: number, client: Api) => Array.from({ length: count }, () => client);
  for (const [version, client] of [
    [2, v2],
    [3, v3],
  ] as const) {
    test(`activate no more devices than the limit (${version})`, async () => {
      const { key } = await withSeats(3);
      assert.equal(await granted(times(8, client), to('activate', key)), 3);
      assert.equal((await stateOf(key))[0], 3);
    });
  }
  test('to deactivate in version 2 each end another activation', async () => {
    const { key } = await withSeats(4, ['a', 'b', 'c', 'd']);
    assert.equal(await granted(times(3, v2), to('deactivate', key)), 3);
    assert.equal((await stateOf(key))[0], 1);
    assert.equal(await granted(times(3, v2), to('deactivate', key)), 1);
    assert.deepEqual(await stateOf(key), [0, []]);
  });
  test('leave the activation count equal to the number of valid activations', async () => {
    const { key, id } = await withSeats(5);
    const paths = [to('activate', key), to('deactivate', key)];
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        (i % 3 === 0 ? v2 : v3).call('GET', paths[i % 4 === 0 ? 1 : 0] ?? ''),
      ),
    );
    const valid = await numberOf(
      api.dataDir,
      `select count(*) from activations where license_id = ${id} and deactivated_at is null`,
    );
    assert.equal((await v3.ok('GET', `/licenses/${key}`)).timesActivated, valid);
    assert.ok(valid <= 5, String(valid));
  });
});

/** Returns how many validations were counted. */
async function validations() {
  await api.service.usage.flush();
  const { items } = await api.service.store.read.audit.counts(
    { from: null, to: null },
    { offset: 0, limit: 100 },
  );
  return items.filter(({ counted }) => counted === 'validations').reduce((sum, one) => sum + one.count, 0);
}

test('a validation counts once, by key and by token', async () => {
  const { key, tokens } = await withSeats(1, ['a']);
  const before = await validations();
  await v3.ok('GET', to('validate', key));
  await v3.ok('GET', to('validate', key, tokens[0]));
  assert.equal((await validations()) - before, 2);
});

test('HEAD of validate counts no validation and extends no seat', async () => {
  const { license_key: key } = await api.license({ seat_ttl: 600 });
  const { token } = (await v3.ok('GET', to('activate', key))).activationData;
  const before = await validations();
  now += 599_000;
  assert.equal((await v3.call('HEAD', to('validate', key))).status, 200);
  assert.equal((await v3.call('HEAD', to('validate', key, token))).status, 200);
  assert.equal((await api.call('HEAD', `/licenses/validate/${token}`)).status, 200);
  assert.equal((await validations()) - before, 0);
  now += 1_000;
  assert.deepEqual(await stateOf(key), [0, []]);
});

test('a token with the key of another license, or an unknown one, changes nothing', async () => {
  const { key: other } = await withSeats(1);
  const { license_key: key } = await api.license({ seat_ttl: 600, activations_limit: 1 });
  const { token } = (await v3.ok('GET', to('activate', key))).activationData;
  const before = await validations();
  now += 599_000;
  for (const named of [other, newKey()]) {
    await v3.fails(404, 'lmfwc_rest_data_error', 'GET', to('validate', named, token));
    await refusedInside(v3, to('deactivate', named, token));
  }
  assert.equal((await validations()) - before, 0);
  assert.deepEqual(await stateOf(key), [1, [null]]);
  now += 1_000;
  assert.deepEqual(await stateOf(key), [0, []]);
});
