import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { temporaryFolder } from '../../support/folder.ts';
import type { Record_ } from '../../support/http/api.ts';
import { startService } from '../../support/service.ts';
import { createCli, migratedCli } from '../cli.ts';

const cli = await migratedCli();
const COLUMNS =
  'license_key,id,order_id,product_id,user_id,expires_at,valid_for,source,status,times_activated,activations_limit,is_expired,created_at,created_by,updated_at,updated_by,seat_ttl,reclaim_after_days,match,borrow_max_hours,takeovers_per_month,entitlements,lease_refresh_hours,lease_days,lease_grace_days,offline_lease_days,note,tags,meta,customer_email';
const TERMS = COLUMNS.split(',').slice(-14, -4);
const HEADER = COLUMNS.replace(/\w+/g, '"$&"');
const newFile = () => join(temporaryFolder(), 'licenses.csv');

/** Keys that CSV, a spreadsheet or a shell could corrupt. */
const KEYS = [
  '=1+1',
  '+49',
  '-7',
  '@SUM(A1)',
  '00123',
  ' both ends ',
  '"quoted"',
  'a,b;c\td',
  'a;=1+1',
  'a\t@SUM(A1)',
  'a|+1',
  "a;''=1+1;-2",
  'a =1+1',
  'a -1',
  'two\nlines',
  'carriage\rreturn',
  'crlf\r\n',
  'Ключ-鍵-🔑',
  "'apostrophe",
  "'=1+1",
  '\ttab',
  '\ufeffmark',
  '\ufffd',
  'never',
];

before(async () => {
  await cli.ok(['migrate']);
});

