import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hashAsPlugin, hashCredential, makeCredentials } from '../../../src/app/api-keys/credentials.ts';
import { SYSTEM } from '../../../src/domain/actor.ts';
import { literal } from '../../support/earlier-rows.ts';
import { numberOf, runSql, storedBytes } from '../../support/engine.ts';
import { basicHeader, createApi, newKey } from '../../support/http/api.ts';
import { withApiKey } from '../../support/http/api-keys.ts';
import { startService } from '../../support/service.ts';

let now = Date.parse('2030-06-01T12:00:00Z');
const api = await startService({ after }, { clock: () => now });
const { consumerKey, consumerSecret } = api.credentials;
const byQuery = { consumer_key: consumerKey, consumer_secret: consumerSecret };

const MISSING = 'Consumer key or secret is missing.';
const KEY_INVALID = 'Consumer key is invalid.';
const SECRET_INVALID = 'Consumer secret is invalid.';

test('HTTP Basic with consumer key and secret is accepted', async () => {
  const headers = { authorization: basicHeader(api.credentials) };
  await api.ok('GET', '/licenses', { credentials: null, headers });
});

test('the query parameters consumer_key and consumer_secret are accepted', async () => {
  await api.ok('GET', '/licenses', { credentials: null, query: byQuery });
});

