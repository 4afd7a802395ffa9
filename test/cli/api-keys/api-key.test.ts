import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { hashAsPlugin } from '../../../src/app/api-keys/credentials.ts';
import { CLIENT_PRESET, ENDPOINTS } from '../../../src/domain/api-key.ts';
import { literal } from '../../support/earlier-rows.ts';
import { runSql } from '../../support/engine.ts';
import { createApi, heard, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { migratedCli } from '../cli.ts';

const cli = await migratedCli();
const create = (...flags: string[]): Promise<Record_> => cli.json(['api-key', 'create', ...flags]);
const listed = async (id: number): Promise<Record_> =>
  (await cli.json(['api-key', 'list'])).api_keys.find((one: { id: number }) => one.id === id);
const credentialsOf = ({ consumer_key: consumerKey, consumer_secret: consumerSecret }: Record_) => ({
  consumerKey,
  consumerSecret,
});

before(async () => {
  await cli.ok(['migrate']);
});

test('create allows everything by default, takes limits by flags, and no list shows the secret', async () => {
  const full = await create();
  assert.match(full.consumer_key, /^ck_[0-9a-f]{40}$/);
  assert.match(full.consumer_secret, /^cs_[0-9a-f]{40}$/);
  const { consumer_key: key, consumer_secret: secret, created_at: at, ...rest } = full;
  assert.match(at, /^\d{4}-/);
  assert.deepEqual(rest, {
    id: 1,
    user_id: 1,
    description: '',
    key_ending: key.slice(-7),
    permission: 'read_write',
    endpoints: null,
    products: null,
    compatibility: 'documented',
    lmfwc_version: 3,
    expires_at: null,
    revoked_at: null,
    last_access_at: null,
  });
  assert.deepEqual(await listed(1), { ...rest, created_at: at });

  const flags = ['--permission', 'Read', '--endpoints', 'licenses.get, Licenses.List', '--products', '1,2'];
  const plugin = ['--compatibility', 'plugin', '--lmfwc-version', '2'];
  const limited = await create(...flags, ...plugin, '--expires', '2999-01-02', '--description', 'Look up');
  const { permission, endpoints, products, expires_at, description } = limited;
  assert.deepEqual([limited.compatibility, limited.lmfwc_version], ['plugin', 2]);
  assert.deepEqual([permission, endpoints], ['read', ['licenses.get', 'licenses.list']]);
  assert.deepEqual([products, expires_at, description], [[1, 2], '2999-01-02 00:00:00', 'Look up']);

  const words = await cli.ok(['api-key', 'create']);
  assert.match(words, /shown only once/);
  assert.match(words, /consumer key +ck_[0-9a-f]{40}\n.*consumer secret +cs_[0-9a-f]{40}\n$/);

  const table = await cli.ok(['api-key', 'list']);
  const row = `2 +${limited.key_ending} +read +licenses\\.get,licenses\\.list +1,2 +plugin, lmfwc 2 +2999-01-02 00:00:00 +- +- +Look up`;
  assert.match(table, new RegExp(`^ID +SUFFIX +PERMISSION .*\n3 .*\n${row}\n1 `));
  assert.ok(!table.includes(secret) && !table.includes(key));
});

test('create refuses bad values by the names of the flags', async () => {
  const refused = (...flags: string[]) => cli.fails(2, ['api-key', 'create', ...flags]);
  const bad = ['--permission', 'all', '--endpoints', 'licenses.get,licenses.got', '--products', '1,x'];
  const told = await refused(
    ...bad,
    '--expires',
    'soon',
    '--preset',
    'server',
    '--compatibility',
    'wordpress',
    '--lmfwc-version',
    '4',
    '--description',
    'x'.repeat(256),
  );
  assert.match(told, /--permission must be one of read, write, read_write\./);
  for (const endpoint of ENDPOINTS) assert.ok(told.includes(endpoint), endpoint);
  assert.match(told, /"licenses\.got" is none/);
  assert.match(told, /--products must be an integer/);
  assert.match(told, /--expires must be an existing date/);
  assert.match(told, /--preset must be client\./);
  assert.match(told, /--compatibility must be one of documented, plugin/);
  assert.match(told, /--lmfwc-version must be an integer from 2 to 3/);
  assert.match(told, /--description must have at most 255/);
  assert.match(await refused('--expires', '2001-01-01'), /--expires must be in the future/);
  const mixed = await refused(
    '--preset',
    'client',
    '--permission',
    'read_write',
    '--endpoints',
    'licenses.get',
  );
  assert.match(mixed, /--permission, --endpoints cannot be combined with --preset/);
  // An unset shell variable leaves an empty flag: it must not make a key without that limit.
  const flags = ['--preset', '--permission', '--endpoints', '--products', '--compatibility', '--expires'];
  const empty = await refused(...flags.flatMap((flag) => [flag, '']));
  for (const flag of flags) assert.ok(empty.includes(`${flag} must not be empty.`), empty);
  assert.equal((await cli.json(['api-key', 'list'])).api_keys.length, 3);
});

test('a key of the preset client looks up, activates, validates and deactivates, and does nothing else', async (t) => {
  const owner = await startService(t, { dataDir: cli.dataDir });
  const made = await create('--preset', 'client', '--products', '7', '--description', 'Editor');
  assert.deepEqual([made.permission, made.endpoints], ['read', CLIENT_PRESET.endpoints]);
  assert.match(await cli.ok(['api-key', 'list']), /client preset +7 +documented +never .*Editor/);

  const client = createApi(owner.root, credentialsOf(made));
  const { license_key: key } = await owner.license({ product_id: 7 });
  const { license_key: other } = await owner.license({ product_id: 8 });
  const { token } = await client.activation(key);
  await client.ok('GET', `/licenses/validate/${token}`);
  await client.ok('GET', `/licenses/deactivate/${token}`);
  await client.ok('GET', `/licenses/activate/${key}`, { query: { token } });
  await client.fails(404, 'data_error', 'GET', `/licenses/activate/${other}`);

  const generator = await owner.generator();
  const one = `/generators/${generator.id}`;
  assert.equal((await client.ok('GET', `/licenses/${key}`)).license_key, key);
  for (const path of ['/licenses', '/generators', one])
    await client.fails(403, 'permission_denied', 'GET', path);
  for (const [method, path] of [
    ['POST', '/licenses'],
    ['PUT', `/licenses/${key}`],
    ['DELETE', `/licenses/${key}`],
    ['POST', '/generators'],
    ['PUT', one],
    ['DELETE', one],
    ['POST', `${one}/generate`],
  ] as const) {
    const { status } = await client.call(method, path, { json: {} });
    assert.ok([401, 403].includes(status), `${method} ${path}: ${status}`);
  }
  assert.equal((await owner.ok('GET', `/licenses/${key}`)).times_activated, 1);
});

test('revoke finds a key by id, consumer key or suffix, and a running server refuses that key from then on', async (t) => {
  const server = await startService(t, { dataDir: cli.dataDir });
  const revoke = (named: string) => cli.json(['api-key', 'revoke', named]);
  for (const name of [
    (made: Record_) => String(made.id),
    (made: Record_) => made.consumer_key,
    (made: Record_) => made.key_ending,
  ]) {
    const made = await create();
    const client = createApi(server.root, credentialsOf(made));
    await client.ok('GET', '/licenses');
    const revoked = await revoke(name(made));
    assert.deepEqual([revoked.id, typeof revoked.revoked_at], [made.id, 'string']);
    await heard(() => client.fails(401, 'authentication_error', 'GET', '/licenses'));
    const again = await cli.fails(1, ['api-key', 'revoke', name(made)]);
    assert.match(again, new RegExp(`API key ${made.id} was already revoked, at `));
  }
});

test('revoke refuses a name that matches no key or several', async () => {
  const moved = await create();
  await runSql(
    cli.dataDir,
    `update api_keys set key_hash = ${literal(hashAsPlugin(moved.consumer_key))}, hashed_by = 'wc-api' where id = ${moved.id}`,
  );
  assert.equal((await cli.json(['api-key', 'revoke', moved.consumer_key])).id, moved.id);
  assert.match(await cli.fails(1, ['api-key', 'revoke', '999']), /There is no API key "999"/);
  const unknown = await cli.fails(1, ['api-key', 'revoke', `ck_${'0'.repeat(40)}`]);
  assert.match(unknown, /There is no API key with the consumer key that ends in 0000000\./);
  const [first, second] = [await create(), await create()];
  const setEnding = (id: number, ending: string) =>
    runSql(cli.dataDir, `update api_keys set key_ending = '${ending}' where id = ${id}`);
  for (const { id } of [first, second]) await setEnding(id, 'abcdef0');
  const several = await cli.fails(1, ['api-key', 'revoke', 'abcdef0']);
  assert.match(several, new RegExp(`Several API keys end in abcdef0.*: ${second.id}, ${first.id}\\.`));
  // A suffix that is also the id of another key: the id wins.
  await setEnding(first.id, String(second.id));
  assert.match(await cli.ok(['api-key', 'revoke', String(second.id)]), new RegExp(`^API key ${second.id}, `));
  assert.equal((await listed(first.id)).revoked_at, null);
});

test('create --existing takes a key and secret that clients already have, and prints neither', async (t) => {
  const given = { consumerKey: `ck_${'1a'.repeat(20)}`, consumerSecret: `cs_${'2b'.repeat(20)}` };
  const input = `${given.consumerKey} ${given.consumerSecret}\n`;
  const flags = ['api-key', 'create', '--existing', '--preset', 'client'];
  const said = await cli.ok(flags, { input });
  assert.ok(!said.includes(given.consumerKey) && !said.includes(given.consumerSecret), said);
  const api = await startService(t, { dataDir: cli.dataDir });
  const { license_key } = await api.license();
  await api.ok('GET', `/licenses/activate/${license_key}`, { credentials: given });
  await api.fails(403, 'permission_denied', 'GET', '/licenses', { credentials: given });

  assert.match(await cli.fails(1, flags, { input }), /exists/);
  for (const bad of ['', given.consumerKey, `${given.consumerSecret} ${given.consumerKey}`, 'ck_a cs_b']) {
    const told = await cli.fails(2, flags, { input: bad });
    assert.match(told, /--existing/);
    assert.ok(!told.includes('2b2b'), told);
  }
});

test('update changes the rights of a key at once on a running server; bad values are named and change nothing', async (t) => {
  const server = await startService(t, { dataDir: cli.dataDir });
  const { id, consumer_key: key, ...made } = await create('--products', '1,2', '--description', 'Shop');
  const client = createApi(server.root, credentialsOf({ consumer_key: key, ...made }));
  await client.ok('GET', '/generators');
  const flags = ['--endpoints', 'licenses.list', '--clear', 'products', '--expires', '2999-01-02'];
  const { last_access_at: at, ...changed } = await cli.json(['api-key', 'update', key, ...flags]);
  const { consumer_secret: _, last_access_at: __, ...before } = { ...made, id };
  const is = { endpoints: ['licenses.list'], products: null, expires_at: '2999-01-02 00:00:00' };
  assert.deepEqual(changed, { ...before, ...is });
  await heard(() => client.fails(403, 'permission_denied', 'GET', '/generators'));
  await client.ok('GET', '/licenses');
  const plugin = ['--compatibility', 'plugin', '--lmfwc-version', '2'];
  const { compatibility, lmfwc_version } = await cli.json(['api-key', 'update', String(id), ...plugin]);
  assert.deepEqual([compatibility, lmfwc_version], ['plugin', 2]);
  const words = await cli.ok(['api-key', 'update', String(id), '--clear', 'endpoints,expires,compatibility']);
  assert.match(words, new RegExp(`^API key ${id}, ending in ${made.key_ending}, is changed`));
  await heard(() => client.ok('GET', '/generators'));

  const refused = (...flags: string[]) => cli.fails(2, ['api-key', 'update', String(id), ...flags]);
  assert.match(await refused(), /Name what to change/);
  assert.match(await refused('--products', ''), /--products must not be empty/);
  assert.match(await refused('--products', '1', '--clear', 'products'), /--clear/);
  assert.match(
    await refused('--expires', '2001-01-01', '--permission', 'read'),
    /--expires must be in the future/,
  );
  assert.match(await refused('--endpoints', 'licenses.got'), /--endpoints .*"licenses.got" is none/);
  const { permission, endpoints, products, expires_at, ...is_ } = await listed(id);
  assert.deepEqual([permission, endpoints, products, expires_at], ['read_write', null, null, null]);
  assert.deepEqual([is_.compatibility, is_.lmfwc_version], ['documented', 2]);
  assert.match(await cli.fails(1, ['api-key', 'update', '9999', '--products', '1']), /There is no API key/);

  const ofSettings = server.credentials.consumerKey;
  const env = {
    LATCHKEY_CONSUMER_KEY: ofSettings,
    LATCHKEY_CONSUMER_SECRET: server.credentials.consumerSecret,
  };
  const narrow = ['api-key', 'update', ofSettings, '--permission', 'read'];
  assert.match(await cli.fails(1, narrow, { env }), /is the one in LATCHKEY_CONSUMER_KEY/);
  await cli.ok(['api-key', 'revoke', String(id)]);
  assert.match(await cli.fails(1, ['api-key', 'update', key, '--clear', 'products']), /was already revoked/);
});
