import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startProcess } from '../../support/process.ts';
import { createCli } from '../cli.ts';

const cli = createCli();
const KEY = 'ACME-0001';

before(async () => {
  await cli.ok(['migrate']);
});

test('create with nothing but a key: active, for ever, without a limit, as if imported', async () => {
  const made = await cli.json(['license', 'create', '--license-key', KEY]);
  assert.match(made.hash, /^[0-9a-f]{64}$/);
  const { id, hash, created_at: at, ...rest } = made;
  assert.equal(id, 1);
  assert.match(at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.deepEqual(rest, {
    order_id: null,
    product_id: null,
    user_id: null,
    license_key: KEY,
    expires_at: null,
    valid_for: 0,
    source: 2,
    status: 3,
    times_activated: 0,
    activations_limit: 0,
    is_expired: false,
    created_by: 1,
    updated_at: null,
    updated_by: null,
  });
});

test('create with every flag', async () => {
  const flags = ['--valid-for', '30', '--status', 'SOLD', '--activations-limit', '3', '--order-id', '11'];
  const more = ['--product-id', '7', '--user-id', '5', '--expires-at', '2031-02-03T05:05:06+01:00'];
  const key = ' -Schlüssel, "mit" allem\n';
  const made = await cli.json(['license', 'create', '--license-key', key, ...flags, ...more]);
  assert.equal(made.license_key, key);
  assert.deepEqual(
    [made.valid_for, made.status, made.activations_limit, made.order_id, made.product_id, made.user_id],
    [30, 1, 3, 11, 7, 5],
  );
  assert.equal(made.expires_at, '2031-02-03 04:05:06');
  assert.equal((await cli.json(['license', 'show', '--', key])).id, made.id);
});

test('create refuses: a key that exists (1), bad values (2) by the names of their flags', async () => {
  const create = (...flags: string[]) => ['license', 'create', ...flags];
  const exists = await cli.fails(1, create('--license-key', KEY));
  assert.equal(exists, `error: A license with the key "${KEY}" already exists.\n`);
  const bad = {
    '--license-key': ['hashed-x', 'must not begin with "hashed-"'],
    '--valid-for': ['1.5', 'must be an integer'],
    '--status': ['6', 'must be one of 1 (sold)'],
    '--activations-limit': ['-1', 'must be an integer'],
    '--order-id': ['9007199254740992', 'must be an integer'],
    '--product-id': ['seven', 'must be an integer'],
    '--user-id': ['1e3', 'must be an integer'],
    '--expires-at': ['2031-02-30', 'must be an existing date'],
  };
  const flags = Object.entries(bad).flatMap(([flag, [value]]) => [flag, value as string]);
  const told = await cli.fails(2, create(...flags));
  for (const [flag, [, reason]] of Object.entries(bad)) assert.ok(told.includes(`${flag} ${reason}`), told);
  const late = await cli.fails(2, create('--license-key', 'N', '--valid-for', '2147483647'));
  assert.match(late, /--valid-for passes the year 9999/);
  assert.match(await cli.fails(2, create('--license-key', '')), /--license-key must not be empty/);
  await cli.fails(1, ['license', 'show', 'N']);
});

test('show by key and by hash, with the valid activations, with the names and values of the API', async (t) => {
  const api = await startProcess(t, cli.dataDir);
  const kept = await api.activation(KEY, { label: 'Office\u001b[31m' });
  const gone = await api.activation(KEY, { label: 'Home' });
  await api.ok('GET', `/licenses/deactivate/${gone.token}`);

  const shown = await cli.json(['license', 'show', KEY]);
  assert.deepEqual(
    shown.activations.map(({ token }: { token: string }) => token),
    [kept.token],
  );
  const { hash, plugin_meta: meta, ...rest } = shown;
  assert.deepEqual(meta, []);
  assert.deepEqual(rest, await api.ok('GET', `/licenses/${KEY}`));
  assert.equal((await api.ok('GET', `/licenses/hashed-${hash}`)).license_key, KEY);

  const words = await cli.ok(['license', 'show', `hashed-${hash}`]);
  assert.match(words, new RegExp(`License key +${KEY}\nHash +hashed-${hash}\n`));
  assert.match(words, /Status +active\n/);
  assert.match(words, /Activations +1 of any\n/);
  assert.ok(words.includes(kept.token) && !words.includes(gone.token));
  // What a client has called itself must not command the terminal.
  assert.ok(words.includes('Office\\u{1b}[31m') && !words.includes('\u001b'));
});

test('show refuses what is not there', async () => {
  assert.equal(await cli.fails(1, ['license', 'show', 'NONE']), 'error: There is no license "NONE".\n');
  await cli.fails(1, ['license', 'show', `hashed-${'0'.repeat(64)}`]);
  const { error } = JSON.parse(await cli.fails(1, ['license', 'show', 'NONE', '--json']));
  assert.deepEqual(error, { code: 'license_not_found', message: 'There is no license "NONE".' });
});

test('list: newest first, in pages, with the filters of the API', async () => {
  const list = createCli();
  const rows = Array.from({ length: 35 }, (_, i) => `L-${i},${(i % 5) + 1},${i % 2},${i % 3},${i % 4}`);
  const header = 'license_key,status,product_id,order_id,user_id';
  await list.ok(['license', 'import', '-'], { input: [header, ...rows].join('\n') });
  const keys = async (...flags: string[]) => {
    const { licenses, total, page, limit } = await list.json(['license', 'list', ...flags]);
    return { keys: licenses.map((one: { license_key: string }) => one.license_key), total, page, limit };
  };

  const first = await keys();
  assert.deepEqual([first.keys.length, first.keys[0], first.keys[29]], [30, 'L-34', 'L-5']);
  assert.deepEqual([first.total, first.page, first.limit], [35, 1, 30]);
  assert.deepEqual((await keys('--page', '2')).keys, ['L-4', 'L-3', 'L-2', 'L-1', 'L-0']);
  assert.deepEqual((await keys('--limit', '2', '--page', '3')).keys, ['L-30', 'L-29']);
  assert.deepEqual((await keys('--page', '3')).keys, []);
  assert.equal((await keys('--status', 'Sold,2')).total, 14);
  assert.equal((await keys('--source', 'import', '--product-id', '1')).total, 17);
  assert.deepEqual((await keys('--order-id', '1', '--user-id', '3')).keys, ['L-31', 'L-19', 'L-7']);
  assert.deepEqual((await keys('--license-key', 'L-7')).keys, ['L-7']);

  const words = await list.ok(['license', 'list', '--limit', '2']);
  const lines = words.split('\n');
  assert.match(lines[0] as string, /^ID {2}LICENSE KEY {2}STATUS/);
  assert.match(lines[1] as string, /^35 {2}L-34 {9}disabled/);
  assert.equal(lines[3], '1 to 2 of 35');
  assert.equal(await list.ok(['license', 'list', '--source', 'api']), 'No licenses.\n');

  const bad = [
    'license',
    'list',
    '--status',
    'sold,nope',
    '--source',
    'elsewhere',
    '--license-key',
    'x'.repeat(256),
    '--user-id',
    '',
  ];
  const told = await list.fails(2, bad);
  for (const flag of ['--status', '--source', '--license-key', '--user-id'])
    assert.ok(told.includes(flag), told);
  assert.match(await list.fails(2, ['license', 'list', '--limit', '1001', '--page', '0']), /--limit.*--page/);
});