test('the scheme Basic is case-insensitive', async () => {
  const authorization = basicHeader(api.credentials).replace('Basic', 'bAsIc');
  await api.ok('GET', '/licenses', { credentials: null, headers: { authorization } });
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const refused: [what: string, message: string, options: object][] = [
  ['no credentials', MISSING, {}],
  ['only the key in the query', MISSING, { query: { consumer_key: consumerKey } }],
  ['only the secret in the query', MISSING, { query: { consumer_secret: consumerSecret } }],
  ['empty query credentials', MISSING, { query: { consumer_key: '', consumer_secret: '' } }],
  ['an empty secret in the query', MISSING, { query: { ...byQuery, consumer_secret: '' } }],
  ['a header that is not base64', MISSING, { headers: { authorization: 'Basic %%%' } }],
  ['a header without a colon', MISSING, { headers: { authorization: `Basic ${base64(consumerKey)}` } }],
  [
    'a header without a password',
    MISSING,
    { headers: { authorization: `Basic ${base64(`${consumerKey}:`)}` } },
  ],
  [
    'a header without a user',
    MISSING,
    { headers: { authorization: `Basic ${base64(`:${consumerSecret}`)}` } },
  ],
  ['a header of another scheme', MISSING, { headers: { authorization: `Bearer ${consumerSecret}` } }],
  ['an unknown key', KEY_INVALID, { credentials: { consumerKey: 'ck_nobody', consumerSecret } }],
  ['the key in upper case', KEY_INVALID, { query: { ...byQuery, consumer_key: consumerKey.toUpperCase() } }],
  [
    'key and secret swapped',
    KEY_INVALID,
    { credentials: { consumerKey: consumerSecret, consumerSecret: consumerKey } },
  ],
  ['a wrong secret', SECRET_INVALID, { credentials: { consumerKey, consumerSecret: 'cs_wrong' } }],
  [
    'a secret one character short',
    SECRET_INVALID,
    { query: { ...byQuery, consumer_secret: consumerSecret.slice(0, -1) } },
  ],
];
for (const [what, message, options] of refused) {
  test(`${what} answers 401 "${message}" with a Basic challenge`, async () => {
    const { status, body, headers } = await api.call('GET', '/licenses', { credentials: null, ...options });
    assert.equal(status, 401);
    assert.deepEqual(body, { code: 'authentication_error', message, data: { status: 401 } });
    assert.match(headers.get('www-authenticate') ?? '', /^Basic realm="[^"]+"/);
  });
}

test('query credentials take precedence over the header', async () => {
  const wrong = { consumer_key: 'ck_nobody', consumer_secret: consumerSecret };
  const body = await api.fails(401, 'authentication_error', 'GET', '/licenses', { query: wrong });
  assert.equal(body.message, KEY_INVALID);
  const headers = { authorization: `Basic ${base64('ck_nobody:cs_wrong')}` };
  await api.ok('GET', '/licenses', { credentials: null, headers, query: byQuery });
});

test('empty query parameters count as present, so the header is ignored', async () => {
  const query = { consumer_key: '', consumer_secret: '' };
  const body = await api.fails(401, 'authentication_error', 'GET', '/licenses', { query });
  assert.equal(body.message, MISSING);
});

test('credentials in a query that exceeds a limit are read, so the answer is 400', async () => {
  const deep = { [`meta${'[a]'.repeat(100)}`]: 'x' };
  const query = { ...deep, ...byQuery };
  await api.fails(400, 'rest_bad_request', 'GET', '/licenses', { credentials: null, query });
  const wrong = { ...query, consumer_secret: 'cs_wrong' };
  await api.fails(401, 'authentication_error', 'GET', '/licenses', { query: wrong });
  await api.fails(401, 'authentication_error', 'GET', '/licenses', { credentials: null, query: deep });
});

test('the query parameters are accepted beside a parameter with a large number in its name', async () => {
  const { license_key } = await api.license();
  const query = { 'meta[1234]': 'x', ...byQuery };
  const path = `/licenses/activate/${license_key}`;
  const { meta_data } = await api.ok('GET', path, { credentials: null, query });
  assert.deepEqual(meta_data, { 1234: 'x' });
});

test('with only one of the two query parameters, the header counts', async () => {
  await api.ok('GET', '/licenses', { query: { consumer_key: 'ck_nobody' } });
});

for (const kind of ['json', 'form', 'multipart'] as const) {
  test(`credentials in a ${kind} body are ignored`, async () => {
    const body = await api.fails(401, 'authentication_error', 'POST', '/licenses', {
      credentials: null,
      [kind]: { ...byQuery, license_key: newKey(), valid_for: '0', status: '3', activations_limit: '1' },
    });
    assert.equal(body.message, MISSING);
  });
}

const first: [what: string, method: string, path: string, options: object][] = [
  ['the lookup of a license', 'GET', '/licenses/NO-SUCH', {}],
  ['the lookup of an activation', 'GET', '/licenses/validate/nothing', {}],
  ['the lookup of a generator', 'GET', '/generators/999', {}],
  ['the lookup of a route', 'GET', '/nothing-here', {}],
  ['the lookup of a method', 'DELETE', '/licenses', {}],
  ['the check of values', 'POST', '/licenses', { json: {} }],
  ['the check of paging', 'GET', '/licenses', { query: { page: 'abc' } }],
  ['the parsing of JSON', 'POST', '/licenses', { raw: { body: '{', type: 'application/json' } }],
  ['the content type', 'POST', '/licenses', { raw: { body: 'x', type: 'image/png' } }],
  [
    'the size of the body',
    'POST',
    '/licenses',
    { raw: { body: 'x'.repeat(1024 * 1024 + 1), type: 'text/plain' } },
  ],
];
for (const [what, method, path, options] of first) {
  test(`authentication comes before ${what}`, async () => {
    await api.fails(401, 'authentication_error', method, path, { credentials: null, ...options });
  });
}

test('consumer keys are ck_ and 40 hex characters, and secrets are cs_ and 40 hex characters', () => {
  assert.match(consumerKey, /^ck_[0-9a-f]{40}$/);
  assert.match(consumerSecret, /^cs_[0-9a-f]{40}$/);
});

test('the database holds consumer keys, secrets and license keys only as hashes or encrypted', async () => {
  const { license_key } = await api.license();
  await api.service.lastAccess.flush();
  const stored = await storedBytes(api.dataDir);
  const named = Buffer.from(api.service.store.read.licenses.hashOf(license_key), 'hex');
  assert.ok(!stored.some((bytes) => bytes.includes(named)));
  for (const secret of [consumerKey, consumerSecret, license_key]) {
    for (const form of [secret, secret.slice(3), Buffer.from(secret.slice(3), 'hex')]) {
      if (form.length > 0) assert.ok(!stored.some((bytes) => bytes.includes(form)));
    }
  }
  assert.ok(
    stored.some((bytes) => bytes.includes(hashCredential(consumerKey))),
    'the search finds values that are stored',
  );
});

test('an API key with an expiry is valid up to that second and invalid after it', async () => {
  const limited = await withApiKey(api, { expiresAt: '2030-06-01 13:00:00' });
  const before = now;
  now = Date.parse('2030-06-01T13:00:00Z');
  await limited.ok('GET', '/licenses');
  now += 1000;
  const body = await limited.fails(401, 'authentication_error', 'GET', '/licenses');
  assert.equal(body.message, KEY_INVALID);
  now = before;
});

test('a revoked API key is invalid from the next request on', async () => {
  const limited = await withApiKey(api);
  await limited.ok('GET', '/licenses');
  await api.service.execute('revoke-api-key', { id: limited.apiKeyId }, SYSTEM);
  const body = await limited.fails(401, 'authentication_error', 'GET', '/licenses');
  assert.equal(body.message, KEY_INVALID);
});

test('the service records the last use of an API key', async () => {
  const limited = await withApiKey(api);
  await limited.ok('GET', '/licenses');
  await api.service.lastAccess.flush();
  const keys = await api.service.store.read.apiKeys.list();
  assert.equal(keys.find(({ id }) => id === limited.apiKeyId)?.lastAccessAt, '2030-06-01 12:00:00');
});

test('a request with a wrong secret does not change the last use', async () => {
  const limited = await withApiKey(api);
  const stranger = createApi(api.root, { ...limited.credentials, consumerSecret: 'cs_wrong' });
  await stranger.fails(401, 'authentication_error', 'GET', '/licenses');
  await api.service.lastAccess.flush();
  const keys = await api.service.store.read.apiKeys.list();
  assert.equal(keys.find(({ id }) => id === limited.apiKeyId)?.lastAccessAt, null);
});

/**
 * Creates an API key as a migration leaves it: the database has only the plugin's hash of the consumer key.
 */
async function movedKey(pair = makeCredentials(), keyHash = hashAsPlugin(pair.consumerKey)) {
  const moved = await withApiKey(api);
  const columns = {
    key_hash: keyHash,
    secret_hash: hashCredential(pair.consumerSecret),
  };
  const set = Object.entries(columns).map(([name, bytes]) => `${name} = ${literal(bytes)}`);
  await runSql(
    api.dataDir,
    `update api_keys set ${set.join()}, hashed_by = 'wc-api' where id = ${moved.apiKeyId}`,
  );
  const hashes = async () => {
    const bySha = `key_hash = ${literal(hashCredential(pair.consumerKey))} and hashed_by = 'sha256'`;
    return numberOf(api.dataDir, `select count(*) from api_keys where id = ${moved.apiKeyId} and ${bySha}`);
  };
  return { id: moved.apiKeyId, credentials: pair, client: createApi(api.root, pair), hashes };
}

/** A key that Digital License Manager 1.8.3 made, with the hash from its database. */
const OF_PLUGIN = {
  consumerKey: 'ck_2479305f88827245c776b2ca3b9d55edd2866bfd',
  consumerSecret: 'cs_aa14624fed2fac43a624a12ff838a8201aa71b0e',
};
const ITS_HASH = Buffer.from('e95c979c4dd3263afe9094820256ff3653798c1049e96f4a3ef4ae6ee5fba0eb', 'hex');

test("a migrated API key works from its first request, which replaces the plugin's hash with our own", async () => {
  const { id, credentials, client, hashes } = await movedKey(OF_PLUGIN, ITS_HASH);
  const wrong = { ...credentials, consumerSecret: 'cs_wrong' };
  const body = await api.fails(401, 'authentication_error', 'GET', '/licenses', { credentials: wrong });
  assert.equal(body.message, SECRET_INVALID);
  await api.service.lastAccess.flush();
  assert.equal(await hashes(), 0);
  for (let i = 0; i < 2; i++) await client.ok('GET', '/licenses');
  await api.service.lastAccess.flush();
  assert.equal(await hashes(), 1);
  for (let i = 0; i < 2; i++) await client.ok('GET', '/licenses');
  await api.service.lastAccess.flush();
  const found = (await api.service.store.read.apiKeys.list()).find((one) => one.id === id);
  assert.deepEqual([found?.hashedBy, found?.lastAccessAt], ['sha256', '2030-06-01 12:00:00']);
  await api.service.execute('revoke-api-key', { id }, SYSTEM);
  await client.fails(401, 'authentication_error', 'GET', '/licenses');
});

test('two nodes can record the first use of a migrated API key concurrently', async () => {
  const { id, credentials, client, hashes } = await movedKey();
  await client.ok('GET', '/licenses');
  const use = { id, at: '2030-06-01 12:00:00', keyHash: hashCredential(credentials.consumerKey) };
  await Promise.all([
    api.service.lastAccess.flush(),
    ...[1, 2].map(() => api.service.execute('touch-api-keys', [use], SYSTEM)),
  ]);
  assert.equal(await hashes(), 1);
  await client.ok('GET', '/licenses');
});

test('a revoked API key stays revoked although a key with the same consumer key was migrated', async () => {
  const before = await withApiKey(api);
  const { id, client, hashes } = await movedKey(before.credentials);
  await client.ok('GET', '/licenses');
  await api.service.execute('revoke-api-key', { id: before.apiKeyId }, SYSTEM);
  await client.fails(401, 'authentication_error', 'GET', '/licenses');
  const use = { id, at: '2030-06-01 12:00:00', keyHash: hashCredential(before.credentials.consumerKey) };
  assert.equal(await api.service.execute('touch-api-keys', [use], SYSTEM), null);
  assert.equal(await hashes(), 0);
});

test('the user of an API key is the created_by and updated_by of its changes', async () => {
  await runSql(
    api.dataDir,
    "insert into users (id, name, created_at) values (7, 'seven', '2030-01-01 00:00:00')",
  );
  const seven = await withApiKey(api, { userId: 7 });
  const license = await seven.license();
  assert.equal(license.created_by, 7);
  const updated = await api.ok('PUT', `/licenses/${license.license_key}`, { json: { order_id: 1 } });
  assert.deepEqual([updated.created_by, updated.updated_by], [7, 1]);
  const generator = await api.generator();
  const changed = await seven.ok('PUT', `/generators/${generator.id}`, { json: { name: 'x' } });
  assert.deepEqual([changed.created_by, changed.updated_by], [1, 7]);
  assert.deepEqual([changed.createdBy, changed.updatedBy], [1, 7]);
  const [key] = await seven.ok('POST', `/generators/${generator.id}/generate`, {
    json: { amount: 1, save: 1 },
  });
  assert.equal((await api.ok('GET', `/licenses/${key}`)).created_by, 7);
});
