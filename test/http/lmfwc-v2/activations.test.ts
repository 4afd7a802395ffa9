import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { API_KEY_PRESETS } from '../../../src/domain/api-key.ts';
import { ACTIVATIONS_AT_ONCE } from '../../../src/store/store.ts';
import { numberOf, rowsOf } from '../../support/engine.ts';
import { type Api, newKey, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { lmfwc, refusedInside } from './lmfwc.ts';

const KEPT = 50;
let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now, server: { historyKeep: KEPT } });
test.beforeEach(() => {
  now = Date.parse('2030-06-01T12:00:00Z');
});
const v2 = await lmfwc(api, 2);
const v3 = await lmfwc(api, 3);
const shipped = await lmfwc(api, 3, API_KEY_PRESETS.client);
const to = (verb: string, key: string, token?: string) =>
  `/licenses/${verb}/${key}${token === undefined ? '' : `?token=${token}`}`;
/** What the license counts, and the labels of its valid activations. */
async function stateOf(key: string) {
  const { times_activated: count, activations } = await api.ok('GET', `/licenses/${key}`);
  return [count, activations.map(({ label }: Record_) => label).sort()];
}
const withSeats = async (limit: number, labels: string[] = []) => {
  const license = await api.license({ activations_limit: limit, status: 3 });
  const tokens: string[] = [];
  for (const label of labels) tokens.push((await api.activation(license.license_key, { label })).token);
  return { key: license.license_key as string, id: license.id as number, tokens };
};

