import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { numberOf } from '../../support/engine.ts';
import type { Record_ } from '../../support/http/api.ts';
import { type Cli, createCli, migratedCli } from '../cli.ts';

const cli = await migratedCli();

before(async () => {
  await cli.ok(['license', 'create', '--license-key', 'THERE-ALREADY']);
});

const count = (one: Cli): Promise<number> => numberOf(one.dataDir, 'select count(*) from licenses');
const staged = (one: Cli): Promise<number> => numberOf(one.dataDir, 'select count(*) from staged_licenses');
const shown = (key: string): Promise<Record_> => cli.json(['license', 'show', '--', key]);

test('import takes every column in any order; empty cells take the values of the flags', async () => {
  const lines = [
    'Status; license_key ;activations_limit;valid_for;order_id;product_id;user_id;expires_at;comment;',
    'sold;ALL-1;5;30;11;12;13;2031-02-03 04:05:06;x;',
    ' ;ALL-2;; ;;;;;;',
    '5;ALL-3;0;365;;;;never;;',
    '2;"ALL;4 ""quoted""";;10;;;;;;',
    ';;;;;;;;;',
  ];
  const path = cli.file('licenses.csv', `\ufeff${lines.join('\r\n')}\r\n`);
  const flags = ['--status', 'delivered', '--product-id', '99', '--activations-limit', '2'];
  const { code, stdout, stderr } = await cli.run(['license', 'import', path, ...flags]);
  assert.deepEqual([code, stdout], [0, 'Imported 4 licenses.\n']);
  assert.equal(stderr, 'These columns are unknown and are ignored: comment.\n');

  const pick = ({ status, activations_limit, valid_for, order_id, product_id, user_id, source }: Record_) => [
    status,
    activations_limit,
    valid_for,
    order_id,
    product_id,
    user_id,
    source,
  ];
  const first = await shown('ALL-1');
  assert.deepEqual(
    [...pick(first), first.expires_at],
    ['sold', 5, 30, 11, 12, 13, 'import', '2031-02-03 04:05:06'],
  );
  const second = await shown('ALL-2');
  assert.deepEqual([...pick(second), second.expires_at], ['delivered', 2, 0, null, 99, null, 'import', null]);
  const third = await shown('ALL-3');
  assert.deepEqual([...pick(third), third.expires_at], ['disabled', 0, 365, null, 99, null, 'import', null]);
  const fourth = await shown('ALL;4 "quoted"');
  const day = 86_400_000;
  const lives = Date.parse(`${fourth.expires_at}Z`) - Date.parse(`${fourth.created_at}Z`);
  assert.ok(Math.abs(lives - 10 * day) < 60_000);
});

test('import reads a bare list of keys from standard input', async () => {
  const done = await cli.json(['license', 'import', '-'], { input: 'license_key\nBARE-1\n\nBARE-2' });
  assert.deepEqual(done, { imported: 2, read: 2, rejected: [] });
  assert.deepEqual(
    [(await shown('BARE-2')).status, (await shown('BARE-2')).activations_limit],
    ['active', 0],
  );
});

const BAD = [
  'license_key,valid_for,expires_at,status', // 1
  'GOOD-1,,,', // 2
  'THERE-ALREADY,,,', // 3
  '"MANY', // 4 and 5
  'LINES",x,2031-02-30,9',
  '', // 6
  'GOOD-1,,,', // 7
  ',1,,', // 8
  'SHORT', // 9
  'hashed-x,,,', // 10
  'BYTES-\xff,,,', // 11
  'FAR,2147483647,,', // 12
  'GOOD-2,,,', // 13
  '"1,23457E+15",,,', // 14
].join('\n');
const REJECTED = [
  [3, /^license_key exists already/],
  [4, /^valid_for must be an integer.* status must be one of.* expires_at must be an existing date/],
  [7, /^license_key is in an earlier line too/],
  [8, /^license_key is required/],
  [9, /^has 1 cell; the first line names 4/],
  [10, /^license_key must not begin with "hashed-"/],
  [11, /^license_key is not UTF-8 text/],
  [12, /^valid_for passes the year 9999/],
  [14, /^license_key was shortened by the spreadsheet/],
] as const;

test('import names each rejected line and the reason, and imports nothing', async () => {
  const path = cli.file('bad.csv', Buffer.from(BAD, 'latin1'));
  const earlier = await count(cli);
  const { error } = JSON.parse(await cli.fails(1, ['license', 'import', path, '--json']));
  assert.deepEqual([error.code, error.imported, error.read], ['lines_rejected', 0, 11]);
  assert.equal(error.rejected.length, REJECTED.length);
  for (const [i, [line, reason]] of REJECTED.entries()) {
    assert.equal(error.rejected[i].line, line);
    assert.match(error.rejected[i].reason, reason);
  }
  assert.deepEqual([await count(cli), await staged(cli)], [earlier, 0]);

  const words = await cli.fails(1, ['license', 'import', path]);
  assert.match(words, /^error: 9 of 11 licenses were rejected, so nothing was imported:\n {2}line 3: /);
  assert.match(words, /--skip-bad/);
});