test('an import of an export makes the same licenses, byte for byte', async (t) => {
  const api = await startService(t, { dataDir: cli.dataDir });
  const values = (i: number) => ({
    license_key: KEYS[i],
    valid_for: i % 3 === 0 ? 0 : i * 10,
    status: (i % 5) + 1,
    activations_limit: i % 4,
    ...(i % 2 && { order_id: i, product_id: 2 ** 53 - 1 - i, user_id: 0 }),
    ...(i % 5 === 1 && { expires_at: `20${10 + i}-02-03 04:05:06` }),
    ...(i % 4 === 1 && { seat_ttl: i * 100, borrow_max_hours: i, match: 'label' }),
    ...(i % 4 === 2 && { reclaim_after_days: i, takeovers_per_month: i + 1 }),
    ...(i % 4 === 3 && { entitlements: ['-x', `Pro.${i}`, 'a:b'], lease_days: i, lease_grace_days: 0 }),
  });
  for (const i of KEYS.keys()) await api.license(values(i));
  // This license keeps its days and never expires.
  await api.ok('PUT', `/licenses/${encodeURIComponent('=1+1')}`, {
    json: { valid_for: 30, expires_at: null },
  });
  await api.activation('-7');
  await api.stop();
  await cli.ok(['license', 'update', '--customer-email', '+Ada@example.com', '00123']);

  const file = newFile();
  const { code, stdout, stderr } = await cli.run(['license', 'export', file]);
  assert.deepEqual([code, stdout], [0, '']);
  assert.match(stderr, /^Exported 24 licenses to .*\n$/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  const written = readFileSync(file, 'utf8');
  assert.equal(written.split('\n')[0], HEADER);
  // Split at every character that a spreadsheet may take for a separator: a quote inside such a cell does not stop it.
  for (const cell of written.split(/[\n,;\t|]/)) assert.doesNotMatch(cell, /^"?[=+\-@\t\r]/);

  const other = await migratedCli();
  const done = await other.run(['license', 'import', file]);
  assert.equal(done.stdout, 'Imported 24 licenses.\n');
  assert.doesNotMatch(done.stderr, /ignored/);
  const licenses = async (one: typeof cli): Promise<Record_[]> =>
    (await one.json(['license', 'list', '--limit', '1000'])).licenses;
  const kept = (license: Record_) => [
    license.license_key,
    license.valid_for,
    license.status,
    license.activations_limit,
    license.order_id,
    license.product_id,
    license.user_id,
    license.customer_email,
    license.expires_at,
    ...TERMS.map((name) => license[name]),
  ];
  const [before, after] = [await licenses(cli), await licenses(other)];
  assert.deepEqual(after.map(kept), before.map(kept));
  assert.deepEqual(new Set(after.map(({ license_key }) => license_key)), new Set(KEYS));
  assert.deepEqual([before.at(-1)?.valid_for, before.at(-1)?.expires_at], [30, null]);
  const termsOf = (license?: Record_) => kept(license as Record_).slice(-10);
  assert.deepEqual(termsOf(after.at(-2)), [100, 0, 'label', 1, 0, [], 24, 14, 7, 90]);
  assert.deepEqual(termsOf(after.at(-4)).slice(-5), [['-x', 'Pro.3', 'a:b'], 24, 3, 0, 90]);
});

test('export and import keep notes, tags and metadata', async () => {
  const [one, other] = [createCli(), createCli()];
  const meta = JSON.stringify({ invoice: '=1+1', ids: ['1', null] });
  const cells = ['NOTED-KEY-1', 'active', '-1 day, "late"\nSays: =x', 'VIP,=cmd', meta];
  const line = cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
  const file = one.file('noted.csv', `License,Status,Notes,Tags,Metadata\n${line}\nPLAIN-KEY-1,active,,,\n`);
  const header = 'license_key,status,note,tags,meta';
  const named = one.file('named.csv', readFileSync(file, 'utf8').replace(/^.*/, header));
  assert.equal((await one.run(['license', 'import', named])).stdout, 'Imported 2 licenses.\n');
  const shown = async (cli: typeof one) => {
    const { note, tags, plugin_meta } = await cli.json(['license', 'show', 'NOTED-KEY-1']);
    return { note, tags, plugin_meta };
  };
  const noted = await shown(one);
  assert.deepEqual(noted, {
    note: '-1 day, "late"\nSays: =x',
    tags: ['VIP', '=cmd'],
    plugin_meta: [
      { name: 'invoice', value: '=1+1' },
      { name: 'ids', value: '1' },
      { name: 'ids', value: null },
    ],
  });
  const moved = newFile();
  await one.ok(['license', 'export', moved]);
  await other.ok(['license', 'import', moved]);
  assert.deepEqual(await shown(other), noted);
  assert.match(await other.ok(['license', 'show', 'NOTED-KEY-1']), /Tags: VIP, =cmd[\s\S]*Note: -1 day/);
});

test('export writes to standard output, filtered, and as JSON lines', async () => {
  const csv = await cli.ok(['license', 'export', '--status', 'sold', '--order-id', '5']);
  const [header, line, rest] = csv.split('\n');
  assert.deepEqual([header, rest], [HEADER, '']);
  assert.match(
    line as string,
    /^" both ends ","\d+","5","9007199254740986","0",.*,"50","3","1","0","1","false",.*,"1",,,"500","0","label","5","0",,"24","14","7","90",,,,$/,
  );
  assert.equal(await cli.ok(['license', 'export', '--license-key', 'none']), `${HEADER}\n`);

  const lines = (await cli.ok(['license', 'export', '--json'])).trimEnd().split('\n');
  const parsed = lines.map((one) => JSON.parse(one));
  const { licenses } = await cli.json(['license', 'list', '--limit', '1000']);
  const noted = licenses.map((one: Record_) => ({ ...one, note: null, tags: [], meta: {} }));
  assert.deepEqual(parsed, noted.toReversed());
});

test('export overwrites a file only with --force, and reports one that it cannot write', async () => {
  const path = cli.file('licenses.csv', 'mine');
  assert.match(await cli.fails(1, ['license', 'export', path]), /licenses\.csv already exists\. --force/);
  assert.equal(readFileSync(path, 'utf8'), 'mine');
  chmodSync(path, 0o644);
  await cli.ok(['license', 'export', path, '--force']);
  assert.ok(readFileSync(path, 'utf8').startsWith(HEADER));
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.match(
    await cli.fails(3, ['license', 'export', '/no/such/folder/x.csv']),
    /^error: \/no\/such\/folder/,
  );
  await cli.fails(2, ['license', 'export', '--status', 'x']);
});