suite('version 2', () => {
  test('counts: activate, validate, deactivate', async () => {
    const { key } = await withSeats(2);
    const activated = await v2.ok('GET', to('activate', key));
    assert.deepEqual([activated.timesActivated, activated.timesActivatedMax], [1, 2]);
    assert.deepEqual(activated, await v2.ok('GET', `/licenses/${key}`));
    assert.deepEqual(await v2.ok('GET', to('validate', key)), {
      timesActivated: 1,
      timesActivatedMax: 2,
      remainingActivations: 1,
    });
    const deactivated = await v2.ok('GET', to('deactivate', key));
    assert.deepEqual(deactivated, { ...activated, timesActivated: 0 });
  });
  test('deactivates one activation, the newest valid one, and ignores a token', async () => {
    const { key, tokens } = await withSeats(3, ['a', 'b', 'c']);
    await api.ok('GET', `/licenses/deactivate/${tokens[2]}`);
    const { timesActivated } = await v2.ok('GET', to('deactivate', key, tokens[0]));
    assert.equal(timesActivated, 1);
    assert.deepEqual(await stateOf(key), [1, ['a']]);
  });
  test('ignores a token to activate and to validate', async () => {
    const { key, tokens } = await withSeats(2, ['a']);
    await api.ok('GET', `/licenses/deactivate/${tokens[0]}`);
    assert.equal((await v2.ok('GET', to('activate', key, tokens[0]))).timesActivated, 1);
    assert.deepEqual(await stateOf(key), [1, [null]]);
    await v2.ok('GET', to('validate', key, 'unknown'));
  });
  test('without a maximum counts down from 0, as the plugin does', async () => {
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
  test('tells the token of an activation to whoever made it', async () => {
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
    assert.deepEqual(await v3.ok('GET', `/licenses/${key}`), whole);
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
  test('a token ends its activation, and makes it valid again', async () => {
    const { key, tokens } = await withSeats(2, ['a', 'b']);
    now += 60_000;
    const ended = await shipped.ok('GET', to('deactivate', key, tokens[0]));
    const { token, deactivated_at } = ended.activationData;
    assert.deepEqual([ended.timesActivated, token, deactivated_at], [1, tokens[0], '2030-06-01 12:01:00']);
    assert.deepEqual(await stateOf(key), [1, ['b']]);
    const again = await shipped.ok('GET', to('activate', key, tokens[0]));
    assert.deepEqual([again.timesActivated, again.activationData.token], [2, tokens[0]]);
    assert.equal(again.activationData.deactivated_at, null);
    assert.deepEqual(await stateOf(key), [2, ['a', 'b']]);
  });
  test('without a token, all activations end; their tokens stay with their devices', async () => {
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
  test('more activations than fit in a step all end, and the history stays bounded', async () => {
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
    test(`a bad token is refused, and ends nothing: ${token.slice(0, 12)}`, async () => {
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

const NO_TOKEN = '0'.repeat(40);
const expired = async () => {
  const { license_key: key } = await api.license({ expires_at: '2030-05-31 23:59:59', activations_limit: 1 });
  return { key: key as string };
};
const isNotValid = (token: string | undefined) =>
  `Activation Token: ${token} could not be found or is deactivated.`;
type Case = () => Promise<{ path: string; text: string }>;

/** Refusals of both versions. */
const REFUSALS: Record<string, Case> = {
  'an unknown key to activate': async () => {
    const key = newKey();
    return { path: to('activate', key), text: `License Key: ${key} could not be found.` };
  },
  'an unknown key to deactivate': async () => {
    const key = newKey();
    return { path: to('deactivate', key), text: `License Key: ${key} could not be found.` };
  },
  'a full license': async () => {
    const { key } = await withSeats(1, ['a']);
    return { path: to('activate', key), text: `License Key: ${key} reached maximum activation count.` };
  },
  'a license without activations to deactivate': async () => {
    const { key } = await withSeats(1);
    return { path: to('deactivate', key), text: `License Key: ${key} has not been activated yet.` };
  },
};
/** Refusals of a token, in version 3. */
const OF_TOKENS: Record<string, Case> = {
  'an unknown token to activate': async () => {
    const { key } = await withSeats(1);
    return {
      path: to('activate', key, NO_TOKEN),
      text: `Activation Token: ${NO_TOKEN} could not be found.`,
    };
  },
  'a token to activate that is valid': async () => {
    const { key, tokens } = await withSeats(2, ['a']);
    return {
      path: to('activate', key, tokens[0]),
      text: `Activation Token: ${tokens[0]} is already activated.`,
    };
  },
  'a token to activate of another license': async () => {
    const { key } = await withSeats(1);
    const { tokens } = await withSeats(1, ['a']);
    return { path: to('activate', key, tokens[0]), text: isNotValid(tokens[0]) };
  },
  'an unknown token to deactivate': async () => {
    const { key } = await withSeats(1, ['a']);
    return { path: to('deactivate', key, NO_TOKEN), text: isNotValid(NO_TOKEN) };
  },
  'a token to deactivate twice': async () => {
    const { key, tokens } = await withSeats(1, ['a']);
    await v3.ok('GET', to('deactivate', key, tokens[0]));
    return { path: to('deactivate', key, tokens[0]), text: isNotValid(tokens[0]) };
  },
};

suite('refusals', () => {
  for (const [what, prepare] of Object.entries(REFUSALS)) {
    test(`${what}: 404 in version 2, a success with errors in version 3`, async () => {
      const { path, text } = await prepare();
      const { message, data } = await v2.fails(404, 'lmfwc_rest_data_error', 'GET', path);
      assert.deepEqual([message, data], [text, { status: 404 }]);
      assert.equal(await refusedInside(v3, path), text);
    });
  }
  for (const [what, prepare] of Object.entries(OF_TOKENS)) {
    test(`${what}: a success with errors in version 3`, async () => {
      const { path, text } = await prepare();
      assert.equal(await refusedInside(v3, path), text);
    });
  }
  test('an expired license to activate has a code of its own; it can be deactivated', async () => {
    const { key } = await expired();
    const code = 'lmfwc_rest_license_expired';
    const text = 'The license Key expired on 2030-05-31 23:59:59 (UTC).';
    assert.equal((await v2.fails(405, code, 'GET', to('activate', key))).message, text);
    assert.equal(await refusedInside(v3, to('activate', key), code), text);
    const { key: lapsed } = await withSeats(1, ['a']);
    await api.ok('PUT', `/licenses/${lapsed}`, { json: { expires_at: '2030-05-31 23:59:59' } });
    assert.equal((await v2.ok('GET', to('deactivate', lapsed))).timesActivated, 0);
  });
  test('validate refuses unknown keys in both versions, and tokens that are not valid for the key', async () => {
    const { key, tokens } = await withSeats(2, ['a', 'b']);
    await api.ok('GET', `/licenses/deactivate/${tokens[1]}`);
    const unknown = newKey();
    for (const client of [v2, v3]) {
      const { message } = await client.fails(404, 'lmfwc_rest_data_error', 'GET', to('validate', unknown));
      assert.equal(message, `License Key: ${unknown} could not be found.`);
    }
    const other = await withSeats(1, ['c']);
    for (const token of [NO_TOKEN, tokens[1], other.tokens[0]]) {
      const path = to('validate', key, token);
      assert.equal((await v3.fails(404, 'lmfwc_rest_data_error', 'GET', path)).message, isNotValid(token));
    }
  });
  test('a license of another product does not exist for an API key of products', async () => {
    const { key } = await withSeats(1, ['a']);
    const limited = await lmfwc(api, 3, { products: [1] });
    for (const verb of ['activate', 'deactivate'])
      assert.match(await refusedInside(limited, to(verb, key)), /could not be found\.$/);
    assert.deepEqual(await stateOf(key), [1, ['a']]);
  });
});

suite('at once', () => {
  const granted = async (clients: Api[], path: string) => {
    const answers = await Promise.all(clients.map((client) => client.call('GET', path)));
    return answers.filter(({ status, body }) => status === 200 && !body.data.errors).length;
  };
  const times = (count: number, client: Api) => Array.from({ length: count }, () => client);
  for (const [version, client] of [
    [2, v2],
    [3, v3],
  ] as const) {
    test(`no more than the limit are activated (${version})`, async () => {
      const { key } = await withSeats(3);
      assert.equal(await granted(times(8, client), to('activate', key)), 3);
      assert.equal((await stateOf(key))[0], 3);
    });
  }
  test('each deactivation of version 2 ends another activation', async () => {
    const { key } = await withSeats(4, ['a', 'b', 'c', 'd']);
    assert.equal(await granted(times(3, v2), to('deactivate', key)), 3);
    assert.equal((await stateOf(key))[0], 1);
    assert.equal(await granted(times(3, v2), to('deactivate', key)), 1);
    assert.deepEqual(await stateOf(key), [0, []]);
  });
  test('whatever is activated and deactivated, the license counts its valid activations', async () => {
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

test('a validation counts once, by key and by token', async () => {
  const { key, tokens } = await withSeats(1, ['a']);
  const count = async () => {
    await api.flushUsage();
    const { items } = await api.service.store.read.audit.counts(
      { from: null, to: null },
      { offset: 0, limit: 100 },
    );
    return items.filter(({ counted }) => counted === 'validations').reduce((sum, one) => sum + one.count, 0);
  };
  const before = await count();
  await v3.ok('GET', to('validate', key));
  await v3.ok('GET', to('validate', key, tokens[0]));
  assert.equal((await count()) - before, 2);
});