test('--skip-bad imports the good lines and lists the rejected ones', async () => {
  const path = cli.file('bad.csv', Buffer.from(BAD, 'latin1'));
  const { code, stdout } = await cli.run(['license', 'import', path, '--skip-bad', '--json']);
  const { imported, read, rejected } = JSON.parse(stdout);
  assert.deepEqual([code, imported, read], [0, 2, 11]);
  assert.deepEqual(
    rejected.map(({ line }: { line: number }) => line),
    REJECTED.map(([line]) => line),
  );
  assert.equal((await shown('GOOD-2')).license_key, 'GOOD-2');
  const again = await cli.ok(['license', 'import', path, '--skip-bad']);
  assert.match(again, /^Imported 0 licenses\.\nSkipped 11:\n {2}line 2: license_key exists already\./);
});

test('a long report is cut for people and complete for scripts', async () => {
  const input = `license_key,status\n${Array.from({ length: 120 }, (_, i) => `CUT-${i},9`).join('\n')}`;
  const words = await cli.fails(1, ['license', 'import', '-'], { input });
  assert.match(words, /\n {2}line 51: .*\n {2}and 70 more; --json lists them all\n/);
  const { error } = JSON.parse(await cli.fails(1, ['license', 'import', '-', '--json'], { input }));
  assert.equal(error.rejected.length, 120);
});

test('import refuses a file that is not a CSV file, even with --skip-bad, and makes no database for it', async () => {
  const fresh = createCli();
  const refused: [number, string | Buffer, RegExp][] = [
    [1, '', /^error: Line 1: the file is empty/],
    [
      1,
      'key,status\nA,3',
      /^error: Line 1: it must name the columns, license_key among them; it reads: key \| status/,
    ],
    [1, 'license_key,status,Status\nA,3,4', /^error: Line 1: the column status appears twice/],
    [
      1,
      'license_key,Expires\nA,2030-01-01',
      /^error: Line 1: "Expires" looks like expires_at\. Rename it, or remove the column\. Nothing was imported\.$/m,
    ],
    [
      1,
      'license_key,times_activated_max\nA,3',
      /^error: Line 1: "times_activated_max" looks like activations_limit\./m,
    ],
    [1, 'license_key,expiresAt\nA,2030-01-01', /^error: Line 1: "expiresAt" looks like expires_at\./m],
    [1, 'license_key,maxMachines\nA,3', /^error: Line 1: "maxMachines" looks like activations_limit\./m],
    [1, Buffer.from('license_key\nA', 'utf16le'), /^error: Line 1: .*UTF-8/],
  ];
  for (const [code, content, told] of refused) {
    const path = cli.file('none.csv', content);
    assert.match(await fresh.fails(code, ['license', 'import', path, '--skip-bad']), told);
  }
  assert.match(
    await fresh.fails(3, ['license', 'import', '/no/such.csv']),
    /\/no\/such\.csv: there is no such/,
  );
  assert.match(
    await fresh.fails(3, ['license', 'import', fresh.dataDir.slice(0, -5)]),
    /a folder, not a file/,
  );
  assert.match(await fresh.fails(2, ['license', 'import', '-', '--delimiter', '""']), /--delimiter must be/);
  assert.match(await fresh.fails(2, ['license', 'import', '-', '--status', 'x']), /--status must be/);
  await fresh.fails(3, ['license', 'list']);

  const open = 'license_key,status\nQ-1,3\n"Q-2,3\nQ-3,3\n';
  const { error } = JSON.parse(
    await cli.fails(1, ['license', 'import', '-', '--skip-bad', '--json'], { input: open }),
  );
  assert.deepEqual([error.code, error.line], ['bad_csv', 3]);
  assert.equal((await cli.json(['license', 'list', '--license-key', 'Q-1'])).total, 0);
  assert.equal(await staged(cli), 0);
});

test('import keeps the order of thousands of lines over many transactions', async () => {
  const input = `license_key\n${Array.from({ length: 5001 }, (_, i) => `BULK-${i}`).join('\n')}\n`;
  assert.deepEqual(await cli.json(['license', 'import', '-', '--product-id', '3'], { input }), {
    imported: 5001,
    read: 5001,
    rejected: [],
  });
  const { licenses, total } = await cli.json(['license', 'list', '--product-id', '3', '--limit', '2']);
  assert.deepEqual(
    [total, licenses[0].license_key, licenses[1].license_key],
    [5001, 'BULK-5000', 'BULK-4999'],
  );
  const exported = await cli.ok(['license', 'export', '--product-id', '3']);
  const keys = exported
    .replaceAll('"', '')
    .split('\n')
    .map((line) => line.split(',')[0]);
  assert.deepEqual(keys, input.split('\n'));
  const bad = `${input.replaceAll('BULK', 'MORE')}MORE-0\n`;
  assert.match(
    await cli.fails(1, ['license', 'import', '-'], { input: bad }),
    /line 5003: license_key is in an earlier line too/,
  );
  assert.equal((await cli.json(['license', 'list', '--license-key', 'MORE-1'])).total, 0);
});
