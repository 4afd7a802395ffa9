import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { CLIENT_PRESET } from '../../../src/domain/api-key.ts';
import { type Api, createApi, newKey } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';
import { lmfwc, refusedInside, seatsOf, stateIn, to } from './lmfwc.ts';

/** Tests the refusals of lmfwc/v2 and the messages that clients match. */
const api = await startService({ after }, { clock: () => Date.parse('2030-06-01T12:00:00Z') });
const v2 = await lmfwc(api, 2);
const v3 = await lmfwc(api, 3);
const withSeats = seatsOf(api);
const stateOf = stateIn(api);

const NO_TOKEN = '0'.repeat(40);
const expired = async () => {
  const { license_key: key } = await api.license({ expires_at: '2030-05-31 23:59:59', activations_limit: 1 });
  return { key: key as string };
};
const isNotValid = (token: string | undefined) =>
  `Activation Token: ${token} could not be found or is deactivated.`;
type Case = () => Promise<{ path: string; text: string }>;

/** Refusals in both versions. */
const REFUSALS: Record<string, Case> = {
  'activating an unknown key': async () => {
    const key = newKey();
    return { path: to('activate', key), text: `License Key: ${key} could not be found.` };
  },
  'deactivating an unknown key': async () => {
    const key = newKey();
    return { path: to('deactivate', key), text: `License Key: ${key} could not be found.` };
  },
  'activating a full license': async () => {
    const { key } = await withSeats(1, ['a']);
    return { path: to('activate', key), text: `License Key: ${key} reached maximum activation count.` };
  },
  'deactivating a license without activations': async () => {
    const { key } = await withSeats(1);
    return { path: to('deactivate', key), text: `License Key: ${key} has not been activated yet.` };
  },
};
/** Refusals of a token in version 3. */
const OF_TOKENS: Record<string, Case> = {
  'activating an unknown token': async () => {
    const { key } = await withSeats(1);
    return {
      path: to('activate', key, NO_TOKEN),
      text: `Activation Token: ${NO_TOKEN} could not be found.`,
    };
  },
  'activating a valid token': async () => {
    const { key, tokens } = await withSeats(2, ['a']);
    return {
      path: to('activate', key, tokens[0]),
      text: `Activation Token: ${tokens[0]} is already activated.`,
    };
  },
  'activating with a token of another license': async () => {
    const { key } = await withSeats(1);
    const { tokens } = await withSeats(1, ['a']);
    return { path: to('activate', key, tokens[0]), text: isNotValid(tokens[0]) };
  },
  'deactivating with a token of another license': async () => {
    const { key } = await withSeats(1);
    const { tokens } = await withSeats(1, ['a']);
    return { path: to('deactivate', key, tokens[0]), text: isNotValid(tokens[0]) };
  },
  'deactivating an unknown key with a token': async () => {
    const key = newKey();
    const { tokens } = await withSeats(1, ['a']);
    return { path: to('deactivate', key, tokens[0]), text: `License Key: ${key} could not be found.` };
  },
  'deactivating an unknown token': async () => {
    const { key } = await withSeats(1, ['a']);
    return { path: to('deactivate', key, NO_TOKEN), text: isNotValid(NO_TOKEN) };
  },
  'deactivating a token twice': async () => {
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
  test('activating an expired license has its own code, and the license can still be deactivated', async () => {
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
  test('an API key limited to products gets "not found" for a license of another product', async () => {
    const { key } = await withSeats(1, ['a']);
    const limited = await lmfwc(api, 3, { products: [1] });
    for (const verb of ['activate', 'deactivate'])
      assert.match(await refusedInside(limited, to(verb, key)), /could not be found\.$/);
    assert.deepEqual(await stateOf(key), [1, ['a']]);
  });
});

test('a license gets an update only if it may download it', async (t) => {
  const api = await startService(t, { clock: () => Date.parse('2030-06-01T12:00:00Z') });
  const product_id = 7;
  const { id } = await api.software({ product_ids: [product_id] });
  const program = await lmfwc(api, 3, CLIENT_PRESET);
  const both = (key: string) => [`/products/update/${key}`, `/products/download/latest/${key}`];
  const refused = async (client: Api, key: string, status: number, code: string, text: string) => {
    for (const path of both(key)) assert.equal((await client.fails(status, code, 'GET', path)).message, text);
  };
  const { license_key: key } = await api.license({ product_id });
  const without = (named: string) => `License Key: ${named} has no release to download.`;
  await refused(program, key, 404, 'lmfwc_rest_data_error', without(key));
  await api.release(id, { version: '1.1.0', rollout: '50' });
  await api.release(id, { version: '1.2.0', channel: 'beta' });
  await refused(program, key, 404, 'lmfwc_rest_data_error', without(key));
  await api.release(id, { version: '1.0.0' });
  const [update = '', download = ''] = both(key);
  assert.equal((await program.ok('GET', update)).new_version, '1.0.0');

  const cases: [values: Record<string, unknown>, status: number, code: string, text?: string][] = [
    [
      { product_id, expires_at: '2030-05-31 23:59:59' },
      403,
      'lmfwc_rest_cannot_view',
      'The license has expired.',
    ],
    [{ product_id, status: 5 }, 403, 'lmfwc_rest_cannot_view', 'The license is disabled.'],
    [{ product_id: 8 }, 404, 'lmfwc_rest_data_error'],
    [{}, 404, 'lmfwc_rest_data_error'],
  ];
  for (const [values, status, code, text] of cases) {
    const { license_key } = await api.license(values);
    await refused(program, license_key, status, code, text ?? without(license_key));
  }
  const missing = (named: string) => `License Key: ${named} could not be found.`;
  // Some programs send the id of their product. It is no license key.
  for (const unknown of [newKey(), `${product_id}`])
    await refused(program, unknown, 404, 'lmfwc_rest_data_error', missing(unknown));
  const other = await lmfwc(api, 3, { products: [product_id + 1, product_id + 2] });
  await other.fails(404, 'rest_no_route', 'GET', update);
  await api.software({ product_ids: [product_id + 1] });
  await refused(other, key, 404, 'lmfwc_rest_data_error', missing(key));
  const mute = await lmfwc(api, 3, { endpoints: ['licenses.get'] });
  const named = (endpoint: string) => `The API key is not allowed to call ${endpoint}.`;
  for (const [path, endpoint] of [
    [update, 'software.read'],
    [download, 'software.download'],
  ] as const) {
    const { message } = await mute.fails(403, 'lmfwc_rest_cannot_view', 'GET', path);
    assert.equal(message, named(endpoint));
  }
  await api.software({ product_ids: [product_id] });
  await refused(program, key, 404, 'lmfwc_rest_data_error', without(key));
});

test('a ping needs a license key that exists, and only the permission to read', async () => {
  const program = await lmfwc(api, 3, CLIENT_PRESET);
  const ping = (json: object) => ['POST', '/products/ping', { json }] as const;
  const unknown = newKey();
  const { message } = await program.fails(404, 'lmfwc_rest_data_error', ...ping({ license_key: unknown }));
  assert.equal(message, `License Key: ${unknown} could not be found.`);
  assert.match((await program.fails(404, 'lmfwc_rest_data_error', ...ping({}))).message, /license_key/);
  assert.equal(await program.ok(...ping({ license_key: (await expired()).key })), null);
  const mute = await lmfwc(api, 3, { endpoints: ['licenses.get'] });
  await mute.fails(403, 'lmfwc_rest_cannot_view', ...ping({ license_key: unknown }));
});

test('an unknown route is answered as in WordPress; the root also accepts rest_route', async () => {
  for (const [method, path] of [
    ['GET', '/nothing'],
    ['POST', '/licenses/activate/NONE'],
    ['GET', '/products/update/NONE'],
  ] as const) {
    assert.deepEqual((await v3.fails(404, 'rest_no_route', method, path)).data, { status: 404 });
  }
  const { credentials } = await withApiKey(api);
  const plain = createApi(`http://127.0.0.1:${api.port}`, credentials);
  const { license_key } = await api.license();
  for (const root of ['/', '/index.php']) {
    const query = { rest_route: `/lmfwc/v2/licenses/${license_key}` };
    assert.equal((await plain.ok('GET', root, { query })).licenseKey, license_key);
    await plain.fails(404, 'rest_no_route', 'GET', root, { query: { rest_route: '/lmfwc/v2/nothing' } });
  }
});
