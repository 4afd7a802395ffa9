import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { DEFAULT_TERMS, type Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { migratedCli } from '../cli.ts';

const cli = await migratedCli();
const KEY = 'ACME-0001';

before(async () => {
  await cli.ok(['migrate']);
});

test('create with only a key makes an active license without expiry or limit, with the source import', async () => {
  const made = await cli.json(['license', 'create', '--license-key', KEY]);
  assert.match(made.hash, /^[0-9a-f]{64}$/);
  const { id, hash, created_at: at, ...rest } = made;
  assert.equal(id, 1);
  assert.match(at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.deepEqual(rest, {
    order_id: null,
    product_id: null,
    user_id: null,
    customer_email: null,
    license_key: KEY,
    expires_at: null,
    valid_for: 0,
    source: 'import',
    status: 'active',
    times_activated: 0,
    activations_limit: 0,
    is_expired: false,
    created_by: 1,
    updated_at: null,
    updated_by: null,
    ...DEFAULT_TERMS,
  });
});

test('create and update take every flag', async () => {
  const flags = ['--valid-for', '30', '--status', 'SOLD', '--activations-limit', '3', '--order-id', '11'];
  const more = ['--product-id', '7', '--user-id', '5', '--expires-at', '2031-02-03T05:05:06+01:00'];
  const email = ['--customer-email', 'Ada@example.com'];
  const key = ' -Schlüssel, "mit" allem\n';
  const made = await cli.json(['license', 'create', '--license-key', key, ...flags, ...more, ...email]);
  assert.equal(made.license_key, key);
  assert.deepEqual(
    [made.valid_for, made.status, made.activations_limit, made.order_id, made.product_id, made.user_id],
    [30, 'sold', 3, 11, 7, 5],
  );
  assert.deepEqual([made.expires_at, made.customer_email], ['2031-02-03 04:05:06', 'Ada@example.com']);
  assert.equal((await cli.json(['license', 'show', '--', key])).id, made.id);
  const seats = ['--seat-ttl', '600', '--borrow-max-hours', '72', '--reclaim-after-days', '30'];
  const rules = ['--takeovers-per-month', '1', '--match', 'label'];
  const leases = ['--lease-refresh-hours', '1', '--lease-days', '30', '--offline-lease-days', '366'];
  const features = ['--entitlements', 'pro, team', '--entitlements', 'pro'];
  await cli.ok(['license', 'update', ...seats, ...rules, ...leases, ...features, '--', key]);
  const shown = await cli.ok(['license', 'show', '--', key]);
  assert.match(
    shown,
    /\nSeats +floating, lapse after 600 seconds; borrowed for up to 72 hours; reclaimed after 30 days; 1 takeover in 30 days; same label, same device\n/,
  );
  assert.match(shown, /\nEmail +Ada@example\.com\n/);
  assert.match(shown, /\nEntitlements +pro, team\n/);
  assert.match(
    shown,
    /\nLeases +good for 30 days; refreshed after 1 hour; 7 days of grace; 366 days without network\n/,
  );
  const named = 'entitlements,lease-days,customer-email';
  const cleared = await cli.json(['license', 'update', '--clear', named, '--', key]);
  assert.deepEqual([cleared.entitlements, cleared.lease_days, cleared.seat_ttl], [[], 14, 600]);
  assert.equal(cleared.customer_email, null);
});

test('create refuses an existing key (1), and bad values (2) by the names of their flags', async () => {
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
    '--customer-email': ['ada', 'must be an email address'],
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

test('show finds a license by key or hash, with its valid activations, under the names of the API', async (t) => {
  const api = await startService(t, { dataDir: cli.dataDir });
  const kept = await api.activation(KEY, { label: 'Office\u001b[31m' });
  const gone = await api.activation(KEY, { label: 'Home' });
  await api.ok('GET', `/licenses/deactivate/${gone.token}`);

  const shown = await cli.json(['license', 'show', KEY]);
  assert.deepEqual(
    shown.activations.map(({ token }: { token: string }) => token),
    [kept.token],
  );
  const { hash, plugin_meta: meta, note, tags, ...rest } = shown;
  assert.deepEqual([meta, note, tags], [[], null, []]);
  const { activations, ...license } = await api.ok('GET', `/licenses/${KEY}`);
  assert.deepEqual(rest, {
    ...license,
    customer_email: null,
    source: 'import',
    status: 'active',
    activations: activations.map((one: Record_) => ({ ...one, source: 'api', ended_as: null })),
  });
  assert.equal((await api.ok('GET', `/licenses/hashed-${hash}`)).license_key, KEY);

  const words = await cli.ok(['license', 'show', `hashed-${hash}`]);
  assert.match(words, new RegExp(`License key +${KEY}\nHash +hashed-${hash}\n`));
  assert.match(words, /Status +active\n/);
  assert.match(words, /Activations +1 of any\n/);
  assert.ok(words.includes(kept.token) && !words.includes(gone.token));
  // A label set by a client must not control the terminal.
  assert.ok(words.includes('Office\\u{1b}[31m') && !words.includes('\u001b'));
});

test('show refuses an unknown license', async () => {
  assert.equal(await cli.fails(1, ['license', 'show', 'NONE']), 'error: There is no license "NONE".\n');
  await cli.fails(1, ['license', 'show', `hashed-${'0'.repeat(64)}`]);
  const { error } = JSON.parse(await cli.fails(1, ['license', 'show', 'NONE', '--json']));
  assert.deepEqual(error, { code: 'license_not_found', message: 'There is no license "NONE".' });
});

test('list shows the newest first, in pages, with the filters of the API', async () => {
  const list = await migratedCli();
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

test('update changes the fields that have a flag, and clears those named by --clear', async () => {
  const flags = ['--activations-limit', '2', '--product-id', '7', '--expires-at', '2031-01-01'];
  await cli.ok(['license', 'create', '--license-key', 'U-1', ...flags]);
  const update = (...more: string[]) => ['license', 'update', 'U-1', ...more];
  const changed = await cli.json(update('--activations-limit', '5', '--status', 'sold'));
  assert.deepEqual(
    [changed.activations_limit, changed.status, changed.product_id, changed.expires_at],
    [5, 'sold', 7, '2031-01-01 00:00:00'],
  );
  assert.match(await cli.ok(update('--clear', 'expires-at,product-id')), /Expires +never[\s\S]*Product +-/);
  const renamed = await cli.json(['license', 'update', `hashed-${changed.hash}`, '--license-key', 'U-2']);
  assert.deepEqual([renamed.id, renamed.license_key, renamed.activations_limit], [changed.id, 'U-2', 5]);
  assert.match(await cli.fails(1, update('--order-id', '1')), /no license "U-1"/);
  assert.match(await cli.fails(2, update()), /Name what to change, with a flag/);
  assert.match(
    await cli.fails(2, update('--status', '9', '--order-id', '')),
    /--status must.*--order-id must not/,
  );
  const taken = ['license', 'update', 'U-2', '--license-key', KEY];
  assert.match(await cli.fails(1, taken), /license with the key "ACME-0001" already exists/);
});

test('extend adds days to the expiry, or to now if it has passed, and refuses a license that never expires', async () => {
  const create = (key: string, ...flags: string[]) =>
    cli.ok(['license', 'create', '--license-key', key, ...flags]);
  await create('E-1', '--expires-at', '2031-01-01');
  const extend = (key: string, days = '30') => ['license', 'extend', key, '--days', days];
  assert.equal((await cli.json(extend('E-1'))).expires_at, '2031-01-31 00:00:00');
  assert.equal(await cli.ok(extend('E-1', '1')), 'License E-1 now expires at 2031-02-01 00:00:00 UTC.\n');
  await create('E-2', '--expires-at', '2020-01-01');
  assert.match(await cli.ok(['license', 'show', 'E-2']), /\nExpires +2020-01-01 00:00:00 UTC \(expired\)\n/);
  const { is_expired, expires_at } = await cli.json(extend('E-2'));
  assert.ok(!is_expired && expires_at > '2026');
  await create('E-3');
  assert.equal(await cli.fails(1, extend('E-3')), 'error: License E-3 never expires.\n');
  assert.match(await cli.fails(2, ['license', 'extend', 'E-1']), /--days is required/);
  assert.match(await cli.fails(2, extend('E-1', '0')), /--days must be an integer from 1 to 36500/);
  await create('E-4', '--expires-at', '9999-12-30');
  assert.equal(await cli.fails(2, extend('E-4')), 'error: --days passes the year 9999.\n');
});

test('disable and enable each work once, and enable refuses a license that is not disabled', async () => {
  await cli.ok(['license', 'create', '--license-key', 'D-1', '--status', 'sold']);
  const enable = ['license', 'enable', 'D-1'];
  assert.equal(await cli.fails(1, enable), 'error: License D-1 is not disabled: its status is sold.\n');
  assert.equal((await cli.json(['license', 'disable', 'D-1'])).status, 'disabled');
  assert.match(await cli.fails(1, ['license', 'disable', 'D-1']), /D-1 is already disabled/);
  assert.equal(await cli.ok(enable), 'License D-1 is enabled.\n');
  assert.equal((await cli.json(['license', 'show', 'D-1'])).status, 'active');
});

test('activations are listed, deactivated, reactivated and deleted by id or token', async (t) => {
  const api = await startService(t, { dataDir: cli.dataDir });
  await cli.ok(['license', 'create', '--license-key', 'A-1', '--activations-limit', '1']);
  const { id: software } = await cli.json(['software', 'create', '--name', 'Acme']);
  const first = await api.activation('A-1', { label: 'Laptop', software });
  const id = String(first.id);
  const run = (name: string, named: string) => ['activation', name, named];
  const listed = async (...flags: string[]) =>
    (await cli.json(['activation', 'list', '--license', 'A-1', ...flags])).activations.map(
      (one: Record_) => one.id,
    );
  assert.equal(
    await cli.ok(run('deactivate', id)),
    `Activation ${id} (Laptop) of license A-1 is deactivated.\n`,
  );
  assert.match(await cli.fails(1, run('deactivate', id)), /The activation is already deactivated/);
  assert.match(
    await cli.ok(['activation', 'list', '--license', 'A-1']),
    /\n\d+ +A-1 +Laptop .* deactivated +\w{40}\n/,
  );
  const second = await api.activation('A-1', { label: 's.de/a' });
  const full =
    'error: The license has reached its activation limit of 1. Raise it, or deactivate another activation first.\n';
  assert.equal(await cli.fails(1, run('reactivate', first.token)), full);
  assert.deepEqual(await listed(), [second.id, first.id]);
  assert.deepEqual(await listed('--state', 'deactivated'), [first.id]);
  assert.deepEqual(await listed('--software', 'acme', '--label', 'lap', '--address', '127.0.0.1'), [
    first.id,
  ]);
  // Scripts end what this lists: another page of a site is not the same label.
  assert.deepEqual([await listed('--label', 'S.de/a'), await listed('--label', 's.de/b')], [[second.id], []]);
  assert.deepEqual(await listed('--before', String(second.id)), [first.id]);
  const page = await cli.ok(['activation', 'list', '--limit', '1', '--license', 'A-1']);
  assert.match(
    page,
    new RegExp(`^ID .*TOKEN\\n${second.id} +A-1 +s\\.de/a .*\\nFor more, add --before ${second.id}\\n$`),
  );

  const gone = await cli.json(run('delete', second.token));
  assert.deepEqual([gone.id, gone.license_key, gone.source], [second.id, 'A-1', 'api']);
  const again = await cli.json(run('reactivate', first.token));
  assert.deepEqual([again.id, again.deactivated_at], [first.id, null]);
  assert.match(await cli.fails(1, run('reactivate', id)), /already valid/);
  for (const [change, reason] of [
    [
      ['update', 'A-1', '--expires-at', '2020-01-01'],
      'The license expired at 2020-01-01 00:00:00 UTC. Extend it first.',
    ],
    [['disable', 'A-1'], 'The license is disabled. Enable it first.'],
  ] as const) {
    await cli.ok(['license', ...change]);
    if (change[0] === 'update') await cli.ok(run('deactivate', id));
    else await cli.ok(['license', 'update', 'A-1', '--clear', 'expires-at']);
    assert.equal(await cli.fails(1, run('reactivate', id)), `error: ${reason}\n`);
  }
  assert.equal(await cli.fails(1, run('delete', '999999')), 'error: There is no activation "999999".\n');

  assert.equal(await cli.ok(['license', 'delete', 'A-1']), 'Deleted license A-1 and its activations.\n');
  assert.match(await cli.fails(1, run('delete', id)), /no activation/);
  assert.match(await cli.fails(1, ['license', 'delete', 'A-1']), /no license "A-1"/);
  assert.equal(await cli.ok(['license', 'restore', 'A-1']), 'Restored license A-1 and its activations.\n');
  assert.match(await cli.fails(1, ['license', 'restore', 'A-1']), /no deleted license "A-1"/);
  await cli.ok(['license', 'delete', 'A-1']);
  await cli.ok(['license', 'create', '--license-key', 'A-1']);
  assert.match(await cli.fails(1, ['license', 'restore', 'A-1']), /already exists|has the key/);
});
